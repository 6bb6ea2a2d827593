/* gpu_codec.h -- records in device memory to elements and back, as common/formats/codec.h has it.
 * SPDX-License-Identifier: MIT
 *
 * Here each thread has one element, in words of 32 bits, and an instruction picks four of eight
 * bytes. device_codec.c makes this of a codec.
 */
#ifndef GS_GPU_CODEC_H
#define GS_GPU_CODEC_H

#include "common/formats/keys.h"

#include <cuda_runtime_api.h>

enum { GS_GPU_WORDS = GS_KEY_BYTES / 4, GS_GPU_WEAVES_MAX = 8 };

/* Which bytes a word takes of another element's first eight, and of its last eight: a number from 0
 * to 7 in every four bits, as __byte_perm has it; and masks of those that it does take. */
struct gs_gpu_picks {
    uint32_t first[GS_GPU_WORDS], first_mask[GS_GPU_WORDS];
    uint32_t last[GS_GPU_WORDS], last_mask[GS_GPU_WORDS];
};

/* Of floats of 2, 4 or 8 bytes, and dates: see struct gs_codec_floats. */
struct gs_gpu_floats {
    uint32_t there; /* whether there are any */
    uint32_t lanes[GS_GPU_WORDS];
    uint32_t signs[GS_GPU_WORDS];
    uint32_t below[GS_GPU_WORDS];
};

struct gs_gpu_weave { /* see struct gs_codec_weave */
    uint32_t below, count, bits;
};

struct gs_gpu_codec {
    uint32_t record_bytes;
    struct gs_gpu_picks from_records, to_records, from_aligned, to_aligned;
    struct gs_gpu_floats floats[3];
    uint32_t flips[GS_GPU_WORDS]; /* all bits, too, if elements are to descend */
    uint32_t index_bits;          /* 0, or elements have the position there, below their keys */
    uint32_t weave_count;
    struct gs_gpu_weave weaves[GS_GPU_WEAVES_MAX];
};

#ifdef __cplusplus
extern "C" {
#endif

/* codec_gpu.cu: both may be the same array if records are as wide as elements, and must be aligned
 * to that then; records of another width need no alignment. */
cudaError_t gs_load_elements_gpu(const struct gs_gpu_codec *codec, const void *records,
                                 gs_key *elements, uint64_t n, cudaStream_t stream);
cudaError_t gs_store_elements_gpu(const struct gs_gpu_codec *codec, const gs_key *elements,
                                  void *records, uint64_t n, cudaStream_t stream);
/* Positions from elements that have them, in integers of 4 or 8 bytes. */
cudaError_t gs_store_indices_gpu(const struct gs_gpu_codec *codec, const gs_key *elements,
                                 void *indices, unsigned index_bytes, uint64_t n,
                                 cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

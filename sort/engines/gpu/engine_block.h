/* engine_block.h -- launch a shared-memory engine, which is one block, and get its report.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ENGINE_BLOCK_H
#define GS_ENGINE_BLOCK_H

#include "sort/engines/interleaved_lists.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The block writes every byte of it to device memory. Cycles are those of the multiprocessor's
 * clock. */
struct gs_engine_report {
    uint64_t sort_cycles;  /* load the keys and sort the lists */
    uint64_t merge_cycles; /* merge them */
    uint64_t varying;      /* the bits in which keys differ */
};

/* Load the kernel for this merge and number of lists, and allow it the shared memory that n keys
 * need: the driver loads a kernel lazily, which takes longer than the kernel then runs. To be
 * called before gs_engine_block_sort with the same merge, lists and n. */
cudaError_t gs_engine_block_load(enum gs_list_merge merge, uint32_t lists, uint32_t n);

/* Queue the sort of in[0 .. n) into out, which may equal in. n is at least 1 and at most
 * GS_LISTS_CAPACITY of the bytes of shared memory that a block of the device may have; lists is a
 * power of two up to GS_OPTION_LISTS_MAX. All pointers point to device memory. */
cudaError_t gs_engine_block_sort(enum gs_list_merge merge, uint32_t lists, const uint32_t *in,
                                 uint32_t *out, uint32_t n, struct gs_engine_report *report,
                                 cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

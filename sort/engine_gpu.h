/* engine_gpu.h -- launch one block of a shared-memory engine, and what it reports.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ENGINE_GPU_H
#define GS_ENGINE_GPU_H

#include "sort/lists.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Written by the block to device memory, every byte of it. Cycles are those of the multiprocessor's
 * clock. */
struct gs_engine_report {
    uint64_t sort_cycles;  /* load the keys and sort the lists */
    uint64_t merge_cycles; /* merge them */
    uint64_t varying;      /* the bits in which keys differ */
};

/* Have the kernel for this merge and so many lists on the device, with leave to use the shared
 * memory that n keys need: the driver loads a kernel when it is first asked for, in more time than
 * it then runs. Before gs_engine_sort_gpu with the same merge, lists and n. */
cudaError_t gs_engine_load_gpu(enum gs_lists_merge merge, uint32_t lists, uint32_t n);

/* Queue the sort of in[0 .. n) into out, which may be the same. n is at least 1 and at most
 * GS_LISTS_CAPACITY of the shared memory that a block of the device may have; lists is a power of
 * two up to GS_OPTION_LISTS_MAX. All pointers are of device memory. */
cudaError_t gs_engine_sort_gpu(enum gs_lists_merge merge, uint32_t lists, const uint32_t *in,
                               uint32_t *out, uint32_t n, struct gs_engine_report *report,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

/* page_launchers.h -- functions that launch the kernels of levels without a count, file by file.
 * SPDX-License-Identifier: MIT
 *
 * Like those of gpu_launchers.h: each queues work on a stream and returns whether that could be
 * queued. Pointers to keys point to device memory.
 */
#ifndef GS_PAGE_LAUNCHERS_H
#define GS_PAGE_LAUNCHERS_H

#include "sort/device/kernels/gpu_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/* plan_pages_gpu.cu: level 1 without a count. begin_pages, before the scatter, gives each of up to
 * `bins` bins its first page; equality bins get none. Or it forbids the scatter, by the outcome
 * GS_GPU_SORTED if the sample was in order, or GS_GPU_UNCOUNTED if there are more bins, or if
 * values repeat and keys are not uneven. plan_pages, after the scatter, reports that outcome, or
 * GS_GPU_UNCOUNTED if a bin ran out of room, so that keys are missing. With UNCOUNTED all n keys
 * are a slot of level 1, and the lists are empty. Otherwise the bins are slots of `level`, which is
 * 1 if they are to be split first. */
cudaError_t gs_begin_pages_gpu(const struct gs_gpu_work *work, uint32_t bins, cudaStream_t stream);
cudaError_t gs_plan_pages_gpu(const struct gs_gpu_work *work, uint64_t n, unsigned level,
                              uint32_t sequence, cudaStream_t stream);

/* wide/bound_ends_gpu.cu: in between, for wider keys: find the least and the largest of the n keys,
 * among those that the scatter has moved to `out`: other bins than the first and the last have
 * splitters for bounds. Also clears the counters of all digits that there may be. */
cudaError_t gs_bound_ends_gpu(const struct gs_gpu_work *work, const gs_key *out, uint64_t n,
                              unsigned processors, cudaStream_t stream);

/* scatter_pages_gpu.cu: scatter to `bins` wanted bins, at most `most` with equality bins, in
 * work->pages, which are in `out` and its spare memory; each bin has its first page. For many keys.
 */
cudaError_t gs_scatter_pages_gpu(const struct gs_gpu_work *work, const gs_key *in, gs_key *out,
                                 uint64_t n, uint32_t bins, uint32_t most, unsigned processors,
                                 cudaStream_t stream);

/* split_pages_gpu.cu: split the slots of level 1, which lie in work->pages of `in`, by their digits
 * into work->split in `out`; each digit that has keys becomes a slot of level 2. Cannot fail, as
 * the tables are sized for the most digits and keys that there can be. */
cudaError_t gs_split_pages_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                               uint64_t n, uint32_t slots, uint32_t tiles,
                               enum gs_gpu_digits digits, cudaStream_t stream);

/* rooms_gpu.cu: digits that need no count. choose_rooms samples each slot of level 2, and gives
 * rooms in `out` to the digits of those whose keys are evenly spread. After the scatter, plan_rooms
 * makes jobs of these digits. Slots without rooms, or with an overflowed one, become slots of level
 * 3: their keys are still where they were. */
cudaError_t gs_choose_rooms_gpu(const struct gs_gpu_work *work, const uint32_t *keys,
                                const uint32_t *out, uint64_t n, uint32_t slots,
                                cudaStream_t stream);
cudaError_t gs_plan_rooms_gpu(const struct gs_gpu_work *work, uint32_t slots, cudaStream_t stream);

/* scatter_rooms_gpu.cu: scatter to their rooms the digits of level 2 that have any; counters must
 * be zero. */
cudaError_t gs_scatter_rooms_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                                 uint32_t slots, uint32_t tiles, cudaStream_t stream);

/* sort_narrow_gpu.cu: sort jobs of 16-bit keys, from b to a. */
cudaError_t gs_sort_narrow_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                               uint32_t jobs, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

/* gpu_launchers.h -- launch the kernels of the GPU sample sort, file by file.
 * SPDX-License-Identifier: MIT
 *
 * Each queues work on a stream, and returns whether that could be queued. Pointers to keys are of
 * device memory.
 */
#ifndef GS_GPU_LAUNCHERS_H
#define GS_GPU_LAUNCHERS_H

#include "sort/gpu_sort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* select_samples_gpu.cu: draw, then (the samples being sorted) choose splitters for `bins` bins of
 * n keys, up to `most` if values are few, or, if bins need no count, for `uncounted`; that also
 * sets work->state to its begin. */
cudaError_t gs_select_samples_gpu(const struct gs_gpu_work *work, const uint32_t *keys, uint64_t n,
                                  uint32_t samples, cudaStream_t stream);
cudaError_t gs_choose_splitters_gpu(const struct gs_gpu_work *work, uint64_t n, uint32_t samples,
                                    uint32_t bins, uint32_t most, uint32_t uncounted,
                                    cudaStream_t stream);

/* build_tables_gpu.cu: make the tables for splitters that are already in work->tables. */
cudaError_t gs_build_tables_gpu(const struct gs_gpu_work *work, uint32_t bins, cudaStream_t stream);

/* count_bins_gpu.cu: level 1, and the digits of a level's slots; bounds of slots. */
cudaError_t gs_count_bins_gpu(const struct gs_gpu_work *work, const uint32_t *keys, uint64_t n,
                              uint32_t bins, unsigned processors, cudaStream_t stream);
cudaError_t gs_count_digits_gpu(const struct gs_gpu_work *work, unsigned level,
                                const uint32_t *keys, uint32_t slots, uint32_t tiles,
                                enum gs_gpu_digits digits, cudaStream_t stream);
cudaError_t gs_find_bounds_gpu(const struct gs_gpu_work *work, unsigned level, const uint32_t *keys,
                               uint32_t slots, uint32_t tiles, cudaStream_t stream);

/* heavy_keys_gpu.cu: find values that fill much of a slot. */
cudaError_t gs_find_heavy_gpu(const struct gs_gpu_work *work, unsigned level, const uint32_t *keys,
                              uint32_t slots, enum gs_gpu_digits digits, cudaStream_t stream);

/* map_digits_gpu.cu: where keys are uneven, the maps of the slots of level 2, or of level 1 if they
 * are to be split. */
cudaError_t gs_map_digits_gpu(const struct gs_gpu_work *work, unsigned level, const uint32_t *keys,
                              uint32_t slots, enum gs_gpu_digits digits, cudaStream_t stream);

/* count_values_gpu.cu: slots of few values, not in pages, from the buffer of their level (of level
 * 1, a): count them, which says slot.values, and then (write_values_gpu.cu) write their runs to a.
 * tiles: of all slots, as of the level's report. */
cudaError_t gs_count_values_gpu(const struct gs_gpu_work *work, unsigned level, uint32_t *a,
                                uint32_t *b, uint32_t slots, uint32_t tiles, unsigned processors,
                                cudaStream_t stream);
cudaError_t gs_write_values_gpu(const struct gs_gpu_work *work, unsigned level, uint32_t *a,
                                const uint32_t *b, uint32_t slots, uint32_t tiles,
                                unsigned processors, cudaStream_t stream);

/* prefix_sum_gpu.cu: counts to places, and lists of what is to be done with the bins. sequence is
 * that of the report which ends a level; plan_bins ends level 1. */
cudaError_t gs_plan_bins_gpu(const struct gs_gpu_work *work, uint32_t sequence,
                             cudaStream_t stream);
/* The same without counts: before the scatter to pages, and behind it. The first one gives each of
 * up to `bins` bins its first page, and no other, but equality bins none; or it forbids that
 * scatter: the outcome is GS_GPU_SORTED where the sample was in order, GS_GPU_UNCOUNTED where there
 * are more bins, or where values repeat and keys are not uneven. The second one reports that, or
 * GS_GPU_UNCOUNTED if a bin had no room: then keys are missing. The lists are empty then, but all n
 * keys are a slot, of level 1. Else bins are slots of `level`: of level 1, if they are to be split
 * first. */
cudaError_t gs_begin_pages_gpu(const struct gs_gpu_work *work, uint32_t bins, cudaStream_t stream);
cudaError_t gs_plan_pages_gpu(const struct gs_gpu_work *work, uint64_t n, unsigned level,
                              uint32_t sequence, cudaStream_t stream);
cudaError_t gs_plan_digits_gpu(const struct gs_gpu_work *work, unsigned level, uint32_t slots,
                               cudaStream_t stream);
cudaError_t gs_plan_level_gpu(const struct gs_gpu_work *work, unsigned level, uint32_t sequence,
                              cudaStream_t stream);

/* split_pages_gpu.cu: slots of level 1, in work->pages of `in`, by their digits to work->split in
 * `out`; each digit that has keys becomes a slot of level 2. Not more digits or keys than the
 * tables have been made for, so it cannot fail. */
cudaError_t gs_split_pages_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                               uint64_t n, uint32_t slots, uint32_t tiles,
                               enum gs_gpu_digits digits, cudaStream_t stream);

/* rooms_gpu.cu: digits that need no count. choose_rooms gives rooms in `out` to slots of level 2
 * whose keys are spread evenly, as a sample of them says; behind the scatter plan_rooms makes jobs
 * of their digits, and slots of level 3 of the others, whose keys are still where they were. */
cudaError_t gs_choose_rooms_gpu(const struct gs_gpu_work *work, const uint32_t *keys,
                                const uint32_t *out, uint64_t n, uint32_t slots,
                                cudaStream_t stream);
cudaError_t gs_plan_rooms_gpu(const struct gs_gpu_work *work, uint32_t slots, cudaStream_t stream);

/* place_runs_gpu.cu: the counts of a chunk become cursors, for a scatter inside it, and starts[0 ..
 * bins], and are zero again. (As plan_bins and begin_pages do, it lets the scatter begin anew.) */
cudaError_t gs_place_runs_gpu(const struct gs_gpu_work *work, uint32_t *starts,
                              cudaStream_t stream);

/* scatter_gpu.cu: to `bins` bins as wanted; equality bins among them there are `most`, 2 * bins if
 * nobody knows. The counters of the digits that the level's plan has found become zero. */
cudaError_t gs_scatter_bins_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                                uint64_t n, uint32_t bins, uint32_t most, unsigned processors,
                                cudaStream_t stream);
/* To work->pages, of which each bin has its first, in `out` and its spare memory. For many keys. */
cudaError_t gs_scatter_pages_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                                 uint64_t n, uint32_t bins, uint32_t most, unsigned processors,
                                 cudaStream_t stream);
cudaError_t gs_scatter_digits_gpu(const struct gs_gpu_work *work, unsigned level,
                                  const uint32_t *in, uint32_t *out, uint64_t most, uint32_t slots,
                                  uint32_t tiles, enum gs_gpu_digits digits, cudaStream_t stream);

/* Digits of level 2 that have rooms, to there; counters must be zero. */
cudaError_t gs_scatter_rooms_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                                 uint32_t slots, uint32_t tiles, cudaStream_t stream);

/* sort_few_gpu.cu: keys[0 .. n), using spare[0 .. n). Right for any n below 2^31, and meant for up
 * to GS_GPU_FEW_KEYS. */
cudaError_t gs_sort_few_gpu(uint32_t *keys, uint32_t *spare, uint32_t n, cudaStream_t stream);

/* sort_bins_gpu.cu: jobs of each size, of keys that are uneven or not, and runs of equal keys. */
cudaError_t gs_sort_bins_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                             uint32_t small_jobs, uint32_t medium_jobs, uint32_t fills, bool uneven,
                             cudaStream_t stream);
/* Small jobs and runs, as many as the device's lists have by then, `most` at most: no need to wait
 * for that; and, queued right behind, medium jobs. */
cudaError_t gs_sort_listed_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                               uint32_t most, cudaStream_t stream);
cudaError_t gs_sort_medium_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                               uint32_t medium_jobs, cudaStream_t stream);

/* sort_narrow_gpu.cu: jobs of 16-bit keys, from b to a. */
cudaError_t gs_sort_narrow_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                               uint32_t jobs, cudaStream_t stream);

/* fill_bins_gpu.cu: runs of equal keys, the whole in reverse. */
cudaError_t gs_fill_bins_gpu(const struct gs_gpu_work *work, uint32_t *a, uint32_t fills,
                             cudaStream_t stream);
cudaError_t gs_reverse_gpu(uint32_t *keys, uint64_t n, unsigned processors, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

/* gpu_launchers.h -- functions that launch the kernels of the GPU sample sort, file by file.
 * SPDX-License-Identifier: MIT
 *
 * Each queues work on a stream and returns whether that could be queued. Pointers to keys point to
 * device memory.
 */
#ifndef GS_GPU_LAUNCHERS_H
#define GS_GPU_LAUNCHERS_H

#include "sort/device/kernels/gpu_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/* select_samples_gpu.cu: draw the sample; then, once it is sorted, choose splitters for n keys: for
 * `bins` bins, for up to `most` if values are few, or for `uncounted` if level 1 needs no count.
 * choose_splitters also initializes work->state; for wider keys, it reports what the sample tells,
 * as report->sample of that number; 0: nobody asks. */
cudaError_t gs_select_samples_gpu(const struct gs_gpu_work *work, const gs_key *keys, uint64_t n,
                                  uint32_t samples, cudaStream_t stream);
cudaError_t gs_choose_splitters_gpu(const struct gs_gpu_work *work, uint64_t n, uint32_t samples,
                                    uint32_t bins, uint32_t most, uint32_t uncounted,
                                    uint32_t sequence, cudaStream_t stream);

/* build_tables_gpu.cu: build the tables from splitters that are already in work->tables. */
cudaError_t gs_build_tables_gpu(const struct gs_gpu_work *work, uint32_t bins, cudaStream_t stream);

/* count_bins_gpu.cu: count level 1's bins, unless the outcome is GS_GPU_PAGED; count the digits of
 * a level's slots, and find the least and largest keys of slots. Of wider keys, slots may be 0: all
 * that there are by then, which have at most `tiles`. */
cudaError_t gs_count_bins_gpu(const struct gs_gpu_work *work, const gs_key *keys, uint64_t n,
                              uint32_t bins, unsigned processors, cudaStream_t stream);
cudaError_t gs_count_digits_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *keys,
                                uint32_t slots, uint32_t tiles, enum gs_gpu_digits digits,
                                cudaStream_t stream);
cudaError_t gs_find_bounds_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *keys,
                               uint32_t slots, uint32_t tiles, cudaStream_t stream);

/* u32/heavy_keys_gpu.cu: find values that make up much of a slot of 32-bit keys. */
cudaError_t gs_find_heavy_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *keys,
                              uint32_t slots, enum gs_gpu_digits digits, cudaStream_t stream);

/* u32/map_digits_gpu.cu: if keys are uneven, build the maps of the slots of level 2, or of those of
 * level 1 that are to be split. For wider keys, wide/split_slots_gpu.cu: give uneven slots of any
 * level splitters. */
cudaError_t gs_map_digits_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *keys,
                              uint32_t slots, enum gs_gpu_digits digits, cudaStream_t stream);

/* count_values_gpu.cu: slots of few values, not in pages, in the buffer of their level (for level
 * 1, a). count_values counts their values and sets slot.values; write_values (write_values_gpu.cu)
 * then writes their runs to a. tiles: of all slots, from the level's report. */
cudaError_t gs_count_values_gpu(const struct gs_gpu_work *work, unsigned level, gs_key *a,
                                gs_key *b, uint32_t slots, uint32_t tiles, unsigned processors,
                                cudaStream_t stream);
cudaError_t gs_write_values_gpu(const struct gs_gpu_work *work, unsigned level, gs_key *a,
                                const gs_key *b, uint32_t slots, uint32_t tiles,
                                unsigned processors, cudaStream_t stream);

/* prefix_sum_gpu.cu: turn counts into positions, and list what is to be done with each bin.
 * sequence numbers the report that ends a level; plan_bins ends level 1. */
cudaError_t gs_plan_bins_gpu(const struct gs_gpu_work *work, uint32_t sequence,
                             cudaStream_t stream);
cudaError_t gs_plan_digits_gpu(const struct gs_gpu_work *work, unsigned level, uint32_t slots,
                               cudaStream_t stream);
cudaError_t gs_plan_level_gpu(const struct gs_gpu_work *work, unsigned level, uint32_t sequence,
                              cudaStream_t stream);

/* place_runs_gpu.cu: turn the counts of a chunk into cursors, for a scatter inside the chunk, and
 * into starts[0 .. bins]; then clear them. (Like plan_bins and begin_pages, it resets the scatter's
 * count of tiles.) */
cudaError_t gs_place_runs_gpu(const struct gs_gpu_work *work, uint32_t *starts,
                              cudaStream_t stream);

/* scatter_gpu.cu: scatter to `bins` wanted bins, at most `most` with equality bins (2 * bins if
 * that is unknown). Also clears the counters of the digits that the level's plan has found. */
cudaError_t gs_scatter_bins_gpu(const struct gs_gpu_work *work, const gs_key *in, gs_key *out,
                                uint64_t n, uint32_t bins, uint32_t most, unsigned processors,
                                cudaStream_t stream);
cudaError_t gs_scatter_digits_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *in,
                                  gs_key *out, uint64_t most, uint32_t slots, uint32_t tiles,
                                  enum gs_gpu_digits digits, cudaStream_t stream);

/* sort_few_gpu.cu: sort keys[0 .. n), using spare[0 .. n). Correct for any n below 2^31, meant for
 * up to GS_GPU_FEW_KEYS. */
cudaError_t gs_sort_few_gpu(gs_key *keys, gs_key *spare, uint32_t n, cudaStream_t stream);

/* sort_bins_gpu.cu: sort the jobs of either size, whose keys may be uneven, and write runs of equal
 * keys. */
cudaError_t gs_sort_bins_gpu(const struct gs_gpu_work *work, gs_key *a, const gs_key *b,
                             uint32_t small_jobs, uint32_t medium_jobs, uint32_t fills, bool uneven,
                             cudaStream_t stream);
/* sort_listed: the small jobs and runs that are on the device's lists by the time it runs, at most
 * `most`, so that the host need not wait to learn their number. sort_medium, queued right after it:
 * the medium jobs; or as many as the lists say, at most medium_jobs, if the host is not told. */
cudaError_t gs_sort_listed_gpu(const struct gs_gpu_work *work, gs_key *a, const gs_key *b,
                               uint32_t most, cudaStream_t stream);
cudaError_t gs_sort_medium_gpu(const struct gs_gpu_work *work, gs_key *a, const gs_key *b,
                               uint32_t medium_jobs, cudaStream_t stream);

/* merge_slots_gpu.cu: sort the slots of level 3, of at most `most` keys, where level 2 left them in
 * `keys`, whatever their number. */
cudaError_t gs_merge_slots_gpu(const struct gs_gpu_work *work, gs_key *keys, gs_key *other,
                               uint64_t most, unsigned processors, cudaStream_t stream);

/* fill_bins_gpu.cu: write runs of equal keys; or all keys, if they are in order or in reverse. */
cudaError_t gs_fill_bins_gpu(const struct gs_gpu_work *work, gs_key *a, uint32_t fills,
                             cudaStream_t stream);
cudaError_t gs_write_ordered_gpu(const struct gs_gpu_work *work, const gs_key *source, gs_key *keys,
                                 uint64_t n, unsigned processors, cudaStream_t stream);

/* look_at_keys_gpu.cu: add to *look, in device memory, what these keys come to. */
struct gs_gpu_look {
    unsigned long long fingerprint; /* as gs_fingerprint has it */
    unsigned long long falls;       /* keys that are less than the one before them */
};
cudaError_t gs_look_at_keys_gpu(const gs_key *keys, uint64_t n, struct gs_gpu_look *look,
                                unsigned processors, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif

/* device_levels.h -- the levels of the sort of keys in device memory, each with a report.
 * SPDX-License-Identifier: MIT
 *
 * Internal: callers of the sort use device_sort.h.
 *
 * After each level the host must know how many slots, tiles and jobs there are. The device writes
 * that to pinned memory before the level's scatter, and the host reads it while the scatter runs.
 * So grids are exact, no kernel is launched in vain, and only at small n does the device wait for
 * the host.
 */
#ifndef GS_DEVICE_LEVELS_H
#define GS_DEVICE_LEVELS_H

#include "sort/device/device_sorter.h"

/* The keys as level 1 finds them; and queue a copy to where they are sorted, if that is not there.
 */
static inline const gs_key *gs_device_source(const struct gs_device_sorter *sorter,
                                             const gs_key *keys)
{
    return sorter->source != NULL ? sorter->source : keys;
}
cudaError_t gs_device_copy_source(const struct gs_device_sorter *sorter, gs_key *keys, uint64_t n);

/* Queue the sort of the sample, and the choice of splitters for `first_bins` bins of level 1 where
 * no count is needed, else for `bins`, or for up to `most` if values are few. pages: there is room
 * for these; wider keys are counted only if the sample tells so, which it then reports. */
cudaError_t gs_device_choose_splitters(struct gs_device_sorter *sorter, uint64_t n,
                                       uint32_t samples, uint32_t bins, uint32_t most,
                                       uint32_t first_bins, bool pages);

/* Wait until the device has written the most recently requested report, and copy it. */
cudaError_t gs_device_await_report(struct gs_device_sorter *sorter, struct gs_gpu_report *report);

/* Wait for what the sample of wider keys tells while the device still prepares its splitters:
 * GS_GPU_SAMPLE_*. */
cudaError_t gs_device_await_sample(const struct gs_device_sorter *sorter, uint32_t *tells);

/* Queue the end of a level's plan and the level's report. */
cudaError_t gs_device_plan_level(struct gs_device_sorter *sorter, unsigned next_level);

/* How the slots of a level find the digits of their keys. */
enum gs_gpu_digits gs_device_choose_digits(unsigned level, const struct gs_gpu_report *report);

/* Queue the clearing of the counters of the digits in the report. */
cudaError_t gs_device_clear_counters(struct gs_device_sorter *sorter,
                                     const struct gs_gpu_report *report);

/* Count the values of the slots of `level` that have few and are not in pages, write their runs,
 * and queue a report of what is left. */
cudaError_t gs_device_count_values(struct gs_device_sorter *sorter, unsigned level, gs_key *keys,
                                   gs_key *other, const struct gs_gpu_report *report);

/* Level 1 from its counts on, and all that follows. most: bins, including equality bins. */
enum gs_status gs_device_sort_from_counts(struct gs_device_sorter *sorter, gs_key *keys,
                                          gs_key *other, uint64_t n, uint32_t bins, uint32_t most,
                                          struct gs_device_stats *stats, struct gs_error *err);

/* What has been done for the levels from here on: some slots of level 2 have gone to rooms in
 * `other`, and the slots of level 3 are those without rooms, or with an overflowed one; or the
 * digits of level 2 have been counted. */
enum gs_device_ahead { GS_DEVICE_NOTHING, GS_DEVICE_ROOMS, GS_DEVICE_COUNTS };

/* Run further levels on the slots of `level`, by their digits, to and fro between the buffers; then
 * sort the bins. No slot has more than `most` keys. The counters of level 2's digits, if they are
 * not counted yet, must be zero, as a counted level 1 leaves them. */
enum gs_status gs_device_sort_slots(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                    uint64_t most, unsigned level, enum gs_device_ahead ahead,
                                    struct gs_gpu_report *report, struct gs_device_stats *stats,
                                    struct gs_error *err);

#endif

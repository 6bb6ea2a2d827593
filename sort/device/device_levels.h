/* device_levels.h -- functions that the parts of the sort of keys in device memory share.
 * SPDX-License-Identifier: MIT
 *
 * Internal: callers of the sort use device_sort.h.
 */
#ifndef GS_DEVICE_LEVELS_H
#define GS_DEVICE_LEVELS_H

#include "sort/device/device_sort.h"

/* device_times_gpu.c */

/* Forget all marks and their errors, as a sort begins. */
void gs_device_clear_marks(struct gs_device_sorter *sorter);

/* Mark the end of a stage: the time since the previous mark belongs to `stage`. A failure is
 * reported by gs_device_take_times, at the end of the sort. */
void gs_device_mark(struct gs_device_sorter *sorter, enum gs_device_stage stage);

/* Add the times between all marks to stats. Waits for the device. */
cudaError_t gs_device_take_times(struct gs_device_sorter *sorter, struct gs_device_stats *stats);

/* device_sort_gpu.c */

/* Wait until the device has written the most recently requested report, and copy it. */
cudaError_t gs_device_await_report(struct gs_device_sorter *sorter, struct gs_gpu_report *report);

/* Queue the end of a level's plan and the level's report. */
cudaError_t gs_device_plan_level(struct gs_device_sorter *sorter, unsigned next_level);

/* How the slots of a level find the digits of their keys. */
enum gs_gpu_digits gs_device_choose_digits(unsigned level, const struct gs_gpu_report *report);

/* Queue the clearing of the counters of the digits in the report. */
cudaError_t gs_device_clear_counters(struct gs_device_sorter *sorter,
                                     const struct gs_gpu_report *report);

/* Run further levels on the slots of `level`, by their digits, to and fro between the buffers; then
 * sort the bins. rooms: some slots of level 2 have gone to rooms in `other`; the slots of level 3
 * are those without rooms, or with an overflowed one. No slot has more than `most` keys. The
 * counters of level 2's digits must be zero, as a counted level 1 leaves them. */
enum gs_status gs_device_sort_slots(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                    uint64_t most, unsigned level, bool rooms,
                                    struct gs_gpu_report *report, struct gs_device_stats *stats,
                                    struct gs_error *err);

/* device_pages_gpu.c */

/* Tell whether slots may be split once more: whether the keys are neither nearly in order nor
 * nearly in reverse. Waits for the sample. */
cudaError_t gs_device_look_disordered(const struct gs_device_sorter *sorter, uint32_t samples,
                                      bool *disordered);

/* Level 1 without a count. *done is false if the device finds that these keys do not suit it, or if
 * a bin was too large: `keys` are as they were then. Otherwise the bins are slots of level 2, or
 * with `split` of level 1, to be split first. */
enum gs_status gs_device_scatter_pages(struct gs_device_sorter *sorter, const gs_key *keys,
                                       gs_key *other, uint64_t n, uint32_t bins, bool split,
                                       struct gs_gpu_report *report, bool *done,
                                       struct gs_error *err);

/* Continue from the slots of level 1, which are in pages in `other`. If level 2 needs no count, the
 * result stays in `other`; may_swap allows that. */
enum gs_status gs_device_sort_pages(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                    uint64_t n, struct gs_gpu_report *report,
                                    struct gs_device_stats *stats, bool may_swap,
                                    struct gs_error *err);

/* The same, but split the slots first, into pages in `keys`. If level 2 needs a count, the result
 * is in `other`, or with may_swap == false copied to `keys`. */
enum gs_status gs_device_split_pages(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                     uint64_t n, struct gs_gpu_report *report,
                                     struct gs_device_stats *stats, bool may_swap,
                                     struct gs_error *err);

#endif

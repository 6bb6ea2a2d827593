/* device_levels.h -- what the parts of the sort of keys in device memory do for each other.
 * SPDX-License-Identifier: MIT
 *
 * Not for its callers: theirs is device_sort.h.
 */
#ifndef GS_DEVICE_LEVELS_H
#define GS_DEVICE_LEVELS_H

#include "sort/device_sort.h"

/* device_times_gpu.c */

/* No marks, and nothing that went wrong, as a sort begins. */
void gs_device_clear_marks(struct gs_device_sorter *sorter);

/* The time from the mark before up to this one belongs to `stage`. What goes wrong is told when
 * times are taken, at the end of the sort. */
void gs_device_mark(struct gs_device_sorter *sorter, enum gs_device_stage stage);

/* Add the times between all marks to stats. Waits for the device. */
cudaError_t gs_device_take_times(struct gs_device_sorter *sorter, struct gs_device_stats *stats);

/* device_sort_gpu.c */

/* Wait until the device has written the report asked for last. */
cudaError_t gs_device_await_report(struct gs_device_sorter *sorter, struct gs_gpu_report *report);

/* Queue the end of a level's plan, and the level's report. */
cudaError_t gs_device_plan_level(struct gs_device_sorter *sorter, unsigned next_level);

/* How the slots of a level find the digits of their keys. */
enum gs_gpu_digits gs_device_choose_digits(unsigned level, const struct gs_gpu_report *report);

/* Queue zeros for the counters of the digits that the report tells of. */
cudaError_t gs_device_clear_counters(struct gs_device_sorter *sorter,
                                     const struct gs_gpu_report *report);

/* Further levels for the slots of `level`: by their digits, to and fro. Then the bins. rooms: of
 * level 2 some have gone to rooms in `other`, and the slots of level 3 are those that have not.
 * No slot has more than `most` keys. The counters of level 2's digits must be zero, as a counted
 * level 1 leaves them. */
enum gs_status gs_device_sort_slots(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                    uint64_t most, unsigned level, bool rooms,
                                    struct gs_gpu_report *report, struct gs_device_stats *stats,
                                    struct gs_error *err);

/* device_pages_gpu.c */

/* What must be so that slots are split once more: are the keys neither nearly in order, nor in
 * reverse? Waits for the sample. */
cudaError_t gs_device_look_disordered(const struct gs_device_sorter *sorter, uint32_t samples,
                                      bool *disordered);

/* Level 1 without its count. *done is false if these keys are not for that, as the device finds, or
 * if a bin was too large: nothing has happened then. Else the bins are slots: of level 2, or to be
 * split first. */
enum gs_status gs_device_scatter_pages(struct gs_device_sorter *sorter, const gs_key *keys,
                                       gs_key *other, uint64_t n, uint32_t bins, bool split,
                                       struct gs_gpu_report *report, bool *done,
                                       struct gs_error *err);

/* From the slots of level 1, which are in pages in `other`, on. If level 2 needs no count, the
 * result is left there. */
enum gs_status gs_device_sort_pages(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                    uint64_t n, struct gs_gpu_report *report,
                                    struct gs_device_stats *stats, bool may_swap,
                                    struct gs_error *err);

/* The same, but split the slots first: into pages in `keys`. If level 2 needs a count, the result
 * is in `other`. */
enum gs_status gs_device_split_pages(struct gs_device_sorter *sorter, gs_key *keys, gs_key *other,
                                     uint64_t n, struct gs_gpu_report *report,
                                     struct gs_device_stats *stats, bool may_swap,
                                     struct gs_error *err);

#endif

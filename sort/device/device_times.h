/* device_times.h -- measure by events when each stage of the device sort ran.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DEVICE_TIMES_H
#define GS_DEVICE_TIMES_H

#include "sort/device/device_sorter.h"

/* Forget all marks and their errors, as a sort begins. */
void gs_device_clear_marks(struct gs_device_sorter *sorter);

/* Mark the end of a stage: the time since the previous mark belongs to `stage`. A failure is
 * reported by gs_device_take_times, at the end of the sort. */
void gs_device_mark(struct gs_device_sorter *sorter, enum gs_device_stage stage);

/* Add the times between all marks to stats. Waits for the device. */
cudaError_t gs_device_take_times(struct gs_device_sorter *sorter, struct gs_device_stats *stats);

#endif

/* spilled_sort.h -- sort inputs that do not fit in memory: the external sort over open files.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SPILLED_SORT_H
#define GS_SPILLED_SORT_H

#include "sort/files/task.h"
#include "common/files/input.h"
#include "common/files/output.h"

/* Sort all inputs, first those mapped or in memory, then those pending, into the output, without
 * publishing it. limit_bytes of memory are for all buffers and the held_bytes of input that are in
 * memory already. If the system refuses so much, less will do. */
enum gs_status gs_spilled_sort(const struct gs_task *task, uint64_t limit_bytes,
                               uint64_t held_bytes, struct gs_inputs *inputs,
                               struct gs_output *output, struct gs_progress *progress,
                               struct gs_stats *stats, struct gs_error *err);

#endif

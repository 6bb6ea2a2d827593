/* combined_sort.h -- sort inputs larger than memory whose equal keys become one, and are many.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COMBINED_SORT_H
#define GS_COMBINED_SORT_H

#include "sort/files/output_sink.h"
#include "sort/files/task.h"

/* As sort_external of struct gs_width, under -u, or what options->own.combine makes one record of
 * each key. */
enum gs_status gs_combined_sort(const struct gs_task *task, const struct gs_external *source,
                                struct gs_output_sink *to, struct gs_progress *progress,
                                struct gs_stats *stats, struct gs_error *err);

#endif

/* combine_early.h -- equal keys that become one do so before they go to temporary files.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COMBINE_EARLY_H
#define GS_COMBINE_EARLY_H

#include "sort/files/output_sink.h"
#include "sort/files/task.h"

/* Sort as sort_external of struct gs_width does; but where options ask for one record of each key,
 * and it pays, others do not go to temporary files, or not for long. */
enum gs_status gs_sort_combining(const struct gs_task *task, const struct gs_external *source,
                                 struct gs_output_sink *to, struct gs_progress *progress,
                                 struct gs_stats *stats, struct gs_error *err);

#endif

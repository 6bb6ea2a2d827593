/* combine_early.h -- equal keys that become one do so before they go to temporary files.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COMBINE_EARLY_H
#define GS_COMBINE_EARLY_H

#include "sort/files/output_sink.h"
#include "sort/files/task.h"

/* If options ask for one record of each key, and a sample says that this pays: sort as
 * sort_external of struct gs_width does, and set *done. */
enum gs_status gs_combine_early(const struct gs_task *task, const struct gs_external *source,
                                struct gs_output_sink *to, struct gs_progress *progress,
                                struct gs_stats *stats, bool *done, struct gs_error *err);

#endif

/* spilled_sort.h -- sort inputs that memory has no room for: the external sort over open files.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SPILLED_SORT_H
#define GS_SPILLED_SORT_H

#include "cli/options.h"
#include "common/input.h"
#include "common/output.h"

/* Sort all inputs into the output, which is not published yet: what is in memory, then what is
 * pending. limit_bytes is for all buffers, with what was read already, held_bytes. */
enum gs_status gs_spilled_sort(const struct gs_command *command, uint64_t limit_bytes,
                               uint64_t held_bytes, struct gs_inputs *inputs,
                               struct gs_output *output, struct gs_progress *progress,
                               struct gs_stats *stats, struct gs_error *err);

#endif

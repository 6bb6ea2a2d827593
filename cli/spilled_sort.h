/* spilled_sort.h -- sort inputs that memory has no room for: the external sort over open files.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SPILLED_SORT_H
#define GS_SPILLED_SORT_H

#include "cli/options.h"
#include "common/input.h"
#include "common/output.h"

/* The inputs as the library wants them, to be freed; those not read yet are empty. *keys is their
 * sum. */
enum gs_status gs_make_spans(const struct gs_inputs *inputs, struct gs_span **spans, uint64_t *keys,
                             struct gs_error *err);

/* Sort all inputs into the output, which is not published yet: what is in memory, then what is
 * pending. limit_bytes is for all buffers, with what was read already, held_bytes. */
enum gs_status gs_spilled_sort(const struct gs_command *command, uint64_t limit_bytes,
                               uint64_t held_bytes, struct gs_inputs *inputs,
                               struct gs_output *output, struct gs_progress *progress,
                               struct gs_stats *stats, struct gs_error *err);

#endif

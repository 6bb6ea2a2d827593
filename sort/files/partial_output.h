/* partial_output.h -- --head and --tail: sort only what the output will have.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PARTIAL_OUTPUT_H
#define GS_PARTIAL_OUTPUT_H

#include "sort/files/task.h"
#include "common/files/input.h"
#include "common/files/output.h"

/* How many of `keys` records of the output are wanted. */
uint64_t gs_wanted_of(const struct gs_options *options, uint64_t keys);

/* Is a partial sort the way for --head or --tail: faster than to sort all of `keys` records, or
 * more if pending, and possible with so much memory? *partial is false if neither is given. Fails
 * where no other way is left, with -u and --tail. */
enum gs_status gs_partial_choose(const struct gs_options *options, uint64_t memory_bytes,
                                 uint64_t keys, bool pending, bool *partial, struct gs_error *err);

/* Read all inputs, sort what may be in the output, and write that. */
enum gs_status gs_partial_output(const struct gs_task *task, struct gs_inputs *inputs,
                                 struct gs_output *output, struct gs_progress *progress,
                                 struct gs_stats *stats, struct gs_error *err);

#endif

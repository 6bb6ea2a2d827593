/* sort.h -- what the command includes: sort, merge and check elements and records.
 * SPDX-License-Identifier: MIT
 *
 * The library never prints and never exits. Counts and positions are in keys, sizes in bytes, times
 * in nanoseconds. The caller owns every buffer it passes. A call that has returned keeps nothing,
 * except a GPU's runtime once it has started, and, with options.own.leave_device, the GPU's buffers
 * and references to the input that filled them: that input must then stay where it is.
 */
#ifndef GS_SORT_H
#define GS_SORT_H

#include "sort/types/calls.h"
#include "sort/types/record_order.h"
#include "sort/types/records_of.h"
#include "sort/types/key_text.h"
#include "sort/types/limits.h"

/* The calls for options->key_bytes: 4 (also for 0), 8 or 16. */
const struct gs_width *gs_width(const struct gs_options *options);

/* Read an output back from byte `start` of fd on and check it against stats: GS_ERR_VERIFY if it is
 * shorter than stats->keys_out, out of order or of another fingerprint, GS_ERR_OUTPUT if it cannot
 * be read. name is used in messages. */
enum gs_status gs_verify_file(const struct gs_options *options, int fd, uint64_t start,
                              struct gs_stats *stats, const char *name, struct gs_error *err);

/* A sort for options->wanted, the first or last records of the output, which keeps no more than a
 * few times as many of what it reads: partial_sort.c. The input comes in pieces, in its order;
 * `add` keeps what it needs of them. When all has come, `finish` sorts that and tells the number of
 * records in the output; `write` hands them to the sink, from position 0 on, and fills *stats.
 * expected: records that will come, or UINT64_MAX if that is not known. If they can be read twice,
 * `guess` looks at some of them, all `keys` of which are in spans, before the first one is added;
 * when that has misled it, `finish` sets *again, and all of them must be added once more. The
 * options must stay. Free in any case. */
struct gs_partial;
enum gs_status gs_partial_new(struct gs_partial **partial, const struct gs_options *options,
                              uint64_t expected, struct gs_error *err);
enum gs_status gs_partial_guess(struct gs_partial *partial, const struct gs_span *spans,
                                uint64_t keys, struct gs_error *err);
enum gs_status gs_partial_add(struct gs_partial *partial, const void *records, uint64_t count,
                              struct gs_error *err);
enum gs_status gs_partial_finish(struct gs_partial *partial, uint64_t *count, bool *again,
                                 struct gs_error *err);
enum gs_status gs_partial_write(struct gs_partial *partial, struct gs_sink *sink,
                                struct gs_stats *stats, struct gs_error *err);
void gs_partial_free(struct gs_partial *partial);

/* Predict that: memory_bytes, which may be UINT64_MAX, and seconds. */
void gs_partial_forecast(const struct gs_options *options, uint64_t expected,
                         struct gs_forecast *forecast);

/* Has a GPU's runtime been started? If so, end by _exit: the runtime's exit handlers take long, and
 * crash if they run while it is still starting. */
bool gs_holds_device(void);

#endif

/* shuffle.h -- records in a random order instead of a sorted one.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SHUFFLE_H
#define GS_SHUFFLE_H

#include "sort/types/calls.h"

/* For options->shuffled: the order depends on the seed and on the number of records, nothing else.
 * What only makes sense of sorted records is NULL. */
extern const struct gs_width gs_width_shuffle;

/* External, as sort_external of struct gs_width, and whether memory is enough for that. */
enum gs_status gs_shuffle_external(const struct gs_options *options,
                                   const struct gs_external *source, struct gs_sink *sink,
                                   struct gs_progress *progress, struct gs_stats *stats,
                                   struct gs_error *err);
enum gs_status gs_shuffle_check_external(const struct gs_options *options, uint64_t memory_bytes,
                                         uint64_t count, struct gs_error *err);

/* What stats say of every shuffle; what `look` sees of it is no order, only which records. */
void gs_shuffle_describe(const struct gs_options *options, struct gs_stats *stats);
gs_look_at gs_shuffle_look;

/* A row of statistics for what took from *start_ns until now. */
void gs_shuffle_note(struct gs_stats *stats, enum gs_stage stage, uint64_t *start_ns, uint64_t keys,
                     uint64_t bytes);

#endif

/* merge.h -- merge keys that are in order already, any number of inputs.
 * SPDX-License-Identifier: MIT
 *
 * All inputs are cut at common keys, found by binary search, into segments that fit in cache. The
 * parts of a segment are contiguous in each input and are merged in cache, pair by pair
 * (merge_runs.h). So one pass over the data suffices for any number of inputs, and threads take
 * segments in turn.
 * [Varman, Scheufler, Iyer, Ricard: Merging multiple lists on hierarchical-memory multiprocessors,
 * 1991, for cutting k lists at common keys.]
 */
#ifndef GS_MERGE_H
#define GS_MERGE_H

#include "sort/types/types.h"

/* Merge all spans into sink. Each must be in the order that options->reverse says; equal keys are
 * allowed. A span out of order is GS_ERR_INPUT, "NAME:INDEX: disorder: KEY", for the first such
 * span. Takes fewer threads to keep buffers below options->memory_bytes (0: no limit). progress may
 * be NULL. */
enum gs_status gs_merge(const struct gs_options *options, const struct gs_span *spans,
                        size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                        struct gs_stats *stats, struct gs_error *err);

/* Estimated seconds that gs_merge takes for count keys. */
double gs_merge_seconds(const struct gs_options *options, uint64_t count);

/* Bytes of buffers that gs_merge will allocate. */
uint64_t gs_merge_memory(const struct gs_options *options, size_t span_count);

#endif

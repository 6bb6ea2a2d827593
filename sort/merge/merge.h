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

#include "sort/run/run.h"
#include "sort/types/forecast.h"

/* Merge all spans into sink. Each must be in the order that options->reverse says; equal keys are
 * allowed. A span out of order is GS_ERR_INPUT, "NAME:INDEX: disorder: KEY", for the first such
 * span. Takes fewer threads to keep buffers below options->memory_bytes (0: no limit). progress may
 * be NULL. */
enum gs_status gs_merge(const struct gs_options *options, const struct gs_span *spans,
                        size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                        struct gs_stats *stats, struct gs_error *err);

/* Predict that, for count keys in all. */
void gs_merge_forecast(const struct gs_options *options, size_t span_count, uint64_t count,
                       struct gs_forecast *forecast);

/* Merge spans as part of a sort, whose input they are: keys, or records of run->tiles.codec. Those
 * of spans that are `backwards` are in the other order. GS_ERR_INPUT if the input changes so that
 * they no longer are. */
enum gs_status gs_merge_ordered(struct gs_run *run, const struct gs_span *spans, size_t span_count,
                                const bool *backwards, struct gs_error *err);

#endif

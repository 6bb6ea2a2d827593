/* record_calls.h -- the calls of the table for records, as struct gs_width has them (calls.h).
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RECORD_CALLS_H
#define GS_RECORD_CALLS_H

#include "sort/tags/tag_sort.h"
#include "sort/types/external_source.h"
#include "sort/types/forecast.h"
#include "sort/types/sift_by.h"

/* In memory: sort_records.c. */
enum gs_status gs_sort_records(const struct gs_options *options, const struct gs_span *spans,
                               size_t span_count, struct gs_sink *sink,
                               struct gs_progress *progress, struct gs_stats *stats,
                               struct gs_error *err);
void gs_sort_records_forecast(const struct gs_options *options, uint64_t count,
                              struct gs_forecast *forecast);

/* The same for a part of the input; NULL: all of it. */
enum gs_status gs_sort_records_part(const struct gs_options *options, struct gs_tag_part *part,
                                    const struct gs_span *spans, size_t span_count,
                                    struct gs_sink *sink, struct gs_progress *progress,
                                    struct gs_stats *stats, struct gs_error *err);

/* More than memory may hold: external_records.c. */
enum gs_status gs_sort_records_external(const struct gs_options *options,
                                        const struct gs_external *source, struct gs_sink *sink,
                                        struct gs_progress *progress, struct gs_stats *stats,
                                        struct gs_error *err);
enum gs_status gs_sort_records_check_external(const struct gs_options *options,
                                              uint64_t memory_bytes, uint64_t count,
                                              struct gs_error *err);

/* Which may be in a part of the output: sift_records.c. */
gs_sift_by gs_records_sift;

/* Sorted inputs: merge_records.c. */
enum gs_status gs_records_merge(const struct gs_options *options, const struct gs_span *spans,
                                size_t span_count, struct gs_sink *sink,
                                struct gs_progress *progress, struct gs_stats *stats,
                                struct gs_error *err);
void gs_records_merge_forecast(const struct gs_options *options, size_t span_count, uint64_t count,
                               struct gs_forecast *forecast);

#endif

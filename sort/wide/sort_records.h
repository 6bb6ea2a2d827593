/* sort_records.h -- sort records in memory: choose how wide their tags are.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SORT_RECORDS_H
#define GS_SORT_RECORDS_H

#include "sort/tags/number.h"

/* As the calls of struct gs_width (sort/types/calls.h). */
enum gs_status gs_sort_records(const struct gs_options *options, const struct gs_span *spans,
                               size_t span_count, struct gs_sink *sink,
                               struct gs_progress *progress, struct gs_stats *stats,
                               struct gs_error *err);
void gs_sort_records_forecast(const struct gs_options *options, uint64_t count,
                              struct gs_stats *stats, double *seconds);
uint64_t gs_sort_records_memory(const struct gs_options *options, uint64_t count);

/* The same for a part of the input. */
enum gs_status gs_sort_records_part(const struct gs_options *options, struct gs_numbers_way numbers,
                                    const struct gs_span *spans, size_t span_count,
                                    struct gs_sink *sink, struct gs_progress *progress,
                                    struct gs_stats *stats, struct gs_error *err);

#endif

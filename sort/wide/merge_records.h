/* merge_records.h -- merge inputs of sorted records.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MERGE_RECORDS_H
#define GS_MERGE_RECORDS_H

#include "sort/types/types.h"

/* As merge, merge_seconds and merge_memory of struct gs_width (sort/types/calls.h). */
enum gs_status gs_records_merge(const struct gs_options *options, const struct gs_span *spans,
                                size_t span_count, struct gs_sink *sink,
                                struct gs_progress *progress, struct gs_stats *stats,
                                struct gs_error *err);
double gs_records_merge_seconds(const struct gs_options *options, uint64_t count);
uint64_t gs_records_merge_memory(const struct gs_options *options, size_t span_count);

#endif

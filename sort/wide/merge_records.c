/* merge_records.c -- merge inputs of sorted records.
 * SPDX-License-Identifier: MIT
 */
#include "sort/wide/merge_records.h"

enum gs_status gs_records_merge(const struct gs_options *options, const struct gs_span *spans,
                                size_t span_count, struct gs_sink *sink,
                                struct gs_progress *progress, struct gs_stats *stats,
                                struct gs_error *err)
{
    (void)options, (void)spans, (void)span_count, (void)sink, (void)progress, (void)stats;
    return gs_fail(err, GS_ERR_USAGE, 0, "-m: records of this size are not merged yet");
}

double gs_records_merge_seconds(const struct gs_options *options, uint64_t count)
{
    return (double)count * gs_record_bytes(options) / 1e9;
}

uint64_t gs_records_merge_memory(const struct gs_options *options, size_t span_count)
{
    (void)options, (void)span_count;
    return 0;
}

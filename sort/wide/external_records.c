/* external_records.c -- sort more records than memory may hold, through temporary files.
 * SPDX-License-Identifier: MIT
 */
#include "sort/wide/external_records.h"
#include "sort/wide/sort_records.h"

enum gs_status gs_sort_records_external(const struct gs_options *options,
                                        const struct gs_external *source, struct gs_sink *sink,
                                        struct gs_progress *progress, struct gs_stats *stats,
                                        struct gs_error *err)
{
    (void)options, (void)source, (void)sink, (void)progress, (void)stats;
    return gs_fail(err, GS_ERR_MEMORY, 0,
                   "-S: records of this size are sorted in memory only, so far");
}

bool gs_sort_records_external_needed(const struct gs_options *options, uint64_t memory_bytes,
                                     uint64_t held_bytes, uint64_t count)
{
    uint64_t sum;
    return memory_bytes > 0 &&
           (__builtin_add_overflow(gs_sort_records_memory(options, count), held_bytes, &sum) ||
            sum > memory_bytes);
}

double gs_sort_records_external_seconds(uint64_t count)
{
    return (double)count * 1e-7;
}

/* external_records.h -- sort more records than memory may hold, through temporary files.
 * SPDX-License-Identifier: MIT
 *
 * Chunks as large as memory are sorted and written to temporary files as runs, and those are
 * merged: every record is read twice and written twice, in order.
 */
#ifndef GS_EXTERNAL_RECORDS_H
#define GS_EXTERNAL_RECORDS_H

#include "sort/types/external_source.h"

/* As sort_external, external_needed and external_seconds of struct gs_width
 * (sort/types/calls.h). */
enum gs_status gs_sort_records_external(const struct gs_options *options,
                                        const struct gs_external *source, struct gs_sink *sink,
                                        struct gs_progress *progress, struct gs_stats *stats,
                                        struct gs_error *err);
bool gs_sort_records_external_needed(const struct gs_options *options, uint64_t memory_bytes,
                                     uint64_t held_bytes, uint64_t count);
double gs_sort_records_external_seconds(uint64_t count);

#endif

/* short_records.h -- sort records of one or two bytes by counting how often each value occurs.
 * SPDX-License-Identifier: MIT
 *
 * They may come in parts that do not stay: no matter how many there are, this takes little memory.
 */
#ifndef GS_SHORT_RECORDS_H
#define GS_SHORT_RECORDS_H

#include "sort/run/run.h"
#include "sort/types/external_source.h"

/* Sort what the source has; run->plan.count becomes their number. */
enum gs_status gs_sort_short_records(struct gs_run *run, const struct gs_external *source,
                                     struct gs_error *err);

/* The same as gs_sort_external does it (sort/external/external.h), without temporary files. */
enum gs_status gs_sort_short_source(const struct gs_options *options,
                                    const struct gs_external *source, struct gs_sink *sink,
                                    struct gs_progress *progress, struct gs_stats *stats,
                                    struct gs_error *err);

#endif

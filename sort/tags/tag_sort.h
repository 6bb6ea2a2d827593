/* tag_sort.h -- sort records in memory by tags: these are sorted, then the records gathered.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TAG_SORT_H
#define GS_TAG_SORT_H

#include "sort/tags/part.h"
#include "sort/types/types.h"

/* The sort by tags of 64 or 128 bits. */
struct gs_tag_sort {
    /* As sort of struct gs_width (sort/types/calls.h), for a part, or if NULL for all of the input.
     * *refused: tags of 64 bits tell too few records apart, by a sample, and nothing has been
     * sorted. */
    enum gs_status (*sort)(const struct gs_options *options, struct gs_tag_part *part,
                           const struct gs_span *spans, size_t span_count, struct gs_sink *sink,
                           struct gs_progress *progress, struct gs_stats *stats, bool *refused,
                           struct gs_error *err);
};
extern const struct gs_tag_sort gs_tag_sort_64, gs_tag_sort_128;

/* The sizes of the sort by tags of this width. */
void gs_tag_sort_plan(struct gs_plan *plan, const struct gs_options *options, uint64_t count);

#define GS_TAG_SORT_REASON "most of the time goes into fetching records, which the CPU does"

/* Note what does the work. */
void gs_tag_sort_describe(struct gs_stats *stats);

#endif

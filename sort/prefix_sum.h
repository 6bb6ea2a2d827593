/* prefix_sum.h -- from the counts of the bins to where each bin starts in the output.
 * SPDX-License-Identifier: MIT
 *
 * Of a chunk: from the lengths of the runs to where they start in it. Of all bins, when the last
 * chunk is done: run->offsets[0 .. bins), an exclusive scan of run->counts in the order of the
 * output, from the first bin up, or for a descending sort from the last bin down.
 */
#ifndef GS_PREFIX_SUM_H
#define GS_PREFIX_SUM_H

#include "sort/stages.h"

/* The scan itself: offsets[b] = sum of the counts of all bins before b in output order. */
void gs_prefix_sum_scan(const uint64_t *counts, uint64_t *offsets, uint32_t bins, bool reverse);

enum gs_status gs_prefix_sum_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err);

#endif

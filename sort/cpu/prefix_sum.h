/* prefix_sum.h -- turn the counts of the bins into the place where each bin starts.
 * SPDX-License-Identifier: MIT
 *
 * For a chunk: turn the lengths of its runs into their starts in the chunk. For all bins, when the
 * last chunk is done: run->offsets[0 .. bins) is an exclusive scan of run->counts in output order,
 * from the first bin up, or for a descending sort from the last bin down.
 */
#ifndef GS_PREFIX_SUM_H
#define GS_PREFIX_SUM_H

#include "sort/run/stages.h"

enum gs_status gs_prefix_sum_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err);

/* When all chunks are scattered: fill run->counts and run->offsets. */
void gs_total_bins_cpu(struct gs_run *run);

#endif

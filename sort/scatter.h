/* scatter.h -- move every key to its bin.
 * SPDX-License-Identifier: MIT
 *
 * In: what count_bins left in the thread's scratch memory, and the starts that prefix_sum gave.
 * Out: the chunk in the scattered copy, at the place that it has in the input, its keys ordered by
 * bin and in any order inside one; or in whole lines in the regions of their bins (regions.h). A
 * chunk with keys of equality bins only is not moved: all of a bin is known from its count. Keys of
 * a direct plan are placed by sort_bins.
 */
#ifndef GS_SCATTER_H
#define GS_SCATTER_H

#include "sort/stages.h"

enum gs_status gs_scatter_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                              struct gs_error *err);

#endif

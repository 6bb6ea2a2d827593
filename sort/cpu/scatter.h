/* scatter.h -- move every key to its bin.
 * SPDX-License-Identifier: MIT
 *
 * In: the keys that count_bins left in the thread's scratch memory, and the starts from prefix_sum.
 * Out: the chunk in the scattered copy, at its place in the input, with its keys ordered by bin and
 * in any order within a bin; or, with regions (regions.h), whole lines of keys in the regions of
 * their bins. A chunk that has only keys of equality bins is not moved: the count of such a bin
 * says all.
 */
#ifndef GS_SCATTER_H
#define GS_SCATTER_H

#include "sort/run/stages.h"

enum gs_status gs_scatter_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                              struct gs_error *err);

#endif

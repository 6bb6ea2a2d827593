/* scatter.h -- move every key to its bin.
 * SPDX-License-Identifier: MIT
 *
 * In: the chunk's keys, run->splitters, and the places that prefix_sum gave. Out: the keys of bin b
 * in any order at run->offsets[b]. Keys of equality bins are not moved: all of a bin is known from
 * its count. The input is read a second time here; where it no longer gives the counts, somebody
 * changed it, and that is an error and never a write outside a bin.
 */
#ifndef GS_SCATTER_H
#define GS_SCATTER_H

#include "sort/stages.h"

enum gs_status gs_scatter_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                              struct gs_error *err);

#endif

/* count_bins.h -- how many keys fall into each bin.
 * SPDX-License-Identifier: MIT
 *
 * In: the chunk's keys and run->splitters. Out: the exact length of each bin's run in the chunk
 * (gs_cpu.starts), and in the thread's scratch memory the keys with their bins, for the scatter,
 * which the same thread does next.
 */
#ifndef GS_COUNT_BINS_H
#define GS_COUNT_BINS_H

#include "sort/stages.h"

enum gs_status gs_count_bins_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err);

#endif

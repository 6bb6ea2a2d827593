/* count_bins.h -- how many keys fall into each bin.
 * SPDX-License-Identifier: MIT
 *
 * In: the chunk's keys and run->splitters. Out: the exact length of each bin's run in the chunk, in
 * gs_cpu.starts, or where there are regions (regions.h) in those of the thread; and in the thread's
 * scratch memory the keys, in the rooms of their bins (chunk_rooms.h) or beside their bins'
 * numbers, for the scatter, which the same thread does next. Of a direct plan the bins' numbers
 * alone, in gs_cpu.bins: these keys are read again when all are counted.
 */
#ifndef GS_COUNT_BINS_H
#define GS_COUNT_BINS_H

#include "sort/stages.h"

enum gs_status gs_count_bins_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err);

#endif

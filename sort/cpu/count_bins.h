/* count_bins.h -- find the bin of each key of a chunk, and count the keys of each bin.
 * SPDX-License-Identifier: MIT
 *
 * In: the chunk's keys and run->splitters.
 * Out: the exact length of each bin's run in the chunk, in gs_cpu.starts, or, with regions
 * (regions.h), in the thread's own counts. A copy of the keys stays in the thread's scratch memory,
 * in the rooms of their bins (chunk_rooms.h) or beside their bin numbers, for the scatter, which
 * the same thread does next.
 */
#ifndef GS_COUNT_BINS_H
#define GS_COUNT_BINS_H

#include "sort/run/stages.h"

enum gs_status gs_count_bins_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err);

#endif

/* count_bins.h -- how many keys fall into each bin.
 * SPDX-License-Identifier: MIT
 *
 * In: the chunk's keys and run->splitters. Out: run->counts[0 .. bins), exact. On the CPU also the
 * counts of each part (gs_cpu.part_counts): the scatter must find the same keys in the same part.
 */
#ifndef GS_COUNT_BINS_H
#define GS_COUNT_BINS_H

#include "sort/stages.h"

enum gs_status gs_count_bins_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err);

#endif

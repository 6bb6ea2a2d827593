/* sort_bins.h -- sort every bin and hand it out, in the order of the output.
 * SPDX-License-Identifier: MIT
 *
 * In: the scattered copy, or the regions, and the starts of its runs; of a direct plan the input
 * and the bins of its keys, which are placed first (place_keys_cpu.c). Fills run->counts and
 * ->offsets. Out: all keys through run->emitter. A bin is sorted, shaped (-u, -r) and written by
 * one thread while it is in that thread's cache; a bin far over its share is split again first
 * (split_bins_cpu.c), an equality bin is made from its count.
 */
#ifndef GS_SORT_BINS_H
#define GS_SORT_BINS_H

#include "sort/stages.h"

enum gs_status gs_sort_bins_cpu(struct gs_run *run, struct gs_error *err);

#endif

/* sort_bins.h -- sort every bin and emit it, in output order.
 * SPDX-License-Identifier: MIT
 *
 * In: the scattered copy, or the regions, and the starts of the runs; in a direct plan the input
 * and the bins of its keys, which are placed first (place_keys_cpu.c).
 * Out: all keys through run->emitter; fills run->counts and ->offsets. One thread sorts, shapes
 * (-u, -r) and writes a bin while it is in that thread's cache. A bin far over its share is split
 * first (split_bins_cpu.c); the keys of an equality bin are generated from its count.
 */
#ifndef GS_SORT_BINS_H
#define GS_SORT_BINS_H

#include "sort/run/stages.h"

enum gs_status gs_sort_bins_cpu(struct gs_run *run, struct gs_error *err);

#endif

/* merge_runs.h -- merge runs of keys in cache: a tree of merges of two, with vectors.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MERGE_RUNS_H
#define GS_MERGE_RUNS_H

#include <stddef.h>

#include "common/keys.h"

/* Runs that are merged at once, at the most: a key passes through a merge for each doubling. */
#define GS_MERGE_RUNS_MAX 256

/* Behind each run is room for so many keys that belong to nobody. */
#define GS_MERGE_GAP 16

/* How two runs are merged: what a processor has, the best last. */
enum gs_merge_method { GS_MERGE_NONE, GS_MERGE_AVX2, GS_MERGE_AVX512 };

/* The best method that works on this processor; GS_MERGE_NONE: there is none. */
enum gs_merge_method gs_merge_method(void);

/* Merge `runs` ascending runs, at least one and GS_MERGE_RUNS_MAX at most, of counts[] keys, none
 * of them empty: run 0 at keys, each of the others GS_MERGE_GAP keys behind the end of the one
 * before it. keys and scratch hold all runs and the gap behind each of them; both are overwritten.
 * Returns where the merged keys are: keys or scratch. Allocates nothing, cannot fail; runs that are
 * out of order come out in some order. method: not GS_MERGE_NONE, and one that works here. */
gs_key *gs_merge_runs(enum gs_merge_method method, gs_key *keys, gs_key *scratch,
                      const size_t *counts, size_t runs);

#endif

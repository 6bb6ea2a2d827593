/* merge_runs.h -- merge runs of keys in cache: a tree of two-way merges, with vectors.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MERGE_RUNS_H
#define GS_MERGE_RUNS_H

#include "sort/keys/u32/vector_keys.h"

#include <stddef.h>

/* Runs that are merged at once, at most; each doubling takes every key through one more merge. */
#define GS_MERGE_RUNS_MAX 256

/* Merge `runs` ascending runs, 1 to GS_MERGE_RUNS_MAX, of counts[] keys each, none of them empty:
 * run 0 at keys, each other run GS_MERGE_GAP keys behind the end of the one before. keys and
 * scratch each hold all runs with the gap behind each; both are overwritten. Returns where the
 * merged keys are: keys or scratch. Allocates nothing, cannot fail; runs out of order come out in
 * some order. method must not be GS_MERGE_NONE, and must be supported here. */
gs_key *gs_merge_runs(enum gs_merge_method method, gs_key *keys, gs_key *scratch,
                      const size_t *counts, size_t runs);

#endif

/* ordered_runs.h -- find and merge the runs of an input that is a few runs of keys in order.
 * SPDX-License-Identifier: MIT
 *
 * They are merged as inputs that are in order are (sort/merge/merge.h), with no sample or
 * splitters.
 */
#ifndef GS_ORDERED_RUNS_H
#define GS_ORDERED_RUNS_H

#include "sort/keys/merge_runs.h"
#include "sort/run/stages.h"

/* The most runs: 64 of 2^19 keys each are merged in 0.62 of the time that bins take, 256 of 2^17 in
 * 1.1, a fifth of it for cuts, which threads take in turn. */
#define GS_ORDERED_RUNS_MAX 128

/* The least average length of the runs, in keys. */
#define GS_ORDERED_RUN_KEYS 4096

struct gs_ordered_run {
    uint64_t first; /* position in the concatenated spans */
    uint64_t count;
    int direction; /* 1: its keys ascend, -1: they descend, 0: they are equal */
};

struct gs_ordered_runs {
    struct gs_ordered_run list[GS_ORDERED_RUNS_MAX];
    size_t count;
};

/* Cut the input into ordered runs; false: there are too many. Reads the whole input if they are
 * few, and only a few keys if there are already many at the beginning. */
bool gs_ordered_runs_find(const struct gs_tiles *tiles, unsigned threads,
                          struct gs_ordered_runs *runs);

/* Sort the input by merging its runs. GS_ERR_INPUT if the input changes so that runs are no longer
 * in order. */
enum gs_status gs_ordered_runs_merge(struct gs_run *run, const struct gs_ordered_runs *runs,
                                     struct gs_error *err);

#endif

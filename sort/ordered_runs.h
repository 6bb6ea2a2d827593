/* ordered_runs.h -- input that is a few runs of keys in order: find them, merge them.
 * SPDX-License-Identifier: MIT
 *
 * A run that is found and lies where it lies is to the last stage a chunk that is scattered
 * already: the splitters cut all runs at common keys, found by search, and a bin is merged from its
 * parts of the runs, two and two (merge_runs.h), while it is in cache.
 */
#ifndef GS_ORDERED_RUNS_H
#define GS_ORDERED_RUNS_H

#include "sort/merge_runs.h"
#include "sort/stages.h"

/* Keys that a run should have on average at least. */
#define GS_ORDERED_RUN_KEYS 4096

struct gs_ordered_run {
    uint64_t first; /* position in the concatenated spans */
    uint64_t count;
    int direction; /* 1: its keys ascend, -1: they descend, 0: they are equal */
};

struct gs_ordered_runs {
    struct gs_ordered_run list[GS_MERGE_RUNS_MAX];
    size_t count;
};

/* Cut the input into ordered runs; false: there are too many. Reads all of it where they are few,
 * and a few keys where there are many at its beginning. */
bool gs_runs_find(const struct gs_tiles *tiles, unsigned threads, struct gs_ordered_runs *runs);

/* Sort the input by merging its runs, with run->splitters; fills run->counts and run->offsets.
 * *merged is false if that was not done: bins are too large, or many keys equal, for which there
 * are better ways. GS_ERR_INPUT where what is read is not, or no longer, in runs. */
enum gs_status gs_runs_merge_cpu(struct gs_run *run, const struct gs_ordered_runs *runs,
                                 bool *merged, struct gs_error *err);

#endif

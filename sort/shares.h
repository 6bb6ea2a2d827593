/* shares.h -- few keys: each thread takes its share of them from all the input and sorts it.
 * SPDX-License-Identifier: MIT
 *
 * A sample sort with as many bins as threads, and three parts in each: the keys below one that is
 * frequent in it, this one, the keys above.
 *
 *   input   | all keys | <- read by every thread: those between two splitters, by vector compares
 *   output  | below 0, equal 0, above 0 | below 1, equal 1, above 1 | ...
 *
 * No key is looked up, no table of bins is made and no memory touched but where the keys will lie:
 * up to a few million keys that is what the stages of large inputs spend most of their time on. A
 * share is sorted by Highway's vqsort, in place, so this is for HIGHWAY=1 alone.
 */
#ifndef GS_SHARES_H
#define GS_SHARES_H

#include "sort/stages.h"

#define GS_SHARES_MAX 16

struct gs_shares {
    uint32_t count;              /* 0: they are no way to sort this */
    gs_key last[GS_SHARES_MAX];  /* the largest key of each; ascending, at the end GS_KEY_MAX */
    gs_key equal[GS_SHARES_MAX]; /* the key of it that is most frequent, or the last one */
};

/* The shares of a sorted sample of run's input. */
void gs_shares_find(struct gs_shares *shares, const struct gs_run *run, const gs_key *sample,
                    uint32_t samples);

/* Sort the input, by all threads. *sorted is false if that was not done: there is no memory, or
 * they are no way. */
enum gs_status gs_sort_shares_cpu(struct gs_run *run, const struct gs_shares *shares, bool *sorted,
                                  struct gs_error *err);

#endif

/* shares.h -- few keys: each thread takes its share of them from all the input and sorts it.
 * SPDX-License-Identifier: MIT
 *
 * A sample sort with one bin, or share, per thread. Each share has three parts: the keys below one
 * key that is frequent in it, the copies of that key, and the keys above.
 *
 *   input   | all keys | <- read by each thread: vector compares pick its keys
 *   output  | below 0, equal 0, above 0 | below 1, equal 1, above 1 | ...
 *
 * No key is looked up among splitters, no table of bins is made, and no memory is touched but where
 * the keys will lie: up to a few million keys, the stages for large inputs spend most of their time
 * on these. A share is sorted in place by Highway's vqsort, so this needs HIGHWAY=1.
 */
#ifndef GS_SHARES_H
#define GS_SHARES_H

#include "sort/run/stages.h"

#define GS_SHARES_MAX 16

struct gs_shares {
    uint32_t count;              /* 0: not an input to sort by shares */
    gs_key last[GS_SHARES_MAX];  /* largest key of each, ascending to GS_KEY_MAX */
    gs_key equal[GS_SHARES_MAX]; /* most frequent key of each, or its largest */
};

/* Choose the shares by a sorted sample of run's input. */
void gs_shares_find(struct gs_shares *shares, const struct gs_run *run, const gs_key *sample,
                    uint32_t samples);

/* Sort the input with all threads. *sorted is false if nothing was done, because memory is short or
 * shares->count is 0. Fails with GS_ERR_INPUT if the input changes meanwhile. */
enum gs_status gs_sort_shares(struct gs_run *run, const struct gs_shares *shares, bool *sorted,
                              struct gs_error *err);

#endif

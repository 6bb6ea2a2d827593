/* value_ranges.h -- keys of few values in few ranges: count each value, and write it as often.
 * SPDX-License-Identifier: MIT
 *
 * Ages, bytes, days: where there are many keys of each value, nothing has to be moved or compared.
 * The sample shows the ranges; a key outside of them, and the sample sort does it after all.
 */
#ifndef GS_VALUE_RANGES_H
#define GS_VALUE_RANGES_H

#include "sort/stages.h"

#define GS_VALUE_RANGES_MAX 4

struct gs_value_ranges {
    uint32_t count;  /* ranges; 0: they are no way to sort this */
    uint32_t values; /* in all of them */
    gs_key low[GS_VALUE_RANGES_MAX];
    gs_key width[GS_VALUE_RANGES_MAX];   /* the largest value of a range, less low */
    uint32_t first[GS_VALUE_RANGES_MAX]; /* number of its least value */
};

/* The ranges of a sorted sample from `keys` keys. */
void gs_value_ranges_find(struct gs_value_ranges *ranges, const gs_key *sample, uint32_t samples,
                          uint64_t keys);

/* Sort the input, by all threads. *sorted is false if that was not done: there are other values, or
 * no memory. */
enum gs_status gs_sort_values_cpu(struct gs_run *run, const struct gs_value_ranges *ranges,
                                  bool *sorted, struct gs_error *err);

#endif

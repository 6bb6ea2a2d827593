/* value_ranges.h -- counting sort of keys with few values in few ranges.
 * SPDX-License-Identifier: MIT
 *
 * Ages, bytes, days: if there are many keys of each value, it is enough to count each value and
 * write it as often; no key is moved or compared. The sample shows the ranges. If any key lies
 * outside of them, the sample sort takes over.
 */
#ifndef GS_VALUE_RANGES_H
#define GS_VALUE_RANGES_H

#include "sort/run/stages.h"

#define GS_VALUE_RANGES_MAX 4

struct gs_value_ranges {
    uint32_t count;  /* ranges; 0: the keys cannot be sorted this way */
    uint32_t values; /* values in all ranges together */
    gs_key low[GS_VALUE_RANGES_MAX];
    gs_key width[GS_VALUE_RANGES_MAX];   /* the largest value of the range, less low */
    uint32_t first[GS_VALUE_RANGES_MAX]; /* index of the range's least value among all values */
};

/* Find the ranges by a sorted sample from an input of `keys` keys. */
void gs_value_ranges_find(struct gs_value_ranges *ranges, const gs_key *sample, uint32_t samples,
                          uint64_t keys);

/* Sort the input, by all threads. *sorted is false if that was not done: there are values outside
 * of the ranges, or there is no memory. */
enum gs_status gs_sort_values_cpu(struct gs_run *run, const struct gs_value_ranges *ranges,
                                  bool *sorted, struct gs_error *err);

#endif

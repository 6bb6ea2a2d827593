/* few_values.h -- sort keys of few values: count each value, and write as many copies.
 * SPDX-License-Identifier: MIT
 *
 * Flags, ages, bytes, days: if there are many keys of each value, it is enough to count them; no
 * key is moved. The sample shows the values: up to 24 that each key is compared with, or a few
 * ranges of them that a key is looked up in. Keys of other values are put aside, and if these are
 * many, the input is sorted in another way.
 */
#ifndef GS_FEW_VALUES_H
#define GS_FEW_VALUES_H

#include "sort/run/run.h"

/* The most keys of other values. */
#define GS_OTHERS_MAX 1024

/* The most values that each key is compared with. It is fewer for up to GS_SHARES_KEYS keys, since
 * shares (shares.h) are faster than 17 comparisons. */
#define GS_VALUES_COMPARED      16
#define GS_VALUES_COMPARED_MOST 24

/* The most ranges of values that a key is looked up in. */
#define GS_VALUE_RANGES 4

/* Ranges of values, ascending: a few, or, if each has one value, up to GS_VALUES_COMPARED_MOST. */
struct gs_few_values {
    uint32_t values; /* in all ranges together; 0: the keys cannot be sorted this way */
    uint32_t ranges;
    gs_key low[GS_VALUES_COMPARED_MOST];
    gs_key width[GS_VALUES_COMPARED_MOST];   /* the largest value of the range, less low */
    uint32_t first[GS_VALUES_COMPARED_MOST]; /* index of the range's least value among all */
};

/* Nothing but this value. */
void gs_few_values_one(struct gs_few_values *few, gs_key value);

/* Find the values by a sorted sample from an input of `keys` keys. */
void gs_few_values_find(struct gs_few_values *few, const gs_key *sample, uint32_t samples,
                        uint64_t keys);

/* What maps the output as memory, if that pays: gs_stages.map_output. */
typedef enum gs_status gs_map_output(struct gs_run *run, struct gs_error *err);

/* Sort the input, by all threads; map, if not NULL, is called in between. *sorted is false if that
 * was not done: more than GS_OTHERS_MAX keys have other values, or there is no memory. */
enum gs_status gs_sort_few_values(struct gs_run *run, const struct gs_few_values *few,
                                  gs_map_output *map, bool *sorted, struct gs_error *err);

#endif

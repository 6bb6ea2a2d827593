/* portable.h -- the methods for a bin that need no vectors: insertion, counting, radix.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PORTABLE_H
#define GS_PORTABLE_H

#include "common/formats/keys.h"

#include <stdbool.h>
#include <stddef.h>

/* The number of bits of value, without leading zeros. */
static inline unsigned gs_bit_width(gs_key value)
{
    return value == 0 ? 0 : GS_KEY_BITS - gs_key_clz(value);
}

/* Up to this many keys are sorted by insertion. */
#define GS_INSERTION_MAX 32

/* What one pass over a bin finds. */
struct gs_bin_scan {
    gs_key low, high; /* the smallest and the largest key */
    unsigned shift;   /* number of low bits in which all keys agree */
    bool ordered;
};

/* count is at least 1. */
struct gs_bin_scan gs_bin_scan(const gs_key *keys, size_t count);

/* Are the first GS_INSERTION_MAX keys in order? Then the others are worth checking. */
static inline bool gs_bin_starts_ordered(const gs_key *keys)
{
    size_t i = 1;
    while (i < GS_INSERTION_MAX && keys[i - 1] <= keys[i])
        i++;
    return i == GS_INSERTION_MAX;
}

/* Keys that gs_bin_looks_even() samples, at least. */
#define GS_EVEN_SAMPLE 64

/* Are at least GS_EVEN_SAMPLE keys, by a sample of them, spread evenly over [low, high]? */
bool gs_bin_looks_even(const gs_key *keys, size_t count, gs_key low, gs_key high);

void gs_insertion_sort(gs_key *keys, size_t count);

/* Sort keys that are low + value * 2^shift, value < `values`, by counting each value; scratch holds
 * the counters. */
void gs_counting_sort(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan,
                      uint32_t values);

/* Radix sort, for up to GS_CACHE_SORT_CAPACITY keys. Returns keys or scratch,
 * of which it uses count keys. */
gs_key *gs_radix_sort(gs_key *keys, gs_key *scratch, size_t count);

/* The same of keys that were scanned. */
gs_key *gs_radix_sort_scanned(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan);

#endif

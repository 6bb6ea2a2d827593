/* cache_sort_portable.h -- the methods for a bin that need no vectors: counting, radix, a split.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CACHE_SORT_PORTABLE_H
#define GS_CACHE_SORT_PORTABLE_H

#include "sort/bin/cache_sort.h"

#include <stdbool.h>

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

void gs_cache_sort_insertion(gs_key *keys, size_t count);

/* Sort keys that are low + value * 2^shift, value < `values`, by counting each value; scratch holds
 * the counters. */
void gs_cache_sort_counting(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan,
                            uint32_t values);

/* Radix sort of the bits that vary. Returns keys or scratch. */
gs_key *gs_cache_sort_radix_scanned(gs_key *keys, gs_key *scratch, size_t count,
                                    struct gs_bin_scan scan);

/* Split a bin above GS_CACHE_SORT_CAPACITY in place and sort its parts by gs_cache_sort. The keys
 * must not be in order. */
void gs_cache_sort_large(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan);

#endif

/* cache_sort_portable.h -- the methods for a bin that need no vectors: counting, radix, a split.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CACHE_SORT_PORTABLE_H
#define GS_CACHE_SORT_PORTABLE_H

#include "sort/cache_sort.h"

#include <stdbool.h>

/* Up to so many keys are sorted by insertion. */
#define GS_INSERTION_MAX 32

/* What one read of a bin tells. */
struct gs_bin_scan {
    gs_key low, high; /* the smallest and the largest key */
    unsigned shift;   /* low bits in which all keys agree */
    bool ordered;
};

/* count is 1 at least. */
struct gs_bin_scan gs_bin_scan(const gs_key *keys, size_t count);

void gs_cache_sort_insertion(gs_key *keys, size_t count);

/* Sort keys of `values` values, low + value * 2^shift, by counting each; scratch holds the
 * counters. */
void gs_cache_sort_counting(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan,
                            uint32_t values);

/* Radix sort of the bits that vary. Returns keys or scratch. */
gs_key *gs_cache_sort_radix_scanned(gs_key *keys, gs_key *scratch, size_t count,
                                    struct gs_bin_scan scan);

/* Split a bin above the capacity in place, and have gs_cache_sort sort its parts. They are not in
 * order. */
void gs_cache_sort_large(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan);

#endif

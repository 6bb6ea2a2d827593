/* cache_sort_impl.h -- the methods behind cache_sort.h: for each other, for shares and for tests.
 * SPDX-License-Identifier: MIT
 *
 * All take keys and scratch as gs_cache_sort() does and, except groups and vqsort, at most
 * GS_CACHE_SORT_CAPACITY keys.
 */
#ifndef GS_CACHE_SORT_IMPL_H
#define GS_CACHE_SORT_IMPL_H

#include "sort/bin/cache_sort.h"
#include "sort/keys/vectors.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Radix sort of the bits that vary; returns keys or scratch, of which it uses count keys. */
gs_key *gs_cache_sort_radix(gs_key *keys, gs_key *scratch, size_t count);

#if GS_HAS_AVX2
/* Sort the keys in place by columns, with AVX2: about twice as fast as the other methods where the
 * keys are spread evenly over [low, high]. Where they are not, returns false and leaves keys
 * untouched. */
bool gs_cache_sort_columns(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high);

/* Whether this processor has the instructions. */
bool gs_cache_sort_columns_usable(void);

/* The same with AVX-512, from runs to `to`; false also if a column would be wider than 2^16
 * values. */
bool gs_cache_sort_columns512(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                              size_t count, gs_key low, gs_key high, bool past_cache);

/* Whether this processor has the instructions. */
bool gs_cache_sort_columns512_usable(void);

/* The same by groups that a network sorts, for large bins of dense keys, up to GS_CACHE_SORT_LARGE.
 * false also if a group has far more than its share, or scratch is too small. `to` may be the keys'
 * own memory. */
bool gs_cache_sort_groups512(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                             size_t scratch_keys, size_t count, gs_key low, gs_key high,
                             bool past_cache);

/* The same for 2^16 keys or more, which are put into their groups one by one. Returns false, also,
 * if a group overflows. */
bool gs_cache_sort_placed512(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                             size_t scratch_keys, size_t count, gs_key low, gs_key high,
                             bool past_cache);

/* Whether this processor has the instructions for that, and whether it is faster there. */
bool gs_cache_sort_placed512_usable(void);
bool gs_cache_sort_placed512_pays(void);

/* Whether this processor has the instructions: AVX-512 with VBMI2. */
bool gs_cache_sort_groups512_usable(void);
#endif

#if GS_HIGHWAY
/* Highway's vqsort, in place. */
void gs_cache_sort_highway(gs_key *keys, size_t count);

/* Whether it has vector instructions to use here; and the name of their instruction set. */
bool gs_cache_sort_highway_usable(void);
const char *gs_cache_sort_highway_target(void);
#endif

#ifdef __cplusplus
}
#endif

#endif

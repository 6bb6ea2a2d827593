/* search_bins.h -- the halving steps of the search among splitters, for many keys side by side.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SEARCH_BINS_H
#define GS_SEARCH_BINS_H

#include "sort/splitters.h"

#if defined(GS_SEARCH_BINS_HAS_512)
/* as the compiler's command line says */
#elif defined(__x86_64__) && defined(__GNUC__)
#define GS_SEARCH_BINS_HAS_512 1
#else
#define GS_SEARCH_BINS_HAS_512 0
#endif

#if GS_SEARCH_BINS_HAS_512
/* In bins: the first candidate bin of each key, from the guide. Out: its bin, of as many keys as
 * make whole vectors; returns how many. With AVX-512. */
uint64_t gs_search_bins512(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                           uint16_t *bins);
bool gs_search_bins512_usable(void);
#endif

#endif

/* search_bins.h -- the search among splitters, for many keys side by side.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SEARCH_BINS_H
#define GS_SEARCH_BINS_H

#include "sort/splitters.h"
#include "sort/vectors.h"

/* Copy keys, each of which is read once, and find their bins: guide and halving steps, with vectors
 * where the processor has them. */
void gs_find_bins(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                  gs_key *copy, uint16_t *bins);

#if GS_HAS_AVX2
/* Copy keys and note the bins of as many as make whole vectors, by guide and halving steps; returns
 * how many. With AVX2. */
uint64_t gs_find_bins256(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                         gs_key *copy, uint16_t *bins);

bool gs_search_bins256_usable(void);
#endif

#if GS_HAS_AVX512
/* Copy keys and note the first bin that the guide says for each, of as many as make whole vectors;
 * returns how many. With AVX-512. */
uint64_t gs_guide_bins512(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                          gs_key *copy, uint16_t *bins);

/* In bins: the first candidate bin of each key, from the guide. Out: its bin, of as many keys as
 * make whole vectors; returns how many. With AVX-512. */
uint64_t gs_search_bins512(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                           uint16_t *bins);

/* Copy keys and note the bins of as many as make whole vectors; returns how many. By a tree, not by
 * the guide: better where that leaves fewer words to gather. With AVX-512. */
uint64_t gs_tree_bins512(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                         gs_key *copy, uint16_t *bins);
bool gs_tree_bins512_better(const struct gs_splitters *splitters);

bool gs_search_bins512_usable(void);
#endif

#endif

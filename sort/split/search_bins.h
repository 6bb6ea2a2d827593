/* search_bins.h -- the search among splitters, for many keys side by side.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SEARCH_BINS_H
#define GS_SEARCH_BINS_H

#include "sort/split/splitters.h"
#include "sort/keys/vectors.h"

/* Copy keys, reading each once, and find their bins: guide and halving steps, with vectors where
 * the processor has them. */
void gs_find_bins(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                  gs_key *copy, uint16_t *bins);

#if GS_HAS_AVX2
/* Copy as many keys as make whole vectors, and find their bins by guide and halving steps, with
 * AVX2. Returns how many. */
uint64_t gs_find_bins256(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                         gs_key *copy, uint16_t *bins);

bool gs_search_bins256_usable(void);
#endif

#if GS_HAS_AVX512
/* Copy as many keys as make whole vectors, and note each one's first candidate bin by the guide,
 * with AVX-512. Returns how many. */
uint64_t gs_guide_bins512(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                          gs_key *copy, uint16_t *bins);

/* bins holds the first candidate bin of each key, from the guide; replaces it by the key's bin, for
 * as many keys as make whole vectors, with AVX-512. Returns how many. */
uint64_t gs_search_bins512(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                           uint16_t *bins);

/* Copy as many keys as make whole vectors, and find their bins by a tree instead of the guide, with
 * AVX-512: better where the tree has fewer words to gather. Returns how many. */
uint64_t gs_tree_bins512(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                         gs_key *copy, uint16_t *bins);
bool gs_tree_bins512_better(const struct gs_splitters *splitters);

bool gs_search_bins512_usable(void);
#endif

#endif

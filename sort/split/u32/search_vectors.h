/* search_vectors.h -- the search among splitters by vectors: AVX2, and AVX-512 in two ways.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SEARCH_VECTORS_H
#define GS_SEARCH_VECTORS_H

#include "sort/split/splitters.h"

/* Copy as many keys as make whole vectors, and find their bins by guide and halving steps, with
 * AVX2. Returns how many. */
uint64_t gs_find_bins256(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                         gs_key *copy, uint16_t *bins);

bool gs_search_bins256_usable(void);

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

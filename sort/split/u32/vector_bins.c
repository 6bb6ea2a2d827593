/* vector_bins.c -- the search among splitters for vectors of keys: the choice.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/u32/vector_bins.h"
#include "sort/split/u32/search_vectors.h"

uint64_t gs_vector_bins(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                        gs_key *copy, uint16_t *bins)
{
    if (gs_search_bins512_usable() && gs_tree_bins512_better(splitters))
        return gs_tree_bins512(splitters, keys, count, copy, bins);
    if (gs_search_bins512_usable()) {
        uint64_t done = gs_guide_bins512(splitters, keys, count, copy, bins);
        if (splitters->steps > 0)
            gs_search_bins512(splitters, copy, done, bins);
        return done;
    }
    return gs_search_bins256_usable() ? gs_find_bins256(splitters, keys, count, copy, bins) : 0;
}

/* search_bins.h -- the search among splitters, for many keys side by side.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SEARCH_BINS_H
#define GS_SEARCH_BINS_H

#include "sort/split/splitters.h"

/* Copy keys, reading each once, and find their bins: guide and halving steps, with vectors where
 * the processor has them. */
void gs_find_bins(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                  gs_key *copy, uint16_t *bins);

#endif

/* vector_bins.h -- the search among splitters for vectors of 32-bit keys.
 * SPDX-License-Identifier: MIT
 *
 * The door to this wing, the only header that others include; vector_bins_absent.c stands in for
 * wider keys and other processors.
 */
#ifndef GS_VECTOR_BINS_H
#define GS_VECTOR_BINS_H

#include "sort/split/splitters.h"

/* Copy keys, reading each once, and find their bins, for as many as make whole vectors. Returns how
 * many: 0 if the processor has none. */
uint64_t gs_vector_bins(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                        gs_key *copy, uint16_t *bins);

#endif

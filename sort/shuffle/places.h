/* places.h -- where records go in the random order, for who has some of them only.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PLACES_H
#define GS_PLACES_H

#include "common/status.h"

#include <stdint.h>

/* Set places[i] to the place in the output of the record at position first + i, for `count` of
 * `total` records. Takes about memory_bytes besides, or what the largest bin does, by so many
 * threads. */
enum gs_status gs_shuffle_find_places(uint64_t seed, uint64_t total, uint64_t first, uint64_t count,
                                      unsigned threads, uint64_t memory_bytes, uint64_t *places,
                                      struct gs_error *err);

#endif

/* places.h -- where records go in the random order, for who has some of them only.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PLACES_H
#define GS_PLACES_H

#include "sort/types/types.h"

struct gs_places {
    uint64_t *list; /* of each record */
    uint64_t bytes; /* that the list takes */
    uint64_t total; /* records in the output */
};

/* Find the places of `count` of `total` records, from position `first` on, in the order of
 * options->seed. The list counts against *memory_bytes; half of the rest, or what the largest bin
 * needs, is used meanwhile. To be freed even after a failure. */
enum gs_status gs_places_find(struct gs_places *places, const struct gs_options *options,
                              uint64_t total, uint64_t first, uint64_t count,
                              uint64_t *memory_bytes, struct gs_error *err);
void gs_places_free(struct gs_places *places);

#endif

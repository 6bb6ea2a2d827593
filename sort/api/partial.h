/* partial.h -- a partial sort under way, and where its sorts go.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PARTIAL_H
#define GS_PARTIAL_H

#include "sort/sort.h"

#include <string.h>

struct gs_partial {
    const struct gs_options *options;
    uint64_t room; /* in records, */
    uint64_t used; /* of which so many are there */
    uint64_t seen; /* have come so far */
    char *records;
    char *sorted;        /* the other side of a sort */
    uint64_t *positions; /* with options->index_bytes: of the records, else NULL; */
    uint64_t *indices;   /* where the sorted ones were, then their positions */
    bool bounded;        /* what is wanted is complete, with this record at its end, */
    bool guessed;        /* or it was guessed: */
    char *bound;
    struct gs_stats stats; /* of the last sort, with the stages of all */
    uint64_t sift_ns;      /* in which records were read */
    uint64_t begin_ns;
    struct gs_look look; /* of the part, once finished */
};

/* Where a sort of the room goes. */
struct gs_room_sink {
    struct gs_sink sink; /* first */
    char *to;
    unsigned bytes; /* of a record */
};

/* One that ends at `to`, for records of so many bytes. */
struct gs_room_sink gs_room_sink(char *to, unsigned bytes);

/* Record `index` of these is the bound from now on. */
static inline void gs_partial_bound(struct gs_partial *partial, const char *records, uint64_t index)
{
    const unsigned bytes = gs_record_bytes(partial->options);
    memcpy(partial->bound, records + index * bytes, bytes);
    partial->bounded = true;
}

#endif

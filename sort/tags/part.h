/* part.h -- a part of a larger sort of records.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PART_H
#define GS_PART_H

#include "sort/keys/rows.h"
#include "sort/run/plan.h"

/* Records of a part that lie ordered by bin already, in rows: in each bin they are in the order of
 * the input, row after row. */
struct gs_tag_bins {
    struct gs_rows rows; /* starts, from gs_pages_alloc, count records of the only span. They are */
    size_t starts_bytes; /* the caller's unless they are NULL after the sort */
    uint32_t count;      /* of bins */
    uint32_t from;       /* the strings of all records are the same up to here */
    bool narrow;         /* do tags of 64 bits tell nearly all of the records apart? */
    /* Is the place of a record in this bin? It may have changed since it was brought there. */
    bool (*is_in_bin)(const void *context, uint32_t bin, const void *record);
    const void *context;
};

/* A part of a larger sort, all of which are planned once. */
struct gs_tag_part {
    bool takes_numbers; /* records have numbers (number.h), and the sink gets these as indices */
    uint64_t most;      /* records of any part */
    struct gs_tag_bins *bins; /* that they lie in, or NULL */
    struct gs_plan plans[2];  /* of so many, by tags of 64 and of 128 bits; zeros: not made yet */
};

#endif

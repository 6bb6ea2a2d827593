/* ranges.h -- which rank's range of the output a record belongs to.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RANGES_H
#define GS_RANGES_H

#include "sort/cluster.h"
#include "sort/cluster/record_ranges.h"
#include "sort/shuffle/places.h"

#include <stdatomic.h>

/* Products of two numbers, and elements of any width. */
__extension__ typedef unsigned __int128 gs_u128;

/* The splitters between the ranges, ascending. A value that would overload a rank is several
 * splitters, or one that cuts it: its elements are dealt to the ranks on both sides. */
struct gs_ranges {
    const struct gs_options *options;
    unsigned count;         /* ranges */
    unsigned element_bytes; /* 4, 8 or 16 */
    void *splitters;        /* count - 1 elements, and as many of all ones behind them that there
                             * are 2^levels - 1 */
    unsigned levels;        /* of the search */
    uint64_t *shares;       /* of the elements equal to a splitter, how many in 2^32 are below it */
    atomic_bool *dropping;  /* -u: one element equal to a splitter is on its way */
    struct gs_record_ranges *records; /* of records that no element holds, instead of all that, or
                                       * NULL */
    struct gs_places places;          /* of a shuffle, instead of all that: those of this rank's
                                       * records */
};

/* What of an element counts: under unique not the payload. */
static inline gs_u128 gs_ranges_mask(const struct gs_options *options)
{
    return options->unique ? ~(gs_u128)0 << gs_payload_bits(options) : ~(gs_u128)0;
}

/* Room for `count` ranges, whose splitters are yet to be chosen. */
enum gs_status gs_ranges_open(struct gs_ranges *ranges, const struct gs_options *options,
                              unsigned count, struct gs_error *err);
void gs_ranges_close(struct gs_ranges *ranges);

/* Choose splitters by which all ranks get equal shares of the records of all, within 1 %;
 * collective, and all return the same status. total: how many there are. */
enum gs_status gs_ranges_choose(struct gs_ranges *ranges, const struct gs_cluster *cluster,
                                const struct gs_span *spans, uint64_t count, uint64_t total,
                                struct gs_error *err);

/* The rank of each of these records, at most GS_RANGES_BLOCK; ranges->count: of no rank, for -u
 * needs no other one like it. position: of the first in this rank's input, with which equal
 * elements are dealt. Several threads may call it at once. */
#define GS_RANGES_BLOCK 2048
void gs_ranges_find(struct gs_ranges *ranges, const void *records, size_t count, uint64_t position,
                    uint16_t *found);

#endif

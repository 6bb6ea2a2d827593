/* record_ranges.h -- which rank's range of the output a record belongs to that no element holds.
 * SPDX-License-Identifier: MIT
 *
 * The records of all ranks have one order without ties: that which options say, then by rank, then
 * by position in the rank's input. So a range can begin anywhere, within equal records, too, and
 * with stable these are in input order from range to range. Under -u all of the same keys belong to
 * one range.
 */
#ifndef GS_RECORD_RANGES_H
#define GS_RECORD_RANGES_H

#include "sort/types/types.h"

#include "sort/types/record_order.h"

#include <pthread.h>

/* A record and its place in the order. */
struct gs_placed_record {
    struct gs_record_head head;
    const char *record;
    uint64_t rank;
    uint64_t position;
};

struct gs_record_ranges {
    const struct gs_options *options;
    struct gs_record_order order;       /* under unique of the keys alone */
    unsigned count;                     /* ranges */
    uint64_t rank;                      /* of this process */
    struct gs_placed_record *splitters; /* count - 1: the first that belongs to the next range */
    char *bytes;                        /* of the splitters' records; owned */
    pthread_mutex_t lock;               /* for: */
    struct gs_placed_record *firsts; /* -u: the first record so far with the keys of a splitter */
};

/* Room for `count` ranges, whose splitters are yet to be chosen. On failure, too, close it. */
enum gs_status gs_record_ranges_open(struct gs_record_ranges *ranges,
                                     const struct gs_options *options, unsigned count,
                                     struct gs_error *err);
void gs_record_ranges_close(struct gs_record_ranges *ranges);

/* Make a placed record of one of this rank's. */
struct gs_placed_record gs_record_ranges_place(const struct gs_record_ranges *ranges,
                                               const char *record, uint64_t position);

/* Is a before b? */
bool gs_record_ranges_before(const struct gs_record_ranges *ranges,
                             const struct gs_placed_record *a, const struct gs_placed_record *b);

/* As gs_ranges_find. */
void gs_record_ranges_find(struct gs_record_ranges *ranges, const char *records, size_t count,
                           uint64_t position, uint16_t *found);

#endif

/* deal.h -- put records in order of the rank that they go to.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DEAL_H
#define GS_DEAL_H

#include "sort/cluster/ranges.h"

/* Bytes of a record on the wire: what a rank gets comes in any order. */
static inline unsigned gs_wire_bytes(const struct gs_options *options)
{
    return gs_record_bytes(options) + (gs_keeps_input_order(options) ? GS_NUMBER_BYTES : 0);
}

struct gs_dealer {
    struct gs_ranges *ranges;
    unsigned threads;
    unsigned record_bytes;
    unsigned wire_bytes;  /* of a record that was dealt: if more, it has a number in front, */
    uint64_t number;      /* which is this for the first of this rank's input */
    uint64_t most;        /* records at a time */
    uint16_t *found;      /* the rank of each */
    uint64_t *counts;     /* for each thread and rank: how many records there are, */
    char **places;        /* and where the next one goes; */
    size_t stride;        /* from a thread's to the next one's */
    bool verify;          /* keep: */
    uint64_t fingerprint; /* of all records that were dealt to a rank */
    /* Called again and again, by the thread that deals, while it does. */
    void (*meanwhile)(void *context);
    /* Called once by any thread, while no other works: where this rank's own records, so many of
     * them, go instead, or NULL. */
    unsigned own;
    void *(*place_own)(void *context, uint64_t count);
    void *context; /* of both */
};

enum gs_status gs_dealer_open(struct gs_dealer *dealer, struct gs_error *err);
void gs_dealer_close(struct gs_dealer *dealer);

/* Copy up to dealer->most records to `to`, by rank: those of rank i are the ones from starts[i] to
 * starts[i + 1], but own ones that have another place: true then. position: of the first in this
 * rank's input. */
bool gs_deal(struct gs_dealer *dealer, const void *records, uint64_t count, uint64_t position,
             void *to, uint64_t *starts);

/* A sum over records that tells whether two lists, in any order, are the same. */
uint64_t gs_deal_fingerprint(const void *records, uint64_t count, unsigned record_bytes);

#endif

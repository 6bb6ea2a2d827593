/* exchange.h -- send each rank its records, and read those that come, both at once.
 * SPDX-License-Identifier: MIT
 *
 * A batch of own records is dealt and its parts are sent, without waiting, while the next one is
 * dealt; parts from others are received wherever the caller wants its next records. A rank that
 * reads slowly makes the others wait, for each has at most GS_BATCHES batches under way: so memory
 * is bounded, whatever the input.
 */
#ifndef GS_EXCHANGE_H
#define GS_EXCHANGE_H

#include "sort/cluster/deal.h"
#include "sort/cluster/wire.h"

#include "common/memory/populate.h"

#define GS_BATCHES  8
#define GS_RECEIVES 64 /* messages on their way to the caller at once */

/* The most bytes of a message, rounded down to records, but one at least: less than libraries send
 * at once over TCP. Before a larger one they wait for an answer, which waits behind what goes the
 * other way. Two hosts over 100 Mbit/s, both ways, Open MPI 4.1: 47 % of the wire's rate with 4
 * MiB, 61 % with 256 KiB, 89 % with 60. They are sent synchronously (MPI_Issend), so that a rank
 * that does not read is not sent more than the batches under way. */
#define GS_MESSAGE_BYTES ((uint64_t)60 << 10)

struct gs_batch {
    char *records;         /* by rank */
    uint64_t *starts;      /* of each rank's part */
    MPI_Request *requests; /* of the messages sent, */
    int sent;              /* and how many they are */
    uint64_t kept;         /* records of this rank's own part that the caller has got */
    bool busy;
};

struct gs_exchange {
    const struct gs_cluster *cluster;
    const struct gs_span *spans; /* this rank's input, */
    size_t span_count;
    size_t span;       /* and how far it is dealt: spans before this one, */
    uint64_t used;     /* so many records of this one, */
    uint64_t position; /* and so many in all */
    struct gs_dealer dealer;
    struct gs_batch batches[GS_BATCHES];
    MPI_Request *farewells; /* to each rank: no more will come */
    MPI_Request receives[GS_RECEIVES];
    char *staged; /* a part that the caller had no room for */
    uint64_t staged_room, staged_bytes, staged_used;
    struct gs_populate pages; /* of what the caller reads into, if that starts it */
    char *to;                 /* that, or NULL: what comes is thrown away */
    uint64_t room_bytes, filled_bytes;
    int ended;             /* ranks that will send no more */
    bool told;             /* the farewells are sent */
    bool failed;           /* some rank has: all that is left is to come to an end together */
    enum gs_status status; /* of calls from the dealer */
    struct gs_error *err;
    uint64_t received;    /* records */
    uint64_t fingerprint; /* of these, under --verify */
    uint64_t sent_bytes, got_bytes, begin_ns, end_ns, wait_ns;
};

/* Open an exchange of the spans of all ranks. number: how many records lower ranks bring. On
 * failure, too, close it. Between these two, a rank must not wait for another one otherwise. */
enum gs_status gs_exchange_open(struct gs_exchange *exchange, const struct gs_cluster *cluster,
                                struct gs_ranges *ranges, const struct gs_span *spans,
                                size_t span_count, uint64_t number, uint64_t batch_bytes,
                                struct gs_error *err);

/* Get up to `room` of the records that all ranks have for this one. *got is less only at the end of
 * all. If any rank fails, all calls do, perhaps without a message. */
enum gs_status gs_exchange_read(struct gs_exchange *exchange, void *to, uint64_t room,
                                uint64_t *got, struct gs_error *err);

/* Collective, once for each exchange: come to an end, and learn whether all ranks have got what was
 * sent to them. `failed`: this rank has failed meanwhile, so that all do. *first: records of lower
 * ranks, *total: of all. */
enum gs_status gs_exchange_finish(struct gs_exchange *exchange, bool failed, uint64_t *first,
                                  uint64_t *total, struct gs_error *err);
void gs_exchange_close(struct gs_exchange *exchange);

#endif

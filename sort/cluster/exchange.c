/* exchange.c -- send each rank its records, and read those that come, both at once.
 * SPDX-License-Identifier: MIT
 *
 * No collective call carries data, and nobody knows in advance how much will come: a part is
 * received when it shows (MPI_Improbe), right into the caller's memory if it fits there. Order is
 * of no concern, since all that comes will be sorted. An empty message ends what a rank sends.
 * One thread calls MPI, and a library moves data only while it is called: so the dealer calls
 * `progress` between blocks.
 */
#include "sort/cluster/exchange.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_RECORDS = 1, TAG_END, TAG_FAILED };

static void progress_meanwhile(void *context);
static void *place_own(void *context, uint64_t count);

/* The most records of a message. */
static uint64_t message_records(const struct gs_exchange *exchange)
{
    const uint64_t records = GS_MESSAGE_BYTES / exchange->dealer.wire_bytes;
    return records > 0 ? records : 1;
}

enum gs_status gs_exchange_open(struct gs_exchange *exchange, const struct gs_cluster *cluster,
                                struct gs_ranges *ranges, const struct gs_span *spans,
                                size_t span_count, uint64_t number, uint64_t batch_bytes,
                                struct gs_error *err)
{
    const struct gs_options *options = ranges->options;
    const unsigned wire_bytes = gs_wire_bytes(options);
    bool failed = false;
    *exchange = (struct gs_exchange){.cluster = cluster,
                                     .spans = spans,
                                     .span_count = span_count,
                                     .begin_ns = gs_now_ns(),
                                     .dealer = {.ranges = ranges,
                                                .threads = gs_threads(options),
                                                .record_bytes = gs_record_bytes(options),
                                                .wire_bytes = wire_bytes,
                                                .number = number,
                                                .most = batch_bytes / wire_bytes,
                                                .verify = options->verify,
                                                .meanwhile = progress_meanwhile,
                                                .own = (unsigned)cluster->rank,
                                                .place_own = place_own,
                                                .context = exchange}};
    const size_t size = (size_t)cluster->size;
    const size_t most = size + exchange->dealer.most / message_records(exchange);
    exchange->farewells = calloc(size, sizeof *exchange->farewells);
    failed = exchange->farewells == NULL;
    for (size_t rank = 0; !failed && rank < size; rank++)
        exchange->farewells[rank] = MPI_REQUEST_NULL;
    for (int i = 0; i < GS_RECEIVES; i++)
        exchange->receives[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < GS_BATCHES; i++) {
        struct gs_batch *batch = &exchange->batches[i];
        batch->records = gs_pages_alloc(exchange->dealer.most * wire_bytes);
        batch->starts = calloc(size + 1, sizeof *batch->starts);
        batch->requests = calloc(most, sizeof *batch->requests);
        failed =
            failed || batch->records == NULL || batch->starts == NULL || batch->requests == NULL;
    }
    if (failed)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "exchange");
    return gs_dealer_open(&exchange->dealer, err);
}

void gs_exchange_close(struct gs_exchange *exchange)
{
    for (int i = 0; i < GS_BATCHES; i++) {
        struct gs_batch *batch = &exchange->batches[i];
        gs_pages_free(batch->records, exchange->dealer.most * exchange->dealer.wire_bytes);
        free(batch->starts);
        free(batch->requests);
        *batch = (struct gs_batch){.records = NULL};
    }
    free(exchange->farewells);
    free(exchange->staged);
    gs_dealer_close(&exchange->dealer);
    exchange->farewells = NULL;
    exchange->staged = NULL;
}

/* Append received records to the caller's. */
static uint64_t append(struct gs_exchange *exchange, const char *from, uint64_t bytes)
{
    uint64_t left = exchange->room_bytes - exchange->filled_bytes;
    uint64_t here = bytes < left ? bytes : left;
    if (exchange->to != NULL && here > 0)
        memcpy(exchange->to + exchange->filled_bytes, from, here);
    exchange->filled_bytes += here;
    return here;
}

/* Hand over what is here already: a staged part, and own parts of batches. */
static void hand_over(struct gs_exchange *exchange)
{
    const size_t own = (size_t)exchange->cluster->rank;
    const unsigned bytes = exchange->dealer.wire_bytes;
    exchange->staged_used += append(exchange, exchange->staged + exchange->staged_used,
                                    exchange->staged_bytes - exchange->staged_used);
    for (int i = 0; i < GS_BATCHES; i++) {
        struct gs_batch *batch = &exchange->batches[i];
        if (!batch->busy)
            continue;
        const char *from = batch->records + (batch->starts[own] + batch->kept) * bytes;
        uint64_t left = batch->starts[own + 1] - batch->starts[own] - batch->kept;
        batch->kept += append(exchange, from, left * bytes) / bytes;
    }
}

/* A batch that can be dealt into, or NULL. */
static struct gs_batch *find_free(struct gs_exchange *exchange)
{
    for (int i = 0; i < GS_BATCHES; i++)
        if (!exchange->batches[i].busy)
            return &exchange->batches[i];
    return NULL;
}

/* Is a batch on its way no longer? */
static enum gs_status check_sent(struct gs_exchange *exchange, struct gs_batch *batch, bool *moved,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    int sent = 0;
    const size_t own = (size_t)exchange->cluster->rank;
    if (!batch->busy)
        return GS_OK;
    GS_MPI(MPI_Testall(batch->sent, batch->requests, &sent, MPI_STATUSES_IGNORE));
    bool kept = exchange->failed || batch->kept == batch->starts[own + 1] - batch->starts[own];
    batch->busy = !sent || !kept;
    *moved = *moved || !batch->busy;
cleanup:
    return st;
}

/* Receive a message that has shown: into the caller's memory, or aside. */
static enum gs_status take(struct gs_exchange *exchange, MPI_Message *message, int bytes,
                           MPI_Request *receive, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t size = (uint64_t)bytes;
    exchange->got_bytes += size;
    exchange->received += size / exchange->dealer.wire_bytes;
    if (exchange->to != NULL && size <= exchange->room_bytes - exchange->filled_bytes) {
        GS_MPI(
            MPI_Imrecv(exchange->to + exchange->filled_bytes, bytes, MPI_BYTE, message, receive));
        exchange->filled_bytes += size;
        return st;
    }
    if (exchange->staged_room < size) {
        char *more = realloc(exchange->staged, size);
        if (more == NULL) /* the message is lost, and with it any hope of an orderly end */
            return gs_wire_check(MPI_ERR_NO_MEM, err);
        exchange->staged = more;
        exchange->staged_room = size;
    }
    GS_MPI(MPI_Mrecv(exchange->staged, bytes, MPI_BYTE, message, MPI_STATUS_IGNORE));
    exchange->staged_bytes = exchange->to != NULL ? size : 0;
    exchange->staged_used = 0;
cleanup:
    return st;
}

/* Receive the next message, if one has shown and can be taken. */
static enum gs_status receive(struct gs_exchange *exchange, bool *moved, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    int here = 0;
    int slot, any, bytes;
    MPI_Message message;
    MPI_Status status;
    GS_MPI(MPI_Testany(GS_RECEIVES, exchange->receives, &slot, &any, MPI_STATUS_IGNORE));
    for (slot = 0; slot < GS_RECEIVES && exchange->receives[slot] != MPI_REQUEST_NULL; slot++)
        continue;
    if (slot == GS_RECEIVES || exchange->staged_used < exchange->staged_bytes)
        return GS_OK;
    GS_MPI(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &here, &message, &status));
    if (!here)
        return GS_OK;
    *moved = true;
    GS_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
    if (status.MPI_TAG == TAG_RECORDS)
        return take(exchange, &message, bytes, &exchange->receives[slot], err);
    exchange->ended++;
    exchange->failed = exchange->failed || status.MPI_TAG == TAG_FAILED;
    GS_MPI(MPI_Mrecv(NULL, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE));
cleanup:
    return st;
}

/* Move whatever can be moved. */
static enum gs_status progress(struct gs_exchange *exchange, bool *moved, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    bool more;
    hand_over(exchange);
    gs_populate_want(&exchange->pages, exchange->filled_bytes);
    for (int i = 0; i < GS_BATCHES; i++)
        GS_TRY(check_sent(exchange, &exchange->batches[i], moved, err));
    do {
        more = false;
        GS_TRY(receive(exchange, &more, err));
        *moved = *moved || more;
    } while (more);
cleanup:
    return st;
}

static void progress_meanwhile(void *context)
{
    bool moved = false; /* nobody asks */
    struct gs_exchange *exchange = context;
    if (exchange->status == GS_OK)
        exchange->status = progress(exchange, &moved, exchange->err);
}

/* Own records go to the caller at once, if all of a batch fit there. */
static void *place_own(void *context, uint64_t count)
{
    struct gs_exchange *exchange = context;
    const uint64_t bytes = count * exchange->dealer.wire_bytes;
    if (exchange->to == NULL || bytes > exchange->room_bytes - exchange->filled_bytes)
        return NULL;
    exchange->filled_bytes += bytes;
    return exchange->to + exchange->filled_bytes - bytes;
}

/* Tell all others that no more will come. */
static enum gs_status say_farewell(struct gs_exchange *exchange, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const int tag = exchange->failed ? TAG_FAILED : TAG_END;
    exchange->told = true;
    for (int rank = 0; rank < exchange->cluster->size; rank++)
        if (rank != exchange->cluster->rank)
            GS_MPI(MPI_Isend(NULL, 0, MPI_BYTE, rank, tag, MPI_COMM_WORLD,
                             &exchange->farewells[rank]));
cleanup:
    return st;
}

/* Begin to send a rank's part of a batch. */
static enum gs_status send_part(struct gs_exchange *exchange, struct gs_batch *batch, int rank,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const size_t bytes = exchange->dealer.wire_bytes;
    const uint64_t most = message_records(exchange);
    const uint64_t end = batch->starts[rank + 1];
    for (uint64_t first = batch->starts[rank], count; first < end; first += count) {
        count = end - first < most ? end - first : most;
        GS_MPI(MPI_Issend(batch->records + first * bytes, (int)(count * bytes), MPI_BYTE, rank,
                          TAG_RECORDS, MPI_COMM_WORLD, &batch->requests[batch->sent++]));
        exchange->sent_bytes += count * bytes;
    }
cleanup:
    return st;
}

/* Deal the next batch and begin to send it. */
static enum gs_status send_batch(struct gs_exchange *exchange, struct gs_batch *batch,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const size_t bytes = exchange->dealer.record_bytes;
    while (exchange->span < exchange->span_count &&
           exchange->used == exchange->spans[exchange->span].count) {
        exchange->span++;
        exchange->used = 0;
    }
    if (exchange->span == exchange->span_count)
        return say_farewell(exchange, err);
    const struct gs_span *span = &exchange->spans[exchange->span];
    uint64_t left = span->count - exchange->used;
    uint64_t count = left < exchange->dealer.most ? left : exchange->dealer.most;
    exchange->err = err;
    const bool placed =
        gs_deal(&exchange->dealer, (const char *)span->keys + exchange->used * bytes, count,
                exchange->position, batch->records, batch->starts);
    GS_TRY(exchange->status);
    const uint64_t own =
        batch->starts[exchange->cluster->rank + 1] - batch->starts[exchange->cluster->rank];
    exchange->used += count;
    exchange->position += count;
    batch->busy = true;
    batch->kept = placed ? own : 0;
    batch->sent = 0;
    for (int i = 1; i < exchange->cluster->size; i++) /* each rank begins with its neighbour */
        GS_TRY(send_part(exchange, batch, (exchange->cluster->rank + i) % exchange->cluster->size,
                         err));
    exchange->received += own;
cleanup:
    return st;
}

/* Nothing to do. */
static void idle(struct gs_exchange *exchange, unsigned *spins)
{
    uint64_t start = gs_now_ns();
    gs_wire_nap(spins);
    exchange->wait_ns += gs_now_ns() - start;
}

/* Has everything come, and gone? */
static bool is_complete(const struct gs_exchange *exchange)
{
    for (int i = 0; i < GS_BATCHES; i++)
        if (exchange->batches[i].busy)
            return false;
    return exchange->told && exchange->ended == exchange->cluster->size - 1 &&
           exchange->staged_used == exchange->staged_bytes;
}

enum gs_status gs_exchange_read(struct gs_exchange *exchange, void *to, uint64_t room,
                                uint64_t *got, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    unsigned spins = 0;
    exchange->to = to;
    exchange->room_bytes = room * exchange->dealer.wire_bytes;
    exchange->filled_bytes = 0;
    while (!exchange->failed && !is_complete(exchange)) {
        bool moved = false;
        GS_TRY(progress(exchange, &moved, err));
        if (exchange->filled_bytes == exchange->room_bytes)
            break;
        struct gs_batch *batch = exchange->told ? NULL : find_free(exchange);
        if (batch != NULL)
            GS_TRY(send_batch(exchange, batch, err));
        else if (!moved)
            idle(exchange, &spins);
        if (moved)
            spins = 0;
    }
    /* NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): MPI_Imrecv began them */
    GS_MPI(MPI_Waitall(GS_RECEIVES, exchange->receives, MPI_STATUSES_IGNORE));
    exchange->to = NULL;
    exchange->end_ns = gs_now_ns();
    if (exchange->failed)
        return GS_ERR_INTERNAL;
    *got = exchange->filled_bytes / exchange->dealer.wire_bytes;
    if (exchange->dealer.verify)
        exchange->fingerprint += gs_deal_fingerprint(to, *got, exchange->dealer.wire_bytes);
cleanup:
    return st;
}

/* Throw away what still comes, until all ranks have said that it was all. */
static enum gs_status drain(struct gs_exchange *exchange, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    unsigned spins = 0;
    exchange->failed = true;
    exchange->to = NULL;
    exchange->staged_bytes = exchange->staged_used = 0;
    if (!exchange->told)
        GS_TRY(say_farewell(exchange, err));
    while (!is_complete(exchange)) {
        bool moved = false;
        GS_TRY(progress(exchange, &moved, err));
        if (!moved)
            idle(exchange, &spins);
    }
cleanup:
    return st;
}

enum gs_status gs_exchange_finish(struct gs_exchange *exchange, bool failed, uint64_t *first,
                                  uint64_t *total, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (failed || exchange->failed)
        GS_TRY(drain(exchange, err));
    GS_MPI(MPI_Waitall(exchange->cluster->size, exchange->farewells, MPI_STATUSES_IGNORE));
    /* Of all ranks: records; what was sent and did not come, by fingerprint; failures. */
    uint64_t sums[] = {exchange->received, exchange->dealer.fingerprint - exchange->fingerprint,
                       exchange->failed};
    *first = 0;
    GS_TRY(gs_wire_reduce(sums, 3, MPI_UINT64_T, MPI_SUM, err));
    GS_MPI(MPI_Exscan(&exchange->received, first, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD));
    if (exchange->cluster->rank == 0)
        *first = 0; /* which MPI leaves undefined */
    *total = sums[0];
    if (sums[2] != 0)
        st = GS_ERR_INTERNAL;
    else if (exchange->dealer.verify && sums[1] != 0)
        st = gs_fail(err, GS_ERR_VERIFY, 0, "verify: what ranks have got is not what was sent");
cleanup:
    return st;
}

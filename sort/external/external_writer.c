/* external_writer.c -- write a chunk to temporary files while the next one is read and split.
 * SPDX-License-Identifier: MIT
 *
 * Several threads, since one request at a time does not keep a disk busy; no more than there are
 * files, since the kernel admits one writer to each. They are not OpenMP's: where the system
 * refuses some, the others do, and where it refuses all, the caller.
 */
#include "sort/external/external_writer.h"
#include "sort/keys/params.h"

#include "common/clock.h"

/* Keys that a thread writes at a time. */
#define PIECE_KEYS GS_KEYS_IN((uint64_t)4096)

static void *write_pieces(void *argument)
{
    struct gs_external_writer *writer = argument;
    struct gs_error error = {.status = GS_OK};
    uint64_t from;
    while (!atomic_load(&writer->failed) &&
           (from = atomic_fetch_add(&writer->next, PIECE_KEYS)) < writer->count) {
        uint64_t left = writer->count - from;
        uint64_t here = left < PIECE_KEYS ? left : PIECE_KEYS;
        if (gs_spill_write(writer->spill, &writer->place, from * GS_KEY_BYTES, writer->keys + from,
                           here * GS_KEY_BYTES, &error) != GS_OK &&
            !atomic_exchange(&writer->failed, true))
            writer->error = error;
    }
    atomic_store(&writer->end_ns, gs_now_ns());
    return NULL;
}

enum gs_status gs_external_writer_begin(struct gs_external_writer *writer, struct gs_spill *spill,
                                        const gs_key *keys, uint64_t count, unsigned threads,
                                        struct gs_error *err)
{
    const uint64_t now = gs_now_ns();
    *writer = (struct gs_external_writer){
        .spill = spill, .keys = keys, .count = count, .begin_ns = now, .end_ns = now};
    if (count == 0)
        return GS_OK;
    enum gs_status st = gs_spill_place(spill, count * GS_KEY_BYTES, &writer->place, err);
    if (st != GS_OK)
        return st;
    for (unsigned i = 0; i < threads && i < GS_SPILL_FILES && i * PIECE_KEYS < count; i++)
        if (pthread_create(&writer->threads[writer->running], NULL, write_pieces, writer) == 0)
            writer->running++;
    if (writer->running == 0)
        (void)write_pieces(writer);
    return GS_OK;
}

static void join(struct gs_external_writer *writer)
{
    for (; writer->running > 0; writer->running--)
        pthread_join(writer->threads[writer->running - 1], NULL);
}

enum gs_status gs_external_writer_end(struct gs_external_writer *writer, struct gs_stage_stats *row,
                                      struct gs_error *err)
{
    join(writer);
    *row = (struct gs_stage_stats){
        .begin_ns = writer->begin_ns, .end_ns = atomic_load(&writer->end_ns), .device = "cpu"};
    row->ns = row->end_ns - row->begin_ns;
    return atomic_load(&writer->failed)
               ? gs_fail(err, writer->error.status, 0, "%s", writer->error.text)
               : GS_OK;
}

void gs_external_writer_stop(struct gs_external_writer *writer)
{
    atomic_store(&writer->next, writer->count);
    join(writer);
}

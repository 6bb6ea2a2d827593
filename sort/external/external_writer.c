/* external_writer.c -- write a chunk to temporary files while the next one is read and split.
 * SPDX-License-Identifier: MIT
 *
 * Several threads, since one request at a time does not keep a disk busy; no more than there are
 * files, since the kernel admits one writer to each. They are not OpenMP's: where the system
 * refuses some, the others do, and where it refuses all, the caller.
 */
#include "sort/external/external_writer.h"

#include "common/clock.h"
#include "common/files/direct_file.h"

#include <stdlib.h>

/* Gather a piece of the chunk, `count` keys from key `from` on, and write it. */
static enum gs_status write_piece(struct gs_external_writer *writer, uint64_t from, uint64_t count,
                                  gs_key *piece, struct gs_error *err)
{
    const struct gs_level_chunk *chunk = &writer->chunk;
    gs_level_gather(&chunk->rows, chunk->starts, from, count, piece);
    return gs_spill_write(writer->spill, &chunk->place, from * GS_KEY_BYTES, piece,
                          count * GS_KEY_BYTES, err);
}

static void *write_pieces(void *argument)
{
    struct gs_external_writer *writer = argument;
    struct gs_error error = {.status = GS_OK};
    gs_key *piece = aligned_alloc(GS_DIRECT_BLOCK, GS_PIECE_KEYS * GS_KEY_BYTES);
    uint64_t from;
    if (piece == NULL)
        gs_fail(&error, GS_ERR_MEMORY, 0, "not enough memory to write a chunk");
    while (error.status == GS_OK && !atomic_load(&writer->failed) &&
           (from = atomic_fetch_add(&writer->next, GS_PIECE_KEYS)) < writer->count) {
        uint64_t left = writer->count - from;
        write_piece(writer, from, left < GS_PIECE_KEYS ? left : GS_PIECE_KEYS, piece, &error);
    }
    if (error.status != GS_OK && !atomic_exchange(&writer->failed, true))
        writer->error = error;
    free(piece);
    atomic_store(&writer->end_ns, gs_now_ns());
    return NULL;
}

enum gs_status gs_external_writer_begin(struct gs_external_writer *writer, struct gs_spill *spill,
                                        struct gs_level_chunk *chunk, unsigned threads,
                                        struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t now = gs_now_ns();
    const uint64_t count = chunk->starts[chunk->rows.stride - 1];
    if (count > 0)
        st = gs_spill_place(spill, count * GS_KEY_BYTES, &chunk->place, err);
    *writer = (struct gs_external_writer){.spill = spill,
                                          .chunk = *chunk,
                                          .count = st == GS_OK ? count : 0,
                                          .begin_ns = now,
                                          .end_ns = now};
    chunk->rows = (struct gs_rows){.keys = NULL};
    for (unsigned i = 0; i < threads && i < GS_SPILL_FILES && i * GS_PIECE_KEYS < writer->count;
         i++)
        if (pthread_create(&writer->threads[writer->running], NULL, write_pieces, writer) == 0)
            writer->running++;
    if (writer->running == 0 && writer->count > 0)
        (void)write_pieces(writer);
    return st;
}

static void join(struct gs_external_writer *writer)
{
    for (; writer->running > 0; writer->running--)
        pthread_join(writer->threads[writer->running - 1], NULL);
    free(writer->chunk.rows.starts);
    writer->chunk.rows.starts = NULL;
}

enum gs_status gs_external_writer_end(struct gs_external_writer *writer, struct gs_stage_stats *row,
                                      struct gs_error *err)
{
    join(writer);
    *row = (struct gs_stage_stats){.begin_ns = writer->begin_ns,
                                   .end_ns = atomic_load(&writer->end_ns),
                                   .device = GS_DEVICE_CPU};
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

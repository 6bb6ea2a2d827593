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

/* Bytes of a piece of keys, and about those of a piece of records with their tags. */
#define PIECE_BYTES   ((uint64_t)1 << 20)
#define RECORDS_BYTES ((uint64_t)512 << 10)

/* Pieces of records begin at blocks where that makes them no larger: then they may go past the page
 * cache. */
uint64_t gs_piece_entries(const struct gs_entries *entries)
{
    const uint64_t bytes = entries->bytes;
    const uint64_t fit = (entries->tagged ? RECORDS_BYTES : PIECE_BYTES) / gs_entry_room(entries);
    const uint64_t divisor = bytes & -bytes; /* a power of two */
    const uint64_t aligned = divisor < GS_DIRECT_BLOCK ? GS_DIRECT_BLOCK / divisor : 1;
    return fit < aligned ? fit + 1 : fit / aligned * aligned;
}

void gs_chunk_input_free(struct gs_chunk_input *input)
{
    gs_tiles_free(&input->tiles);
    free(input->spans);
    input->tiles = (struct gs_tiles){.spans = NULL};
    input->spans = NULL;
    input->given = false;
}

/* Gather a piece of the chunk, `count` entries from entry `from` on, and write it; tags: room for
 * as many keys. */
static enum gs_status write_piece(struct gs_external_writer *writer, uint64_t from, uint64_t count,
                                  gs_key *tags, char *piece, struct gs_error *err)
{
    const struct gs_entries *entries = writer->entries;
    const struct gs_level_chunk *chunk = &writer->chunk;
    gs_level_gather(&chunk->rows, chunk->starts, from, count, tags);
    if (entries->tagged)
        entries->fetch(entries, &writer->input, tags, count, piece);
    if (writer->sums)
        atomic_fetch_add(&writer->sum, gs_entries_checksum(piece, entries->bytes, from, count));
    return gs_spill_write(writer->spill, &chunk->place, from * entries->bytes, piece,
                          count * entries->bytes, err);
}

static void *write_pieces(void *argument)
{
    struct gs_external_writer *writer = argument;
    struct gs_error error = {.status = GS_OK};
    const uint64_t most = writer->piece;
    const uint64_t bytes = most * writer->entries->bytes;
    char *piece = aligned_alloc(GS_DIRECT_BLOCK, bytes + (-bytes & (GS_DIRECT_BLOCK - 1)));
    gs_key *own = NULL; /* where what is written is not the keys themselves */
    gs_key *tags = (gs_key *)(void *)piece;
    uint64_t from;
    if (writer->entries->tagged)
        tags = own = malloc(most * sizeof *own);
    if (piece == NULL || tags == NULL)
        gs_fail(&error, GS_ERR_MEMORY, 0, "not enough memory to write a chunk");
    while (error.status == GS_OK && !atomic_load(&writer->failed) &&
           (from = atomic_fetch_add(&writer->next, most)) < writer->count) {
        uint64_t left = writer->count - from;
        write_piece(writer, from, left < most ? left : most, tags, piece, &error);
    }
    if (error.status != GS_OK && !atomic_exchange(&writer->failed, true))
        writer->error = error;
    free(own);
    free(piece);
    atomic_store(&writer->end_ns, gs_now_ns());
    return NULL;
}

enum gs_status gs_external_writer_begin(struct gs_external_writer *writer, struct gs_spill *spill,
                                        const struct gs_entries *entries,
                                        struct gs_level_chunk *chunk, struct gs_chunk_input *input,
                                        bool sums, unsigned threads, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t now = gs_now_ns();
    const uint64_t count = chunk->starts[chunk->rows.stride - 1];
    if (count > 0)
        st = gs_spill_place(spill, count * entries->bytes, &chunk->place, err);
    *writer = (struct gs_external_writer){.spill = spill,
                                          .entries = entries,
                                          .chunk = *chunk,
                                          .input = *input,
                                          .count = st == GS_OK ? count : 0,
                                          .piece = gs_piece_entries(entries),
                                          .sums = sums,
                                          .begin_ns = now,
                                          .end_ns = now};
    chunk->rows = (struct gs_rows){.keys = NULL};
    *input = (struct gs_chunk_input){.spans = NULL};
    for (unsigned i = 0; i < threads && i < GS_SPILL_FILES && i * writer->piece < writer->count;
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
    gs_chunk_input_free(&writer->input);
}

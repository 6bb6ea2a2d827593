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
#include "common/memory/memory.h"

#include <stdlib.h>

/* Of a writer's stack: it only gathers and writes. The usual 8 MiB would leave little of a limited
 * address space. */
#define STACK_BYTES ((size_t)256 << 10)

/* Bytes of a piece of keys, and about those of a piece of records with their tags. */
#define PIECE_BYTES   ((uint64_t)1 << 20)
#define RECORDS_BYTES ((uint64_t)512 << 10)

/* The entries after which a block begins again. */
static uint64_t entries_between_blocks(const struct gs_entries *entries)
{
    const uint64_t divisor = entries->bytes & -entries->bytes; /* a power of two */
    return divisor < GS_DIRECT_BLOCK ? GS_DIRECT_BLOCK / divisor : 1;
}

/* Pieces of records begin at blocks where that makes them no larger: then they may go past the page
 * cache. */
uint64_t gs_piece_entries(const struct gs_entries *entries)
{
    const uint64_t fit = (entries->tagged ? RECORDS_BYTES : PIECE_BYTES) / gs_entry_room(entries);
    const uint64_t aligned = entries_between_blocks(entries);
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

/* Room for a piece: for its entries and, where these are fetched, for its keys. */
struct piece {
    uint64_t most; /* entries */
    size_t bytes;  /* of the room */
    char *entries; /* owned */
    gs_key *tags;  /* behind the entries if these are fetched, else they are the entries */
};

/* Pages, not malloc's: where little is left, that asks for a MiB at least. */
static bool piece_alloc(struct piece *piece, const struct gs_entries *entries, uint64_t most)
{
    const uint64_t bytes = most * entries->bytes;
    const uint64_t tags_at = entries->tagged ? bytes + (-bytes & (GS_DIRECT_BLOCK - 1)) : 0;
    piece->most = most;
    piece->bytes = entries->tagged ? tags_at + most * sizeof *piece->tags : bytes;
    piece->entries = gs_pages_alloc(piece->bytes);
    piece->tags = (gs_key *)(void *)(piece->entries + tags_at);
    return piece->entries != NULL;
}

/* The plan does not count what writers have in hand, so that there may be less memory than they
 * want: smaller pieces then, which begin at blocks if larger ones do. */
static bool piece_open(struct piece *piece, const struct gs_external_writer *writer)
{
    const uint64_t between = entries_between_blocks(writer->entries);
    const uint64_t unit = writer->piece % between == 0 ? between : 1;
    uint64_t most = writer->piece;
    while (!piece_alloc(piece, writer->entries, most)) {
        if (most <= unit)
            return false;
        most = most / unit / 2 > 0 ? most / unit / 2 * unit : unit;
    }
    return true;
}

/* Gather a piece of the chunk, `count` entries from entry `from` on, and write it. */
static enum gs_status write_piece(struct gs_external_writer *writer, uint64_t from, uint64_t count,
                                  const struct piece *piece, struct gs_error *err)
{
    const struct gs_entries *entries = writer->entries;
    const struct gs_level_chunk *chunk = &writer->chunk;
    gs_level_gather(&chunk->rows, chunk->starts, from, count, piece->tags);
    if (entries->tagged)
        entries->fetch(entries, &writer->input, piece->tags, count, piece->entries);
    if (writer->sums)
        atomic_fetch_add(&writer->sum,
                         gs_entries_checksum(piece->entries, entries->bytes, from, count));
    return gs_spill_write(writer->spill, &chunk->place, from * entries->bytes, piece->entries,
                          count * entries->bytes, err);
}

static void *write_pieces(void *argument)
{
    struct gs_external_writer *writer = argument;
    struct gs_error error = {.status = GS_OK};
    struct piece piece;
    uint64_t from;
    if (!piece_open(&piece, writer)) {
        piece = (struct piece){.entries = NULL};
        gs_fail(&error, GS_ERR_MEMORY, 0, "not enough memory to write a chunk");
    }
    while (error.status == GS_OK && !atomic_load(&writer->failed) &&
           (from = atomic_fetch_add(&writer->next, piece.most)) < writer->count) {
        uint64_t left = writer->count - from;
        write_piece(writer, from, left < piece.most ? left : piece.most, &piece, &error);
    }
    if (error.status != GS_OK && !atomic_exchange(&writer->failed, true))
        writer->error = error;
    gs_pages_free(piece.entries, piece.bytes);
    atomic_store(&writer->end_ns, gs_now_ns());
    return NULL;
}

static void start_threads(struct gs_external_writer *writer, unsigned threads)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (unsigned i = 0; i < threads && i < GS_SPILL_FILES && i * writer->piece < writer->count;
         i++)
        if (pthread_create(&writer->threads[writer->running], &attributes, write_pieces, writer) ==
            0)
            writer->running++;
    (void)pthread_attr_destroy(&attributes);
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
    start_threads(writer, threads);
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

/* external_distribute.c -- distribute the input, or a large bin, to bins on disk.
 * SPDX-License-Identifier: MIT
 *
 * The chunk that is split, and the chunk before it, which is being written, take half of the memory
 * each. Keys of a mapped file are split from where they are, and their pages dropped afterwards;
 * those of a pipe are read to the chunk and split within it. Keys read from a pipe before may fill
 * nearly all of the memory: then the first chunks are small, and each frees memory for larger ones.
 */
#include "sort/external/external_distribute.h"
#include "sort/external/external_compact.h"
#include "sort/external/external_keys.h"
#include "sort/external/external_manifest.h"
#include "sort/external/external_sample.h"
#include "sort/keys/params.h"

#include "common/clock.h"

#include <stdlib.h>
#include <string.h>

/* The largest packet that a read may get: more than a socket's buffer takes by default. */
#define PACKET_BYTES ((uint64_t)256 << 10)

static void drop_chunks(struct gs_external_sorter *sorter)
{
    gs_external_writer_stop(&sorter->writer);
    gs_split_close(sorter->split);
    sorter->split = NULL;
    sorter->next = 0;
    for (unsigned i = 0; i < 2; i++)
        gs_external_drop(&sorter->chunks[i], gs_external_chunk_bytes(sorter));
}

/* The input of a chunk is not read again: give it back. If it has changed meanwhile, nothing more
 * is noted for another run. */
static void release_input(struct gs_external_sorter *sorter, struct gs_chunk_input *input)
{
    if (input->given && sorter->journal != NULL &&
        gs_manifest_sum(&input->tiles, 0, gs_tiles_keys(&input->tiles), sorter->threads) !=
            input->sum)
        sorter->journal = NULL;
    if (input->given)
        gs_external_advise_spans(sorter, GS_USE_DONE, input->spans, input->tiles.span_count);
    gs_chunk_input_free(input);
}

/* Wait until the chunk that was split last, if any, is on disk. Until then the level is as it was
 * when that chunk had been added. */
static enum gs_status settle_chunk(struct gs_external_sorter *sorter, const struct gs_level *level,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_stage_stats row;
    const uint64_t keys = sorter->pending;
    if (keys == 0)
        return GS_OK;
    sorter->pending = 0;
    GS_TRY(gs_external_writer_end(&sorter->writer, &row, err));
    release_input(sorter, &sorter->writer.input);
    gs_stage_add(&sorter->stats->stages[GS_STAGE_SCATTER], &row);
    if (sorter->journal != NULL && !level->of_bin)
        GS_TRY(gs_manifest_add(sorter, level, err));
    atomic_fetch_add(&sorter->progress->done, keys);
cleanup:
    return st;
}

/* Add a chunk that was split to sorter->chunks[sorter->next], and keep it in memory or begin to
 * write it. */
static enum gs_status add_chunk(struct gs_external_sorter *sorter, struct gs_level *level,
                                struct gs_level_chunk *chunk, struct gs_chunk_input *input,
                                uint64_t keys, struct gs_error *err)
{
    const bool keeps = !level->of_bin && sorter->kept + keys <= sorter->plan.kept_keys;
    const bool sums = sorter->journal != NULL && !level->of_bin;
    enum gs_status st = settle_chunk(sorter, level, err);
    if (st == GS_OK)
        st = gs_progress_check(sorter->progress, err);
    if (!sorter->entries->tagged || keeps)
        release_input(sorter, input);
    if (st == GS_OK && !keeps)
        st = gs_external_writer_begin(&sorter->writer, &sorter->spill, sorter->entries, chunk,
                                      input, sums, sorter->plan.writers, err);
    if (st == GS_OK)
        st = gs_level_add(level, chunk, err);
    if (st != GS_OK)
        return st;
    for (uint32_t bin = 0; bin < gs_level_bins(level); bin++)
        level->totals[bin] += sorter->split->totals[bin];
    sorter->chunk_fingerprint = sorter->split->run.fingerprint;
    if (keeps) {
        level->chunks[level->chunk_count - 1].kept_keys = sorter->plan.chunk_keys;
        sorter->chunks[sorter->next] = NULL;
        sorter->kept += keys;
        atomic_fetch_add(&sorter->progress->done, keys);
    } else {
        sorter->pending = keys;
        sorter->next = 1 - sorter->next;
    }
    return GS_OK;
}

/* Combine what is on disk, if it is time. The memory of chunks has nothing that is needed. */
static enum gs_status compact(struct gs_external_sorter *sorter, struct gs_level *level,
                              struct gs_error *err)
{
    if (!gs_external_compacts(sorter, level))
        return GS_OK;
    enum gs_status st = settle_chunk(sorter, level, err);
    return st == GS_OK ? gs_external_compact(sorter, level, err) : st;
}

/* Keys that are read next. To announce many of them takes as long as to read them. */
struct coming {
    const struct gs_external_sorter *sorter;
    const struct gs_tiles *tiles;
    uint64_t first;
    uint64_t count;
};

static void *announce(void *argument)
{
    const struct coming *coming = argument;
    gs_external_advise_keys(coming->sorter, coming->tiles, coming->first + coming->count,
                            GS_USE_SOON, coming->first, coming->count);
    return NULL;
}

/* Split a chunk while the disk reads the keys `coming`. */
static enum gs_status split_ahead(const struct gs_external_sorter *sorter, struct coming *coming,
                                  const struct gs_tiles *tiles, struct gs_level_chunk *chunk,
                                  struct gs_error *err)
{
    pthread_t thread;
    const bool ahead = sorter->on_disk && coming->count > 0 &&
                       pthread_create(&thread, NULL, announce, coming) == 0;
    enum gs_status st =
        gs_split_chunk(sorter->split, tiles, sorter->chunks[sorter->next], chunk, err);
    if (ahead)
        pthread_join(thread, NULL);
    return st;
}

/* Split one chunk, which is all of an input that is taken over, and begin to write it. */
static enum gs_status split_chunk(struct gs_external_sorter *sorter, struct gs_level *level,
                                  struct gs_chunk_input *input, struct coming *coming,
                                  struct gs_error *err)
{
    enum gs_status st;
    struct gs_level_chunk chunk = {.starts = NULL};
    const uint64_t keys = gs_tiles_keys(&input->tiles);
    const bool verify = (sorter->options->verify || sorter->journal != NULL) && !level->of_bin;
    if (sorter->split == NULL)
        sorter->split =
            gs_split_open(sorter->options, verify, &level->splitters, sorter->plan.row_keys,
                          sorter->plan.threads, sorter->stats, err);
    if (sorter->split == NULL) {
        st = GS_ERR_MEMORY;
        goto cleanup;
    }
    for (unsigned i = 0; i < 2; i++)
        GS_TRY(gs_external_need(&sorter->chunks[i], gs_external_chunk_bytes(sorter), err));
    if (sorter->journal != NULL && input->given)
        input->sum = gs_manifest_sum(&input->tiles, 0, keys, sorter->threads);
    GS_TRY(split_ahead(sorter, coming, &input->tiles, &chunk, err));
    GS_TRY(add_chunk(sorter, level, &chunk, input, keys, err));
    sorter->expected += sorter->split->run.fingerprint;
    return GS_OK;
cleanup:
    gs_external_writer_stop(&sorter->writer); /* it may read the chunk's starts */
    gs_level_chunk_free(&chunk);
    gs_chunk_input_free(input);
    return st;
}

/* Split keys [first, first + count) of the tiles, of which the first `held` are the caller's. */
static enum gs_status split_part(struct gs_external_sorter *sorter, struct gs_level *level,
                                 const struct gs_tiles *tiles, uint64_t held, uint64_t first,
                                 uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    size_t spans = 0;
    struct gs_span *span = calloc(tiles->span_count, sizeof *span);
    struct gs_chunk_input input = {.spans = span, .first = first, .given = first + count <= held};
    const uint64_t left = held - first - count;
    struct coming coming = {.sorter = sorter,
                            .tiles = tiles,
                            .first = first + count,
                            .count = left < count ? left : count};
    if (span == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu inputs",
                       tiles->span_count);
    for (uint64_t done = 0; done < count; spans++) {
        const struct gs_tile piece = gs_tiles_part(tiles, first + done, count - done);
        span[spans] = *piece.span;
        span[spans].keys = piece.records;
        span[spans].count = piece.count;
        done += piece.count;
    }
    st = gs_level_tiles(level, tiles->codec, &input.tiles, span, spans, err);
    if (st == GS_OK) /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): that takes the input over */
        st = split_chunk(sorter, level, &input, &coming, err);
    else
        free(span);
    return st;
}

/* Split the first `held` keys of the tiles, which are the caller's, chunk by chunk. The first
 * `done` of them are split already. */
static enum gs_status split_tiles(struct gs_external_sorter *sorter, struct gs_level *level,
                                  const struct gs_tiles *tiles, uint64_t held, uint64_t done,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    gs_external_advise_spans(sorter, GS_USE_IN_ORDER, sorter->source->spans,
                             sorter->source->span_count);
    atomic_fetch_add(&sorter->progress->done, done);
    const bool alone = sorter->source->read == NULL && sorter->source->held_bytes == 0;
    for (uint64_t first = done, count; first < held; first += count) {
        if (alone)
            GS_TRY(compact(sorter, level, err));
        count = gs_external_next_chunk(sorter, held - first);
        GS_TRY(split_part(sorter, level, tiles, held, first, count, err));
    }
cleanup:
    return st;
}

/* Read a chunk from the source. Stop when there is no room left for a whole packet: the part of a
 * packet that a read from a pipe or socket has no room for is lost. *got is 0 at the end only, or
 * if the chunk before could not be written: a slow pipe need not fill this one to learn of that. */
static enum gs_status read_chunk(struct gs_external_sorter *sorter, uint64_t *got,
                                 struct gs_error *err)
{
    enum gs_status st;
    uint64_t start = gs_now_ns();
    const uint64_t bytes = sorter->entries->input_bytes;
    uint64_t chunk = sorter->plan.chunk_keys;
    uint64_t packet = PACKET_BYTES / (sorter->entries->tagged ? bytes : GS_KEY_BYTES) + 1;
    uint64_t more = 1;
    packet = packet < chunk / 2 ? packet : chunk / 2;
    *got = 0;
    GS_TRY(gs_external_need(&sorter->chunks[sorter->next], gs_external_chunk_bytes(sorter), err));
    while (chunk - *got > packet && more > 0 && !atomic_load(&sorter->writer.failed)) {
        char *to = gs_external_read_place(sorter, sorter->next) + *got * bytes;
        GS_TRY(sorter->source->read(sorter->source->context, to, chunk - *got, &more, err));
        *got += more;
    }
    gs_external_account(sorter, GS_STAGE_READ, start, *got, sorter->entries->bytes);
cleanup:
    return st;
}

/* Split the chunk of `count` entries that was read; codec, unless NULL: they are still records.
 * Those of the input are numbered from `first` on. */
static enum gs_status split_read(struct gs_external_sorter *sorter, struct gs_level *level,
                                 const struct gs_codec *codec, uint64_t first, uint64_t count,
                                 struct gs_error *err)
{
    struct coming none = {.count = 0};
    struct gs_chunk_input input = {.spans = malloc(sizeof *input.spans), .first = first};
    if (input.spans == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to read");
    *input.spans = (struct gs_span){
        .keys = gs_external_read_place(sorter, sorter->next), .count = count, .name = "input"};
    if (codec != NULL && codec->record_bytes < GS_KEY_BYTES) {
        gs_keys_decode_in_place(codec, sorter->chunks[sorter->next], count);
        codec = NULL;
    }
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): split_chunk takes the input over */
    enum gs_status st = gs_level_tiles(level, codec, &input.tiles, input.spans, 1, err);
    if (st == GS_OK)
        st = split_chunk(sorter, level, &input, &none, err);
    else
        free(input.spans);
    return st;
}

/* Cut the input into tiles of which samples are drawn: records need no tags yet. */
static enum gs_status make_tiles(const struct gs_external_sorter *sorter,
                                 const struct gs_tagger *plain, const struct gs_span *spans,
                                 size_t span_count, struct gs_tiles *tiles, struct gs_error *err)
{
    return sorter->entries->tagged
               ? gs_tiles_tag(tiles, plain, spans, span_count, err)
               : gs_tiles_decode(tiles, sorter->options->codec, spans, span_count, err);
}

/* Split what is still to be read: first the chunk, if any, that was read already. */
static enum gs_status split_rest(struct gs_external_sorter *sorter, struct gs_level *level,
                                 uint64_t all, uint64_t got, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (got == 0)
        GS_TRY(read_chunk(sorter, &got, err));
    while (got > 0) {
        if (sorter->entries->tagged)
            GS_TRY(sorter->entries->check(sorter->entries, &sorter->plan, all + got, true, err));
        GS_TRY(split_read(sorter, level, sorter->options->codec, all, got, err));
        all += got;
        GS_TRY(compact(sorter, level, err));
        GS_TRY(read_chunk(sorter, &got, err));
    }
cleanup:
    return st;
}

enum gs_status gs_external_split_input(struct gs_external_sorter *sorter, struct gs_level **level,
                                       struct gs_error *err)
{
    enum gs_status st;
    const struct gs_external *source = sorter->source;
    const struct gs_tagger plain = {.record_bytes = sorter->entries->input_bytes};
    struct gs_tiles tiles = {.first_key = NULL};
    struct gs_span *spans = calloc(source->span_count + 1, sizeof *spans);
    uint64_t got = 0;
    uint64_t held = 0;
    uint64_t done = 0; /* by an earlier run */
    if (spans == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu inputs", source->span_count);
        goto cleanup;
    }
    for (size_t i = 0; i < source->span_count; i++) {
        spans[i] = source->spans[i];
        held += spans[i].count;
    }
    /* If the largest buffer is refused, let that be now, while the caller may try a smaller one. */
    GS_TRY(gs_external_need(&sorter->load, gs_external_load_bytes(sorter), err));
    gs_external_drop(&sorter->load, gs_external_load_bytes(sorter));
    gs_external_phase(sorter, GS_STAGE_SCATTER, source->read == NULL ? held : 0);
    /* The spans have too few keys for a good sample: add the first chunk to them. It lies in the
     * second buffer, since they are split to the first one, as one chunk. */
    if (source->read != NULL && held < sorter->plan.chunk_keys / 4) {
        sorter->next = 1;
        GS_TRY(read_chunk(sorter, &got, err));
        sorter->next = 0;
    }
    spans[source->span_count] = (struct gs_span){
        .keys = got > 0 ? gs_external_read_place(sorter, 1) : NULL, .count = got, .name = "-"};
    GS_TRY(make_tiles(sorter, &plain, spans, source->span_count + 1, &tiles, err));
    if (sorter->journal != NULL)
        GS_TRY(gs_manifest_take(sorter, &tiles, held, level, &done, err));
    if (*level == NULL)
        GS_TRY(gs_external_open_level(sorter, &tiles, held, level, err));
    GS_TRY(split_tiles(sorter, *level, &tiles, held, done, err));
    sorter->next = got > 0 ? 1 : sorter->next;
    if (source->read != NULL)
        GS_TRY(split_rest(sorter, *level, held, got, err));
    st = settle_chunk(sorter, *level, err);
cleanup:
    drop_chunks(sorter);
    gs_tiles_free(&tiles);
    free(spans);
    return st;
}

/* The bin's old place on disk stays allocated: to punch a hole there, a file system first waits
 * until the data that it drops has been written. */
enum gs_status gs_external_split_bin(struct gs_external_sorter *sorter, const struct gs_level *from,
                                     uint32_t bin, uint32_t shared, struct gs_level **level,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t bytes = sorter->entries->bytes;
    uint64_t keys = from->totals[bin];
    uint64_t used = 0; /* entries in the chunk */
    gs_external_drop(&sorter->load, gs_external_load_bytes(sorter));
    GS_TRY(gs_external_open_bin(sorter, from, bin, shared, level, err));
    for (size_t chunk = 0; chunk < from->chunk_count; chunk++) {
        uint32_t piece = gs_level_piece_keys(from, chunk, bin, bin);
        for (uint32_t done = 0, here; done < piece; done += here) {
            uint64_t start = gs_now_ns();
            uint64_t room = sorter->plan.chunk_keys - used;
            here = piece - done < room ? piece - done : (uint32_t)room;
            GS_TRY(gs_external_need(&sorter->chunks[sorter->next], gs_external_chunk_bytes(sorter),
                                    err));
            GS_TRY(gs_level_read(from, &sorter->spill, chunk, bin, done, here,
                                 gs_external_read_place(sorter, sorter->next) + used * bytes, err));
            gs_external_account(sorter, GS_STAGE_READ, start, here, bytes);
            used += here;
            if (used == sorter->plan.chunk_keys) {
                GS_TRY(split_read(sorter, *level, NULL, 0, used, err));
                used = 0;
            }
        }
    }
    if (used > 0)
        GS_TRY(split_read(sorter, *level, NULL, 0, used, err));
    GS_TRY(settle_chunk(sorter, *level, err));
    atomic_fetch_sub(&sorter->progress->done, keys); /* they are still to be sorted */
cleanup:
    drop_chunks(sorter);
    return st;
}

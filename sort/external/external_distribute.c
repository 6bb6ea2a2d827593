/* external_distribute.c -- distribute the input, or a large bin, to bins on disk.
 * SPDX-License-Identifier: MIT
 *
 * The chunk that is split, and the chunk before it, which is being written, take half of the memory
 * each. Keys of a mapped file are split from where they are, and their pages dropped afterwards;
 * those of a pipe are read to the chunk and split within it. Keys read from a pipe before may fill
 * nearly all of the memory: then the first chunks are small, and each frees memory for larger ones.
 */
#include "sort/external/external_distribute.h"
#include "sort/external/external_manifest.h"
#include "sort/keys/params.h"
#include "sort/split/select_samples.h"

#include "common/clock.h"

#include <stdlib.h>
#include <string.h>

/* Sample keys per bin: with 32 the largest bin is about 1.7 times the mean. Each sample key costs
 * an extra read of a page of the input. Beyond SAMPLES_MAX, therefore, bins get fewer sample keys
 * and are less even, and fewer of them are loaded at once. */
#define SAMPLES_PER_BIN 32
#define SAMPLES_MAX     16384

/* A chunk has at least 1 / HELD_SHARE of plan.chunk_keys, however much memory the input holds. */
#define HELD_SHARE 32

/* The largest packet that a read may get, in keys: more than a socket's buffer takes by default. */
#define PACKET_KEYS GS_KEYS_IN((uint64_t)256)

/* Sample keys drawn before the pages that they brought in are dropped: 16 pages (LOOK_BYTES) for
 * each, 16 MiB in all, or a quarter of the memory if that is less. */
#define SAMPLES_AT_ONCE 256
#define LOOK_BYTES      ((uint64_t)64 << 10)

static void drop_chunks(struct gs_external_sorter *sorter)
{
    gs_external_writer_stop(&sorter->writer);
    gs_split_close(sorter->split);
    sorter->split = NULL;
    sorter->next = 0;
    for (unsigned i = 0; i < 2; i++)
        gs_external_drop(&sorter->chunks[i], sorter->plan.chunk_keys);
}

/* Tell the caller how the keys of all its spans will be used. */
static void advise_spans(const struct gs_external_sorter *sorter, enum gs_use use)
{
    const struct gs_external *source = sorter->source;
    for (size_t i = 0; i < source->span_count && source->advise != NULL; i++)
        if (source->spans[i].count > 0)
            source->advise(source->context, use, source->spans[i].keys, source->spans[i].count);
}

/* The same for keys [first, first + count) of the tiles. The first `held` keys are the caller's. */
static void advise_keys(const struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                        uint64_t held, enum gs_use use, uint64_t first, uint64_t count)
{
    const struct gs_external *source = sorter->source;
    uint64_t end = first + count < held ? first + count : held;
    while (source->advise != NULL && first < end) {
        struct gs_tile part = gs_tiles_part(tiles, first, end - first);
        source->advise(source->context, use, part.records, part.count);
        first += part.count;
    }
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
                                struct gs_level_chunk *chunk, uint64_t keys, struct gs_error *err)
{
    const bool keeps = !level->of_bin && sorter->kept + keys <= sorter->plan.kept_keys;
    enum gs_status st = settle_chunk(sorter, level, err);
    if (st == GS_OK)
        st = gs_progress_check(sorter->progress, err);
    if (st == GS_OK && !keeps)
        st = gs_external_writer_begin(&sorter->writer, &sorter->spill, chunk, sorter->threads, err);
    if (st == GS_OK)
        st = gs_level_add(level, chunk, err);
    if (st != GS_OK)
        return st;
    for (uint32_t bin = 0; bin < gs_level_bins(level); bin++)
        level->totals[bin] += sorter->split->totals[bin];
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
    advise_keys(coming->sorter, coming->tiles, coming->first + coming->count, GS_USE_SOON,
                coming->first, coming->count);
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

/* Split one chunk, which is all of the tiles, and begin to write it. */
static enum gs_status split_chunk(struct gs_external_sorter *sorter, struct gs_level *level,
                                  const struct gs_tiles *tiles, struct coming *coming,
                                  struct gs_error *err)
{
    enum gs_status st;
    struct gs_level_chunk chunk = {.starts = NULL};
    const bool verify = sorter->options->verify && !level->of_bin;
    if (sorter->split == NULL)
        sorter->split =
            gs_split_open(sorter->options, verify, &level->splitters, sorter->plan.row_keys,
                          sorter->plan.threads, sorter->stats, err);
    if (sorter->split == NULL)
        return GS_ERR_MEMORY;
    for (unsigned i = 0; i < 2; i++)
        GS_TRY(gs_external_need(&sorter->chunks[i], sorter->plan.chunk_keys, err));
    GS_TRY(split_ahead(sorter, coming, tiles, &chunk, err));
    GS_TRY(add_chunk(sorter, level, &chunk, gs_tiles_keys(tiles), err));
    sorter->expected += sorter->split->run.fingerprint;
    return GS_OK;
cleanup:
    gs_external_writer_stop(&sorter->writer); /* it may read the chunk's starts */
    gs_level_chunk_free(&chunk);
    return st;
}

/* Keys of the next chunk, with `rest` keys left in memory: its copy by bin, and that of the chunk
 * before, which is no larger, have to fit beside the memory that they hold. */
static uint64_t next_chunk(const struct gs_external_sorter *sorter, uint64_t rest)
{
    const struct gs_external *source = sorter->source;
    uint64_t held = rest * GS_KEY_BYTES;
    held = held < source->held_bytes ? held : source->held_bytes;
    uint64_t memory = sorter->plan.memory_bytes;
    uint64_t left = memory > held ? memory - held : 0;
    uint64_t keys = left / GS_KEY_BYTES / 2;
    uint64_t least = sorter->plan.chunk_keys / HELD_SHARE + 1;
    keys = keys > least ? keys : least;
    keys = keys < sorter->plan.chunk_keys ? keys : sorter->plan.chunk_keys;
    return keys < rest ? keys : rest;
}

/* Split keys [first, first + count) of the tiles, of which the first `held` are the caller's. */
static enum gs_status split_part(struct gs_external_sorter *sorter, struct gs_level *level,
                                 const struct gs_tiles *tiles, uint64_t held, uint64_t first,
                                 uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_tiles part = {.first_key = NULL};
    size_t spans = 0;
    struct gs_span *span = calloc(tiles->span_count, sizeof *span);
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
    GS_TRY(gs_tiles_decode(&part, tiles->codec, span, spans, err));
    st = split_chunk(sorter, level, &part, &coming, err);
cleanup:
    gs_tiles_free(&part);
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
    advise_spans(sorter, GS_USE_IN_ORDER);
    atomic_fetch_add(&sorter->progress->done, done);
    for (uint64_t first = done, count; first < held; first += count) {
        count = next_chunk(sorter, held - first);
        GS_TRY(split_part(sorter, level, tiles, held, first, count, err));
        advise_keys(sorter, tiles, held, GS_USE_DONE, first, count);
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
    uint64_t chunk = sorter->plan.chunk_keys;
    uint64_t packet = PACKET_KEYS < chunk / 2 ? PACKET_KEYS : chunk / 2;
    uint64_t more = 1;
    gs_key **keys = &sorter->chunks[sorter->next];
    *got = 0;
    GS_TRY(gs_external_need(keys, chunk, err));
    while (chunk - *got > packet && more > 0 && !atomic_load(&sorter->writer.failed)) {
        char *to = (char *)*keys + *got * gs_record_bytes(sorter->options);
        GS_TRY(sorter->source->read(sorter->source->context, to, chunk - *got, &more, err));
        *got += more;
    }
    gs_external_account(sorter, GS_STAGE_READ, start, *got, GS_KEY_BYTES);
cleanup:
    return st;
}

/* Turn `count` records into as many keys, which take more memory, from the last one on. */
static void decode_in_place(const struct gs_codec *codec, gs_key *keys, uint64_t count)
{
    gs_key block[GS_ROOMS_BLOCK];
    for (uint64_t first = count, here; first > 0;) {
        here = first < GS_ROOMS_BLOCK ? first : GS_ROOMS_BLOCK;
        first -= here;
        gs_codec_load(codec, (const char *)keys + first * codec->record_bytes, block, here);
        memcpy(keys + first, block, here * sizeof *keys);
    }
}

/* Split the chunk of `count` keys that was read; codec, unless NULL: they are still records. */
static enum gs_status split_read(struct gs_external_sorter *sorter, struct gs_level *level,
                                 const struct gs_codec *codec, uint64_t count, struct gs_error *err)
{
    struct gs_tiles tiles;
    struct coming none = {.count = 0};
    gs_key *keys = sorter->chunks[sorter->next];
    struct gs_span span = {.keys = keys, .count = count, .name = "input"};
    if (codec != NULL && codec->record_bytes < GS_KEY_BYTES) {
        decode_in_place(codec, keys, count);
        codec = NULL;
    }
    enum gs_status st = gs_tiles_decode(&tiles, codec, &span, 1, err);
    if (st != GS_OK)
        return st;
    st = split_chunk(sorter, level, &tiles, &none, err);
    gs_tiles_free(&tiles);
    return st;
}

/* The fraction of the sample, and so about of the input, that falls into equality bins. */
static double share_equal(const struct gs_level *level, const gs_key *sample, uint32_t samples)
{
    const struct gs_splitters *splitters = &level->splitters;
    uint32_t equal = 0;
    for (uint32_t i = 0; i < samples; i++) {
        uint32_t bin = gs_splitters_bin(splitters, splitters->guide, splitters->steps, sample[i]);
        equal += gs_splitters_equal(splitters, bin);
    }
    return samples > 0 ? (double)equal / samples : 0;
}

static uint32_t samples_for(uint32_t bins)
{
    return bins < SAMPLES_MAX / SAMPLES_PER_BIN ? bins * SAMPLES_PER_BIN : SAMPLES_MAX;
}

static uint32_t samples_at_once(const struct gs_external_sorter *sorter)
{
    uint64_t fit = sorter->plan.memory_bytes / 4 / LOOK_BYTES;
    return fit < 1 ? 1 : fit < SAMPLES_AT_ONCE ? (uint32_t)fit : SAMPLES_AT_ONCE;
}

/* Draw the sample. Every samples_at_once keys, drop the pages around the keys drawn since the last
 * time, and no others: if there are many files, most of them had no page brought in. */
static void draw_sample(struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                        uint64_t held, gs_key *sample, uint32_t samples)
{
    const uint32_t at_once = samples_at_once(sorter);
    const uint64_t around = LOOK_BYTES / GS_KEY_BYTES;
    uint64_t keys = gs_tiles_keys(tiles);
    uint64_t first = 0; /* key from which pages are to be dropped */
    advise_spans(sorter, GS_USE_RANDOM);
    sorter->on_disk = gs_samples_on_disk(tiles, samples, GS_SAMPLE_SEED);
    for (uint32_t i = 0; i < samples; i++) {
        uint64_t at = gs_sample_position(i, samples, keys, GS_SAMPLE_SEED);
        if (i % at_once == 0) {
            first = at > around ? at - around : 0;
            if (sorter->on_disk)
                gs_fetch_samples(tiles, samples, GS_SAMPLE_SEED, i,
                                 samples - i < at_once ? samples - i : at_once);
        }
        sample[i] = gs_tiles_key(tiles, at);
        if (i % at_once == at_once - 1)
            advise_keys(sorter, tiles, held, GS_USE_LATER, first, at + around - first);
    }
}

/* Sample the keys in memory and choose the splitters; check that the disk has room. The first
 * `held` keys of the tiles are the caller's. */
static enum gs_status open_level(struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                                 uint64_t held, struct gs_level **level, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    bool known = sorter->source->read == NULL;
    uint64_t keys = gs_tiles_keys(tiles);
    uint32_t wanted = samples_for(sorter->plan.bins);
    uint32_t samples = (uint32_t)(keys < wanted ? keys : wanted);
    uint32_t even = known ? 0 : samples;
    uint64_t start = gs_now_ns();
    gs_key *sample = calloc((size_t)samples + even + 1, sizeof *sample);
    if (sample == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u samples", samples);
        goto cleanup;
    }
    draw_sample(sorter, tiles, held, sample, samples);
    for (uint32_t i = 0; i < even; i++)
        sample[samples + i] = GS_KEY_MAX / even * i + GS_KEY_MAX / even / 2;
    gs_external_account(sorter, GS_STAGE_SELECT_SAMPLES, start, samples, GS_KEY_BYTES);
    start = gs_now_ns();
    *level = gs_level_make(sample, samples + even, sorter->plan.bins, err);
    if (*level == NULL) {
        st = GS_ERR_MEMORY;
        goto cleanup;
    }
    gs_external_account(sorter, GS_STAGE_SORT_SAMPLES, start, samples, 2 * GS_KEY_BYTES);
    sorter->stats->samples += samples;
    double share = known ? share_equal(*level, sample, samples) : 0;
    const uint64_t spilled = keys > sorter->plan.kept_keys ? keys - sorter->plan.kept_keys : 0;
    GS_TRY(gs_spill_check(&sorter->spill, (uint64_t)((double)spilled * GS_KEY_BYTES * (1 - share)),
                          sorter->source->output_device, sorter->source->output_bytes, err));
    if (sorter->journal != NULL)
        st = gs_manifest_begin(sorter, *level, err);
cleanup:
    free(sample);
    return st;
}

enum gs_status gs_external_split_input(struct gs_external_sorter *sorter, struct gs_level **level,
                                       struct gs_error *err)
{
    enum gs_status st;
    const struct gs_external *source = sorter->source;
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
    GS_TRY(gs_external_need(&sorter->load, sorter->plan.bin_keys, err));
    gs_external_drop(&sorter->load, sorter->plan.bin_keys);
    gs_external_phase(sorter, GS_STAGE_SCATTER, source->read == NULL ? held : 0);
    /* The spans have too few keys for a good sample: add the first chunk to them. It lies in the
     * second buffer, since they are split to the first one, as one chunk. */
    if (source->read != NULL && held < sorter->plan.chunk_keys / 4) {
        sorter->next = 1;
        GS_TRY(read_chunk(sorter, &got, err));
        sorter->next = 0;
    }
    spans[source->span_count] =
        (struct gs_span){.keys = sorter->chunks[1], .count = got, .name = "-"};
    GS_TRY(gs_tiles_decode(&tiles, sorter->options->codec, spans, source->span_count + 1, err));
    if (sorter->journal != NULL)
        GS_TRY(gs_manifest_take(sorter, &tiles, held, level, &done, err));
    if (*level == NULL)
        GS_TRY(open_level(sorter, &tiles, held, level, err));
    GS_TRY(split_tiles(sorter, *level, &tiles, held, done, err));
    sorter->next = got > 0 ? 1 : sorter->next;
    if (source->read != NULL && got == 0)
        GS_TRY(read_chunk(sorter, &got, err));
    while (got > 0) {
        GS_TRY(split_read(sorter, *level, sorter->options->codec, got, err));
        GS_TRY(read_chunk(sorter, &got, err));
    }
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
                                     uint32_t bin, struct gs_level **level, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t keys = from->totals[bin];
    uint32_t bins = gs_external_bins(&sorter->plan, keys);
    uint32_t samples = samples_for(bins);
    uint64_t used = 0; /* keys in the chunk */
    gs_key *sample = calloc(samples, sizeof *sample);
    if (sample == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u samples", samples);
        goto cleanup;
    }
    if (keys < samples)
        samples = (uint32_t)keys;
    gs_external_drop(&sorter->load, sorter->plan.bin_keys);
    GS_TRY(gs_level_sample(from, &sorter->spill, bin, samples, sample, err));
    *level = gs_level_make(sample, samples, bins, err);
    if (*level == NULL) {
        st = GS_ERR_MEMORY;
        goto cleanup;
    }
    (*level)->of_bin = true;
    for (size_t chunk = 0; chunk < from->chunk_count; chunk++) {
        uint32_t piece = gs_level_piece_keys(from, chunk, bin, bin);
        for (uint32_t done = 0, here; done < piece; done += here) {
            uint64_t start = gs_now_ns();
            uint64_t room = sorter->plan.chunk_keys - used;
            here = piece - done < room ? piece - done : (uint32_t)room;
            gs_key **to = &sorter->chunks[sorter->next];
            GS_TRY(gs_external_need(to, sorter->plan.chunk_keys, err));
            GS_TRY(gs_level_read(from, &sorter->spill, chunk, bin, done, here, *to + used, err));
            gs_external_account(sorter, GS_STAGE_READ, start, here, GS_KEY_BYTES);
            used += here;
            if (used == sorter->plan.chunk_keys) {
                GS_TRY(split_read(sorter, *level, NULL, used, err));
                used = 0;
            }
        }
    }
    if (used > 0)
        GS_TRY(split_read(sorter, *level, NULL, used, err));
    GS_TRY(settle_chunk(sorter, *level, err));
    atomic_fetch_sub(&sorter->progress->done, keys); /* they are still to be sorted */
cleanup:
    drop_chunks(sorter);
    free(sample);
    return st;
}

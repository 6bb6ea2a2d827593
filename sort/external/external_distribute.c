/* external_distribute.c -- distribute the input, or a large bin, to bins on disk.
 * SPDX-License-Identifier: MIT
 *
 * The chunk that is read, the chunk sorted by bin, and the chunk before it, which is being written,
 * take a third of the memory each. Keys of a mapped file are split where they are, and their pages
 * dropped afterwards. Keys read from a pipe before may fill nearly all of the memory: then the
 * first chunks are small, and each frees memory for larger ones.
 */
#include "sort/external/external_distribute.h"
#include "sort/external/external_manifest.h"
#include "sort/external/external_split.h"
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
    gs_external_drop(&sorter->in, sorter->plan.chunk_keys);
    for (unsigned i = 0; i < sorter->plan.buffers; i++)
        gs_external_drop(&sorter->out[i], sorter->plan.chunk_keys);
}

/* The most threads such that each has enough keys of each bin to fill 16 cache lines. */
static unsigned split_threads(const struct gs_external_sorter *sorter, uint32_t bins)
{
    uint64_t most = sorter->plan.chunk_keys / ((uint64_t)bins * 16 * GS_LINE_KEYS) + 1;
    return sorter->threads < most ? sorter->threads : (unsigned)most;
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
        GS_TRY(gs_manifest_add(sorter, level, sorter->writer.keys, err));
    atomic_fetch_add(&sorter->progress->done, keys);
cleanup:
    return st;
}

/* Keep the chunk that was split to sorter->out[sorter->next] in memory. */
static void keep_chunk(struct gs_external_sorter *sorter, struct gs_level_chunk *chunk,
                       uint64_t keys)
{
    gs_key **out = &sorter->out[sorter->next];
    chunk->kept = *out;
    chunk->kept_room = sorter->plan.chunk_keys;
    *out = NULL;
    sorter->kept += keys;
    atomic_fetch_add(&sorter->progress->done, keys);
}

/* Begin to write a chunk that was split to sorter->out[sorter->next]. */
static enum gs_status write_chunk(struct gs_external_sorter *sorter, struct gs_level *level,
                                  const struct gs_split *split, struct gs_error *err)
{
    enum gs_status st;
    const uint32_t bins = gs_level_bins(level);
    GS_TRY(settle_chunk(sorter, level, err));
    GS_TRY(gs_level_add(level, err));
    struct gs_level_chunk *chunk = &level->chunks[level->chunk_count - 1];
    memcpy(chunk->starts, split->starts, (bins + (size_t)1) * sizeof *chunk->starts);
    for (uint32_t bin = 0; bin < bins; bin++)
        level->totals[bin] += split->totals[bin];
    if (!level->of_bin)
        sorter->expected += split->fingerprint;
    if (!level->of_bin && sorter->kept + split->count <= sorter->plan.kept_keys) {
        keep_chunk(sorter, chunk, split->count);
        goto cleanup;
    }
    GS_TRY(gs_external_writer_begin(&sorter->writer, &sorter->spill, split->out,
                                    split->starts[bins], sorter->threads, err));
    chunk->place = sorter->writer.place;
    sorter->pending = split->count;
    sorter->next = (sorter->next + 1) % sorter->plan.buffers;
    if (sorter->plan.buffers == 1)
        st = settle_chunk(sorter, level, err);
cleanup:
    return st;
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
    advise_keys(coming->sorter, coming->tiles, gs_tiles_keys(coming->tiles), GS_USE_SOON,
                coming->first, coming->count);
    return NULL;
}

/* Split a chunk while the disk reads the next one, if the input is there. */
static enum gs_status split_ahead(const struct gs_external_sorter *sorter, struct gs_split *split,
                                  struct gs_error *err)
{
    pthread_t thread;
    struct coming coming = {.sorter = sorter,
                            .tiles = split->tiles,
                            .first = split->first + split->count,
                            .count = split->count};
    const bool ahead = sorter->on_disk && coming.first < gs_tiles_keys(split->tiles) &&
                       pthread_create(&thread, NULL, announce, &coming) == 0;
    enum gs_status st = gs_split_chunk(split, err);
    if (ahead)
        pthread_join(thread, NULL);
    return st;
}

/* Split one chunk, keys [first, first + count) of the tiles, and begin to write it. */
static enum gs_status split_chunk(struct gs_external_sorter *sorter, struct gs_level *level,
                                  const struct gs_tiles *tiles, uint64_t first, uint64_t count,
                                  struct gs_error *err)
{
    enum gs_status st;
    uint64_t start = gs_now_ns();
    const uint32_t bins = gs_level_bins(level);
    struct gs_split split = {.splitters = &level->splitters,
                             .tiles = tiles,
                             .first = first,
                             .count = (uint32_t)count,
                             .threads = split_threads(sorter, bins),
                             .verify = sorter->options->verify && !level->of_bin,
                             .starts = calloc((size_t)bins + 1, sizeof *split.starts),
                             .totals = calloc(bins, sizeof *split.totals)};
    if (split.starts == NULL || split.totals == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", bins);
        goto cleanup;
    }
    for (unsigned i = 0; i < sorter->plan.buffers; i++)
        GS_TRY(gs_external_need(&sorter->out[i], sorter->plan.chunk_keys, err));
    split.out = sorter->out[sorter->next];
    GS_TRY(split_ahead(sorter, &split, err));
    gs_external_account(sorter, GS_STAGE_SCATTER, start, count, 2 * GS_KEY_BYTES);
    st = write_chunk(sorter, level, &split, err);
cleanup:
    free(split.starts);
    free(split.totals);
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
    uint64_t keys = left / GS_KEY_BYTES / sorter->plan.buffers;
    uint64_t least = sorter->plan.chunk_keys / HELD_SHARE + 1;
    keys = keys > least ? keys : least;
    keys = keys < sorter->plan.chunk_keys ? keys : sorter->plan.chunk_keys;
    return keys < rest ? keys : rest;
}

/* Split keys that lie in memory, chunk by chunk. The first `held` of them are the caller's, and the
 * first `done` are split already. */
static enum gs_status split_tiles(struct gs_external_sorter *sorter, struct gs_level *level,
                                  const struct gs_tiles *tiles, uint64_t held, uint64_t done,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t keys = gs_tiles_keys(tiles);
    advise_spans(sorter, GS_USE_IN_ORDER);
    atomic_fetch_add(&sorter->progress->done, done);
    for (uint64_t first = done, count; first < keys; first += count) {
        count = next_chunk(sorter, keys - first);
        GS_TRY(split_chunk(sorter, level, tiles, first, count, err));
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
    *got = 0;
    GS_TRY(gs_external_need(&sorter->in, chunk, err));
    while (chunk - *got > packet && more > 0 && !atomic_load(&sorter->writer.failed)) {
        char *to = (char *)sorter->in + *got * gs_record_bytes(sorter->options);
        GS_TRY(sorter->source->read(sorter->source->context, to, chunk - *got, &more, err));
        *got += more;
    }
    gs_external_account(sorter, GS_STAGE_READ, start, *got, GS_KEY_BYTES);
cleanup:
    return st;
}

/* Split the chunk of `count` keys that was read; codec, unless NULL: they are still records. */
static enum gs_status split_read(struct gs_external_sorter *sorter, struct gs_level *level,
                                 const struct gs_codec *codec, uint64_t count, struct gs_error *err)
{
    struct gs_tiles tiles;
    struct gs_span span = {.keys = sorter->in, .count = count, .name = "input"};
    enum gs_status st = gs_tiles_decode(&tiles, codec, &span, 1, err);
    if (st != GS_OK)
        return st;
    st = split_chunk(sorter, level, &tiles, 0, count, err);
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
    /* The spans have too few keys for a good sample: add the first chunk to them. */
    if (source->read != NULL && held < sorter->plan.chunk_keys / 4)
        GS_TRY(read_chunk(sorter, &got, err));
    spans[source->span_count] = (struct gs_span){.keys = sorter->in, .count = got, .name = "-"};
    GS_TRY(gs_tiles_decode(&tiles, sorter->options->codec, spans, source->span_count + 1, err));
    if (sorter->journal != NULL)
        GS_TRY(gs_manifest_take(sorter, held, level, &done, err));
    if (*level == NULL)
        GS_TRY(open_level(sorter, &tiles, held, level, err));
    GS_TRY(split_tiles(sorter, *level, &tiles, held, done, err));
    while (source->read != NULL) {
        GS_TRY(read_chunk(sorter, &got, err));
        if (got == 0)
            break;
        GS_TRY(split_read(sorter, *level, sorter->options->codec, got, err));
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
    uint32_t bins = gs_external_plan(sorter->options, sorter->plan.memory_bytes, keys).bins;
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
    GS_TRY(gs_external_need(&sorter->in, sorter->plan.chunk_keys, err));
    for (size_t chunk = 0; chunk < from->chunk_count; chunk++) {
        uint32_t piece = gs_level_piece_keys(from, chunk, bin, bin);
        for (uint32_t done = 0, here; done < piece; done += here) {
            uint64_t start = gs_now_ns();
            uint64_t room = sorter->plan.chunk_keys - used;
            here = piece - done < room ? piece - done : (uint32_t)room;
            GS_TRY(gs_level_read(from, &sorter->spill, chunk, bin, done, here, sorter->in + used,
                                 err));
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

/* external_level.c -- one distribution of keys to bins on disk: of the input, or of a large bin.
 * SPDX-License-Identifier: MIT
 */
#include "sort/external/external_level.h"
#include "sort/keys/params.h"
#include "sort/keys/sample_position.h"

#include "common/memory/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct gs_level *gs_level_make(const struct gs_entries *entries,
                               const struct gs_level_sample *sample, bool of_bin,
                               struct gs_error *err)
{
    enum gs_status st = GS_ERR_MEMORY;
    struct gs_level *level = calloc(1, sizeof *level);
    if (level != NULL) {
        level->entries = entries;
        level->of_bin = of_bin;
        st = entries->choose(entries, level, sample, err);
    }
    if (st == GS_OK)
        level->totals = calloc(gs_level_bins(level), sizeof *level->totals);
    if (st != GS_OK || level->totals == NULL) {
        gs_level_free(level);
        (void)gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", sample->bins);
        return NULL;
    }
    return level;
}

enum gs_status gs_level_tiles(const struct gs_level *level, const struct gs_codec *codec,
                              struct gs_tiles *tiles, const struct gs_span *spans,
                              size_t span_count, struct gs_error *err)
{
    return level->tagger != NULL ? gs_tiles_tag(tiles, level->tagger, spans, span_count, err)
                                 : gs_tiles_decode(tiles, codec, spans, span_count, err);
}

void gs_level_chunk_free(struct gs_level_chunk *chunk)
{
    if (chunk->kept_keys > 0)
        gs_pages_free(chunk->rows.keys, chunk->kept_keys * GS_KEY_BYTES);
    free(chunk->rows.starts);
    free(chunk->starts);
    free(chunk->place.stripes);
}

void gs_level_free(struct gs_level *level)
{
    if (level == NULL)
        return;
    for (size_t i = 0; i < level->chunk_count; i++)
        gs_level_chunk_free(&level->chunks[i]);
    free(level->chunks);
    free(level->tagger);
    free(level->totals);
    free(level);
}

enum gs_status gs_level_add(struct gs_level *level, const struct gs_level_chunk *chunk,
                            struct gs_error *err)
{
    if (level->chunk_count == level->chunk_room) {
        size_t room = level->chunk_room * 2 + 16;
        struct gs_level_chunk *chunks = reallocarray(level->chunks, room, sizeof *chunks);
        if (chunks == NULL)
            return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu chunks", room);
        level->chunks = chunks;
        level->chunk_room = room;
    }
    level->chunks[level->chunk_count++] = *chunk;
    return GS_OK;
}

/* One of several threads has failed: keep the first failure, and let the others see it. */
static void share_failure(atomic_int *status, const struct gs_error *failure, struct gs_error *err)
{
#pragma omp critical(gs_level_error)
    if (atomic_load(status) == GS_OK)
        atomic_store(status, (int)gs_fail(err, failure->status, 0, "%s", failure->text));
}

uint32_t gs_level_piece_keys(const struct gs_level *level, size_t chunk, uint32_t low,
                             uint32_t high)
{
    const uint32_t *starts = level->chunks[chunk].starts;
    return starts[high + 1] - starts[low];
}

/* The last bin that starts at a key or before it: an empty one is never the last. */
static uint32_t bin_of(const uint32_t *starts, uint32_t bins, uint64_t key)
{
    uint32_t low = 0;
    while (bins - low > 1) {
        uint32_t middle = low + (bins - low) / 2;
        if (starts[middle] <= key)
            low = middle;
        else
            bins = middle;
    }
    return low;
}

/* Runs are short and far apart. In its row, the next bin's run is next: it is prefetched when this
 * one is copied, so many runs ahead as there are rows. */
void gs_level_gather(const struct gs_rows *rows, const uint32_t *starts, uint64_t from,
                     uint64_t count, gs_key *to)
{
    uint32_t bin = bin_of(starts, rows->stride - 1, from);
    uint64_t skip = from - starts[bin];
    for (; count > 0; bin++) {
        const struct gs_rows runs = gs_rows_from(rows, bin);
        if (starts[bin + 1] == starts[bin])
            continue;
        for (uint64_t row = 0; row < rows->count && count > 0; row++) {
            uint32_t here;
            const gs_key *run = gs_rows_run(&runs, row, &here);
            __builtin_prefetch(run + here + GS_LINE_KEYS);
            __builtin_prefetch(run + here + 2 * GS_LINE_KEYS);
            if (skip >= here) {
                skip -= here;
                continue;
            }
            const uint64_t left = here - skip < count ? here - skip : count;
            memcpy(to, run + skip, left * sizeof *to);
            to += left;
            count -= left;
            skip = 0;
        }
    }
}

enum gs_status gs_level_read(const struct gs_level *level, const struct gs_spill *spill,
                             size_t chunk, uint32_t low, uint32_t skip, uint32_t count, void *to,
                             struct gs_error *err)
{
    const struct gs_level_chunk *from = &level->chunks[chunk];
    const uint64_t bytes = level->entries->bytes;
    if (count == 0)
        return GS_OK;
    if (from->rows.keys != NULL) {
        gs_level_gather(&from->rows, from->starts, (uint64_t)from->starts[low] + skip, count, to);
        return GS_OK;
    }
    return gs_spill_read(spill, &from->place, ((uint64_t)from->starts[low] + skip) * bytes, to,
                         count * bytes, err);
}

enum gs_status gs_level_load(const struct gs_level *level, const struct gs_spill *spill,
                             uint32_t low, uint32_t high, void *to, unsigned threads,
                             struct gs_error *err)
{
    atomic_int status = GS_OK;
    uint64_t *places = calloc(level->chunk_count + 1, sizeof *places);
    if (places == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu chunks",
                       level->chunk_count);
    for (size_t i = 0; i < level->chunk_count; i++)
        places[i + 1] = places[i] + gs_level_piece_keys(level, i, low, high);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (size_t i = 0; i < level->chunk_count; i++) {
        struct gs_error error = {.status = GS_OK};
        if (atomic_load(&status) == GS_OK &&
            gs_level_read(level, spill, i, low, 0, gs_level_piece_keys(level, i, low, high),
                          (char *)to + places[i] * level->entries->bytes, &error) != GS_OK)
            share_failure(&status, &error, err);
    }
    free(places);
    return (enum gs_status)atomic_load(&status);
}

void gs_level_announce(const struct gs_level *level, const struct gs_spill *spill, uint32_t low,
                       uint32_t high)
{
    for (size_t i = 0; i < level->chunk_count; i++) {
        uint32_t count = gs_level_piece_keys(level, i, low, high);
        if (count > 0 && level->chunks[i].rows.keys == NULL)
            gs_spill_announce(spill, &level->chunks[i].place,
                              (uint64_t)level->chunks[i].starts[low] * level->entries->bytes,
                              (uint64_t)count * level->entries->bytes);
    }
}

enum gs_status gs_level_sample(const struct gs_level *level, const struct gs_spill *spill,
                               uint32_t bin, uint32_t samples, void *sample, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t before = 0; /* keys of the bin in the chunks before this one */
    size_t chunk = 0;
    for (uint32_t i = 0; i < samples; i++) {
        uint64_t position = gs_sample_position(i, samples, level->totals[bin], GS_SAMPLE_SEED);
        while (position - before >= gs_level_piece_keys(level, chunk, bin, bin))
            before += gs_level_piece_keys(level, chunk++, bin, bin);
        GS_TRY(gs_level_read(level, spill, chunk, bin, (uint32_t)(position - before), 1,
                             (char *)sample + (uint64_t)i * level->entries->bytes, err));
    }
cleanup:
    return st;
}

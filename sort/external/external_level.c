/* external_level.c -- one distribution of keys to bins on disk: of the input, or of a large bin.
 * SPDX-License-Identifier: MIT
 */
#include "sort/external/external_level.h"
#include "sort/keys/params.h"
#include "sort/keys/sample_position.h"
#include "sort/split/sort_samples.h"

#include "common/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Complete a level that has its splitters, or is NULL for want of memory. */
static struct gs_level *make_totals(struct gs_level *level, uint32_t bins, struct gs_error *err)
{
    if (level != NULL)
        level->totals = calloc(gs_level_bins(level), sizeof *level->totals);
    if (level == NULL || level->totals == NULL) {
        gs_level_free(level);
        (void)gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", bins);
        return NULL;
    }
    return level;
}

struct gs_level *gs_level_make(gs_key *sample, uint32_t samples, uint32_t bins,
                               struct gs_error *err)
{
    struct gs_level *level = calloc(1, sizeof *level);
    if (level != NULL) {
        gs_sort_samples(sample, samples);
        gs_splitters_choose(&level->splitters, sample, samples, bins);
    }
    return make_totals(level, bins, err);
}

struct gs_level *gs_level_make_with(const struct gs_splitters *splitters, struct gs_error *err)
{
    struct gs_level *level = calloc(1, sizeof *level);
    if (level != NULL)
        level->splitters = *splitters;
    return make_totals(level, splitters->count + 1, err);
}

void gs_level_free(struct gs_level *level)
{
    if (level == NULL)
        return;
    for (size_t i = 0; i < level->chunk_count; i++) {
        free(level->chunks[i].starts);
        gs_pages_free(level->chunks[i].kept, level->chunks[i].kept_room * GS_KEY_BYTES);
    }
    free(level->chunks);
    free(level->totals);
    free(level);
}

enum gs_status gs_level_add(struct gs_level *level, struct gs_error *err)
{
    if (level->chunk_count == level->chunk_room) {
        size_t room = level->chunk_room * 2 + 16;
        struct gs_level_chunk *chunks = reallocarray(level->chunks, room, sizeof *chunks);
        if (chunks == NULL)
            return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu chunks", room);
        level->chunks = chunks;
        level->chunk_room = room;
    }
    uint32_t *starts = calloc((size_t)gs_level_bins(level) + 1, sizeof *starts);
    if (starts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins",
                       gs_level_bins(level));
    level->chunks[level->chunk_count++] = (struct gs_level_chunk){.starts = starts};
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

enum gs_status gs_level_read(const struct gs_level *level, const struct gs_spill *spill,
                             size_t chunk, uint32_t low, uint32_t skip, uint32_t count, gs_key *to,
                             struct gs_error *err)
{
    const struct gs_level_chunk *from = &level->chunks[chunk];
    if (count == 0)
        return GS_OK;
    if (from->kept != NULL) {
        memcpy(to, from->kept + from->starts[low] + skip, (size_t)count * GS_KEY_BYTES);
        return GS_OK;
    }
    return gs_spill_read(spill, &from->place, ((uint64_t)from->starts[low] + skip) * GS_KEY_BYTES,
                         to, (size_t)count * GS_KEY_BYTES, err);
}

enum gs_status gs_level_load(const struct gs_level *level, const struct gs_spill *spill,
                             uint32_t low, uint32_t high, gs_key *to, unsigned threads,
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
                          to + places[i], &error) != GS_OK)
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
        if (count > 0 && level->chunks[i].kept == NULL)
            gs_spill_announce(spill, &level->chunks[i].place,
                              (uint64_t)level->chunks[i].starts[low] * GS_KEY_BYTES,
                              (uint64_t)count * GS_KEY_BYTES);
    }
}

enum gs_status gs_level_sample(const struct gs_level *level, const struct gs_spill *spill,
                               uint32_t bin, uint32_t samples, gs_key *sample, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t before = 0; /* keys of the bin in the chunks before this one */
    size_t chunk = 0;
    for (uint32_t i = 0; i < samples; i++) {
        uint64_t position = gs_sample_position(i, samples, level->totals[bin], GS_SAMPLE_SEED);
        while (position - before >= gs_level_piece_keys(level, chunk, bin, bin))
            before += gs_level_piece_keys(level, chunk++, bin, bin);
        GS_TRY(gs_level_read(level, spill, chunk, bin, (uint32_t)(position - before), 1, sample + i,
                             err));
    }
cleanup:
    return st;
}

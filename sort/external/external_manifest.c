/* external_manifest.c -- which chunks are complete on disk, for another run to go on from there.
 * SPDX-License-Identifier: MIT
 */
#include "sort/external/external_manifest.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/params.h"

#include "common/clock.h"
#include "common/files/journal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A chunk that an entry tells of. */
struct kept_chunk {
    struct gs_level_chunk chunk;
    uint64_t first, count; /* its keys in the input */
    uint64_t *totals;      /* of all bins, in this and all earlier chunks: a part of data, */
    char *data;            /* which is the entry; owned */
};

static size_t entry_bytes(const struct gs_level *level)
{
    return sizeof(struct gs_spill_mark) + gs_level_bins(level) * sizeof *level->totals;
}

/* Where bins start in the piece: equality bins are not there. False unless the totals are those of
 * the level and 1 to `most` keys more, and no bin has lost any. */
static bool derive_starts(const struct gs_level *level, struct kept_chunk *kept, uint64_t most)
{
    uint32_t *starts = kept->chunk.starts;
    starts[0] = 0;
    most = most < UINT32_MAX ? most : UINT32_MAX;
    for (uint32_t bin = 0; bin < gs_level_bins(level); bin++) {
        const uint64_t more = kept->totals[bin] - level->totals[bin];
        if (kept->totals[bin] < level->totals[bin] || more > most - kept->count)
            return false;
        kept->count += more;
        starts[bin + 1] =
            starts[bin] + (gs_splitters_equal(&level->splitters, bin) ? 0 : (uint32_t)more);
    }
    return kept->count > 0;
}

/* Read the next entry, of the keys from `first` on. False if it cannot be one. */
static bool read_entry(const struct gs_external_sorter *sorter, const struct gs_level *level,
                       uint64_t first, uint64_t keys, struct kept_chunk *kept)
{
    const uint32_t bins = gs_level_bins(level);
    struct gs_spill_mark mark;
    size_t bytes = 0;
    *kept = (struct kept_chunk){.first = first, .data = gs_journal_read(sorter->journal, &bytes)};
    if (kept->data == NULL)
        return false;
    kept->chunk.starts = reallocarray(NULL, (size_t)bins + 1, sizeof *kept->chunk.starts);
    if (bytes != entry_bytes(level) || kept->chunk.starts == NULL)
        return false;
    memcpy(&mark, kept->data, sizeof mark);
    kept->totals = (uint64_t *)(void *)(kept->data + sizeof mark);
    return derive_starts(level, kept, keys - first) &&
           (kept->chunk.starts[bins] == 0 ||
            gs_spill_find(&sorter->spill, &mark, &kept->chunk.place));
}

/* Are keys of the piece, from key `from` on, each in its bin? */
static bool are_in_bins(const struct gs_level *level, const uint32_t *starts, uint64_t from,
                        const gs_key *keys, uint64_t count)
{
    bool wrong = false;
    uint32_t bin = 0;
    for (uint64_t at = 0; at < count && !wrong; bin++) {
        if (starts[bin + 1] <= from + at)
            continue;
        const uint64_t left = starts[bin + 1] - from;
        const uint64_t end = left < count ? left : count;
        const gs_key low = gs_splitters_low(&level->splitters, bin);
        const gs_key high = gs_splitters_high(&level->splitters, bin);
        for (; at < end; at++)
            wrong |= keys[at] < low || keys[at] > high;
    }
    return !wrong;
}

/* Sum up the keys of a chunk as they are on disk, and those of its equality bins. False if they
 * cannot be read or are in wrong bins. */
static bool sum_chunk(const struct gs_external_sorter *sorter, const struct gs_level *level,
                      const struct kept_chunk *kept, uint64_t *fingerprint)
{
    const struct gs_level_chunk *chunk = &kept->chunk;
    const uint32_t bins = gs_level_bins(level);
    const uint64_t count = chunk->starts[bins];
    uint64_t sum = 0;
    atomic_bool right = true;
#pragma omp parallel for num_threads(sorter->threads) schedule(dynamic, 1) reduction(+ : sum)
    for (uint64_t from = 0; from < count; from += GS_PIECE_KEYS) {
        struct gs_error error = {.status = GS_OK};
        const uint64_t here = count - from < GS_PIECE_KEYS ? count - from : GS_PIECE_KEYS;
        gs_key *own = malloc(here * GS_KEY_BYTES);
        if (own != NULL &&
            gs_spill_read(&sorter->spill, &chunk->place, from * GS_KEY_BYTES, own,
                          here * GS_KEY_BYTES, &error) == GS_OK &&
            are_in_bins(level, chunk->starts, from, own, here))
            sum += gs_fingerprint(own, here);
        else
            atomic_store(&right, false);
        free(own);
    }
    for (uint32_t bin = 0; bin < bins; bin++) {
        const gs_key value = gs_splitters_high(&level->splitters, bin);
        if (gs_splitters_equal(&level->splitters, bin))
            sum += gs_fingerprint(&value, 1) * (kept->totals[bin] - level->totals[bin]);
    }
    *fingerprint = sum;
    return atomic_load(&right);
}

/* Read keys [first, first + count) of the input again, and sum them up. */
static uint64_t sum_input(const struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                          uint64_t first, uint64_t count)
{
    const struct gs_external *source = sorter->source;
    uint64_t sum = 0;
#pragma omp parallel for num_threads(sorter->threads) schedule(dynamic, 1) reduction(+ : sum)
    for (uint64_t from = first; from < first + count; from += GS_PIECE_KEYS) {
        gs_key block[GS_ROOMS_BLOCK];
        const uint64_t left = first + count - from;
        const uint64_t end = from + (left < GS_PIECE_KEYS ? left : GS_PIECE_KEYS);
        for (uint64_t at = from; at < end;) {
            const struct gs_tile part =
                gs_tiles_part(tiles, at, end - at < GS_ROOMS_BLOCK ? end - at : GS_ROOMS_BLOCK);
            sum += gs_fingerprint(gs_tile_keys(tiles, &part, 0, part.count, block), part.count);
            at += part.count;
        }
    }
    for (uint64_t at = first; at < first + count && source->advise != NULL;) {
        const struct gs_tile part = gs_tiles_part(tiles, at, first + count - at);
        source->advise(source->context, GS_USE_LATER, part.records, part.count);
        at += part.count;
    }
    return sum;
}

/* Take over the next chunk, if it is there and holds what is in the input now. */
static bool take_chunk(struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                       uint64_t keys, struct gs_level *level, uint64_t *done)
{
    struct gs_error error = {.status = GS_OK};
    struct gs_journal *journal = sorter->journal;
    struct kept_chunk kept;
    const uint64_t start = gs_now_ns();
    const uint64_t next = journal->next;
    uint64_t fingerprint = 0;
    const bool taken = read_entry(sorter, level, *done, keys, &kept) &&
                       sum_chunk(sorter, level, &kept, &fingerprint) &&
                       sum_input(sorter, tiles, *done, kept.count) == fingerprint &&
                       gs_level_add(level, &kept.chunk, &error) == GS_OK;
    if (taken) {
        const uint64_t count = kept.chunk.starts[gs_level_bins(level)];
        memcpy(level->totals, kept.totals, gs_level_bins(level) * sizeof *level->totals);
        if (count > 0)
            gs_spill_keep(&sorter->spill, &kept.chunk.place, count * GS_KEY_BYTES);
        sorter->expected += fingerprint;
        *done += kept.count;
        gs_external_account(sorter, GS_STAGE_READ, start, kept.count + count, GS_KEY_BYTES);
    } else {
        gs_level_chunk_free(&kept.chunk);
        journal->next = next;
        journal->refused = journal->refused || kept.data != NULL;
    }
    free(kept.data);
    return taken;
}

/* A level with the splitters of the journal's first entry; NULL if there are none. */
static struct gs_level *take_level(struct gs_journal *journal)
{
    struct gs_error error = {.status = GS_OK};
    struct gs_level *level = NULL;
    size_t bytes = 0;
    gs_key *keys = gs_journal_read(journal, &bytes);
    struct gs_splitters *splitters = keys != NULL ? malloc(sizeof *splitters) : NULL;
    if (splitters != NULL && bytes % sizeof *keys == 0 &&
        gs_splitters_adopt(splitters, keys, bytes / sizeof *keys))
        level = gs_level_make_with(splitters, &error);
    journal->refused = journal->refused || (keys != NULL && level == NULL);
    free(splitters);
    free(keys);
    return level;
}

enum gs_status gs_manifest_take(struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                                uint64_t keys, struct gs_level **level, uint64_t *done,
                                struct gs_error *err)
{
    struct gs_journal *journal = sorter->journal;
    *done = 0;
    journal->next = journal->begin;
    enum gs_status st = gs_spill_reopen(&sorter->spill, sorter->source->homes, err);
    if (st != GS_OK)
        return st;
    *level = take_level(journal);
    while (*level != NULL && take_chunk(sorter, tiles, keys, *level, done))
        sorter->taken++;
    if (sorter->taken == 0) {
        gs_level_free(*level);
        *level = NULL;
    }
    gs_spill_trim(&sorter->spill);
    return GS_OK;
}

enum gs_status gs_manifest_begin(const struct gs_external_sorter *sorter,
                                 const struct gs_level *level, struct gs_error *err)
{
    struct gs_journal *journal = sorter->journal;
    journal->next = journal->begin;
    return gs_journal_write(journal, level->splitters.splitter,
                            level->splitters.count * sizeof *level->splitters.splitter, err);
}

enum gs_status gs_manifest_add(const struct gs_external_sorter *sorter,
                               const struct gs_level *level, struct gs_error *err)
{
    const struct gs_spill_mark mark =
        gs_spill_mark(&sorter->spill, &level->chunks[level->chunk_count - 1].place);
    char *data = malloc(entry_bytes(level));
    if (data == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins",
                       gs_level_bins(level));
    memcpy(data, &mark, sizeof mark);
    memcpy(data + sizeof mark, level->totals, gs_level_bins(level) * sizeof *level->totals);
    enum gs_status st = gs_journal_write(sorter->journal, data, entry_bytes(level), err);
    free(data);
    return st;
}

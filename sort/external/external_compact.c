/* external_compact.c -- equal keys in temporary files become one while more of them come.
 * SPDX-License-Identifier: MIT
 *
 * Whenever temporary files have twice what remained the last time, a few bins show how much of all
 * would remain. If that is little more than half of it, bin after bin is read, combined and written
 * to new chunks, which take the room of old ones as that is read: files are at most about twice as
 * large as what differs, and a chunk. Each key that comes is written once; what is there is read,
 * and at most half of it written, when as much has come again: so all of it takes two reads and a
 * write for each key that comes, at most. To let no more than a chunk come before the next time
 * would take less room, but the square of the time.
 *
 * A bin that has no room in a thread's memory is combined in portions. The memory is that of two
 * chunks: one is read to, one is written from.
 */
#include "sort/external/external_compact.h"
#include "sort/external/external_keys.h"
#include "sort/keys/fingerprint.h"

#include "common/clock.h"

#include <stdlib.h>
#include <string.h>

/* One bin of so many is looked at first. */
#define LOOK_BINS 64

/* What may remain: where all keys have come once, it is about half each time. */
#define SHARE_MOST 0.6

/* Before it is looked at again, there is at least 1 / AGAIN_SHARE more. */
#define AGAIN_SHARE 4

/* The most entries of a chunk: positions have 32 bits. */
#define ENTRIES_MOST ((uint64_t)1 << 30)

/* One thread's memory, and where it is in a bin. */
struct work {
    char *entries;
    uint32_t *slots; /* behind them */
    uint64_t room;   /* for so many entries */
    uint64_t count;  /* of a portion, combined */
    uint64_t read;   /* of the bin, so far, */
    size_t chunk;    /* and the chunk that is next, */
    uint32_t skip;   /* of which so many are read */
    uint64_t change; /* of the fingerprint */
    struct gs_error error;
};

struct compaction {
    struct gs_external_sorter *sorter;
    struct gs_level *level;   /* its chunks */
    size_t first, end;        /* from first to end are the old ones, and behind them new ones; */
    struct gs_level_chunk to; /* this is the next of these, */
    char *entries;            /* its entries, from the memory of chunks; */
    uint64_t count, room;
    bool writes;             /* else a few bins are looked at */
    uint64_t read, remained; /* all in all */
};

static uint64_t entry_memory(const struct gs_external_sorter *sorter)
{
    return sorter->entries->bytes + GS_COMBINING_SLOTS * sizeof(uint32_t);
}

static uint64_t fingerprint(const struct compaction *all, const void *entries, uint64_t count)
{
    const struct gs_entries *kind = all->sorter->entries;
    if (!all->sorter->options->verify || !all->writes)
        return 0;
    return kind->tagged ? gs_records_fingerprint(entries, kind->bytes, count)
                        : gs_fingerprint(entries, count);
}

/* Combine what was read. Keys are records meanwhile. */
static void combine(const struct compaction *all, struct work *work)
{
    const struct gs_external_sorter *sorter = all->sorter;
    const struct gs_combining *combining = sorter->source->combining;
    const struct gs_codec *codec = sorter->entries->tagged ? NULL : sorter->options->codec;
    gs_key *keys = (gs_key *)(void *)work->entries;
    if (codec != NULL)
        gs_keys_encode_in_place(codec, keys, work->count);
    work->count = combining->combine(combining->context, work->entries, work->count, work->slots);
    if (codec != NULL)
        gs_keys_decode_in_place(codec, keys, work->count);
}

/* Read the next portion of a bin, as much as there is room for when it is combined. */
static enum gs_status read_portion(const struct compaction *all, uint32_t bin, struct work *work,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_level *level = all->level;
    const uint64_t bytes = level->entries->bytes;
    uint64_t before;
    work->count = 0;
    do {
        before = work->count;
        while (work->chunk < all->end && work->count < work->room) {
            const uint32_t left = gs_level_piece_keys(level, work->chunk, bin, bin) - work->skip;
            const uint64_t room = work->room - work->count;
            const uint32_t here = left < room ? left : (uint32_t)room;
            char *to = work->entries + work->count * bytes;
            GS_TRY(gs_level_read(level, &all->sorter->spill, work->chunk, bin, work->skip, here, to,
                                 err));
            work->change -= fingerprint(all, to, here);
            work->count += here;
            work->skip = here < left ? work->skip + here : 0;
            work->chunk += here == left;
        }
        work->read += work->count - before;
        combine(all, work);
    } while (work->chunk < all->end && work->count <= work->room / 2);
    work->change += fingerprint(all, work->entries, work->count);
cleanup:
    return st;
}

/* Give up the old chunks' entries of the bins before this one. */
static void free_old(const struct compaction *all, uint32_t bin)
{
    const uint64_t bytes = all->level->entries->bytes;
    const uint32_t bins = gs_level_bins(all->level);
    for (size_t i = all->first; i < all->end; i++) {
        struct gs_level_chunk *chunk = &all->level->chunks[i];
        gs_spill_free(&all->sorter->spill, &chunk->place, chunk->starts[bin] * bytes,
                      chunk->starts[bins] * bytes);
    }
}

/* Write the new chunk, which ends in this bin. */
static enum gs_status write_chunk(struct compaction *all, uint32_t bin, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_spill *spill = &all->sorter->spill;
    const uint64_t bytes = all->level->entries->bytes;
    for (uint32_t b = bin; b < gs_level_bins(all->level); b++)
        all->to.starts[b + 1] = (uint32_t)all->count;
    free_old(all, bin);
    if (all->count > 0) {
        GS_TRY(gs_spill_place(spill, all->count * bytes, &all->to.place, err));
        GS_TRY(gs_spill_write(spill, &all->to.place, 0, all->entries, all->count * bytes, err));
        GS_TRY(gs_level_add(all->level, &all->to, err));
        all->to = (struct gs_level_chunk){.starts = NULL};
    }
    all->count = 0;
cleanup:
    return st;
}

/* Add a portion of a bin to the new chunks. */
static enum gs_status append(struct compaction *all, uint32_t bin, const struct work *work,
                             struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t bytes = all->level->entries->bytes;
    if (all->count + work->count > all->room)
        GS_TRY(write_chunk(all, bin, err));
    if (all->to.starts == NULL)
        all->to.starts = calloc(gs_level_bins(all->level) + 1, sizeof *all->to.starts);
    if (all->to.starts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to combine keys");
    memcpy(all->entries + all->count * bytes, work->entries, work->count * bytes);
    all->count += work->count;
    all->to.starts[bin + 1] = (uint32_t)all->count;
cleanup:
    return st;
}

/* The first portion of a bin is read: write all of it, or only sum up what remains. */
static enum gs_status end_bin(struct compaction *all, uint32_t bin, struct work *work,
                              struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t remained = 0;
    for (;;) {
        remained += work->count;
        if (all->writes)
            GS_TRY(append(all, bin, work, err));
        if (work->chunk == all->end)
            break;
        GS_TRY(read_portion(all, bin, work, err));
    }
    all->read += work->read;
    all->remained += remained;
    if (!all->writes)
        return GS_OK;
    all->sorter->expected += work->change;
    all->level->totals[bin] -= work->read - remained;
    st = gs_progress_check(all->sorter->progress, err);
cleanup:
    return st;
}

/* A thread's part of the memory, with what it needs for each entry. */
static struct work open_work(const struct compaction *all, unsigned thread, unsigned threads)
{
    const struct gs_external_sorter *sorter = all->sorter;
    const uint64_t bytes = sorter->entries->bytes;
    const uint64_t memory = gs_external_chunk_bytes(sorter) / threads / 64 * 64;
    struct work work = {.entries = (char *)sorter->chunks[1] + thread * memory,
                        .room = (memory - 64) / entry_memory(sorter),
                        .chunk = all->first};
    work.room = work.room < all->room ? work.room : all->room;
    work.slots = (uint32_t *)(void *)(work.entries + (work.room * bytes + 63) / 64 * 64);
    return work;
}

/* One bin of `step`, or all: as many at a time as there are threads, which read and combine them;
 * then they are written in order. */
static enum gs_status combine_bins(struct compaction *all, uint32_t step, unsigned threads,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint32_t bins = gs_level_bins(all->level);
    struct work *works = calloc(threads, sizeof *works);
    if (works == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to combine keys");
    for (uint32_t first = step / 2; first < bins; first += step * threads) {
        const uint32_t left = (bins - first - 1) / step + 1;
        const unsigned here = left < threads ? left : threads;
#pragma omp parallel for num_threads(here) schedule(static, 1)
        for (unsigned i = 0; i < here; i++) {
            works[i] = open_work(all, i, threads);
            read_portion(all, first + i * step, &works[i], &works[i].error);
        }
        for (unsigned i = 0; i < here; i++) {
            const struct gs_error *error = &works[i].error;
            if (error->status != GS_OK)
                st = gs_fail(err, error->status, 0, "%s", error->text);
            if (st != GS_OK)
                goto cleanup;
            GS_TRY(end_bin(all, first + i * step, &works[i], err));
        }
    }
cleanup:
    free(works);
    return st;
}

/* So many threads that the largest bin has room with each. */
static unsigned threads_for(const struct gs_external_sorter *sorter, const struct gs_level *level)
{
    const uint64_t room = gs_external_chunk_bytes(sorter) / entry_memory(sorter);
    uint64_t largest = room / sorter->threads;
    for (uint32_t bin = 0; bin < gs_level_bins(level); bin++)
        if (!gs_splitters_equal(&level->splitters, bin) && level->totals[bin] > largest)
            largest = level->totals[bin];
    const uint64_t threads = room / (largest + 8);
    return threads < 1 ? 1 : threads < sorter->threads ? (unsigned)threads : sorter->threads;
}

bool gs_external_compacts(const struct gs_external_sorter *sorter, const struct gs_level *level)
{
    const uint64_t least = sorter->plan.memory_bytes / 2;
    const uint64_t most = sorter->compact_at > least ? sorter->compact_at : least;
    return sorter->source->combining != NULL && sorter->journal == NULL && !level->of_bin &&
           sorter->spill.held > most;
}

/* All of the old chunks is in the new ones. */
static void drop_old(const struct compaction *all)
{
    struct gs_level *level = all->level;
    for (size_t i = all->first; i < all->end; i++)
        gs_level_chunk_free(&level->chunks[i]);
    level->chunk_count -= all->end - all->first;
    memmove(level->chunks + all->first, level->chunks + all->end,
            (level->chunk_count - all->first) * sizeof *level->chunks);
}

/* Look at a few bins. Do enough of all entries go? If not, tell when to look again. */
static enum gs_status look(struct compaction *all, unsigned threads, bool *pays,
                           struct gs_error *err)
{
    struct gs_external_sorter *sorter = all->sorter;
    const uint64_t held = sorter->spill.held;
    enum gs_status st = combine_bins(all, LOOK_BINS, threads, err);
    const double share = all->read > 0 ? (double)all->remained / (double)all->read : 1;
    *pays = share <= SHARE_MOST;
    sorter->compact_at = (uint64_t)(2 * share * (double)held);
    if (sorter->compact_at < held + held / AGAIN_SHARE)
        sorter->compact_at = held + held / AGAIN_SHARE;
    return st;
}

enum gs_status gs_external_compact(struct gs_external_sorter *sorter, struct gs_level *level,
                                   struct gs_error *err)
{
    enum gs_status st;
    bool pays;
    struct compaction all = {.sorter = sorter, .level = level, .end = level->chunk_count};
    const uint64_t start = gs_now_ns();
    const uint64_t bytes = gs_external_chunk_bytes(sorter);
    const unsigned threads = threads_for(sorter, level);
    for (unsigned i = 0; i < 2; i++)
        GS_TRY(gs_external_need(&sorter->chunks[i], bytes, err));
    all.entries = (char *)sorter->chunks[0];
    all.room = bytes / sorter->entries->bytes;
    all.room = all.room < ENTRIES_MOST ? all.room : ENTRIES_MOST;
    /* Those before the first are in memory, and stay. */
    while (all.first < all.end && level->chunks[all.first].rows.keys != NULL)
        all.first++;
    GS_TRY(look(&all, threads, &pays, err));
    if (pays) {
        all.read = all.remained = 0;
        all.writes = true;
        GS_TRY(combine_bins(&all, 1, threads, err));
        GS_TRY(write_chunk(&all, gs_level_bins(level), err));
        drop_old(&all);
        sorter->stats->keys_combined += all.read - all.remained;
        sorter->compact_at = 2 * sorter->spill.held;
    }
cleanup:
    gs_external_account(sorter, GS_STAGE_SCATTER, start, all.read, 2 * sorter->entries->bytes);
    gs_level_chunk_free(&all.to);
    return st;
}

/* external_split.c -- sort one chunk of keys by bin, in memory.
 * SPDX-License-Identifier: MIT
 *
 * Each thread has a part of the chunk: it counts the part's keys of each bin and, once the places
 * of all bins are known, moves the keys there. A key first goes into its bin's line (software
 * write-combining), which has the size of a cache line and its alignment in the output; a full line
 * is written by non-temporal stores. Keys of a mapped file may change between counting and moving:
 * then no key is written beyond the places that were counted for its bin, and the split fails.
 * Equality bins have places, too.
 */
#include "sort/external/external_split.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/params.h"
#include "sort/split/search_bins.h"

#include "common/cache_line.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Keys whose bins are found before the first of them is counted or moved. */
#define BATCH_KEYS GS_ROOMS_BLOCK

/* Prefetch distance of the bins' lines, in keys: stores that miss the cache wait for each other. */
#define AHEAD 16

/* One thread's tables, each with an entry a bin. */
struct part {
    gs_key *lines;    /* [bins][GS_LINE_KEYS] */
    uint32_t *counts; /* keys of this part */
    uint32_t *firsts; /* where they begin in out */
    uint32_t *ends;   /* where they end in out */
    uint32_t *places; /* where the next key goes in out; earlier keys of its line may still be in
                       * `lines` only */
    uint64_t first;   /* the part is keys [first, first + count) of the tiles */
    uint64_t count;
};

/* Bytes of one thread's tables: whole cache lines. `room` is the bins, rounded up. */
static size_t table_bytes(size_t room)
{
    return room * (GS_LINE_BYTES + 4 * sizeof(uint32_t));
}

/* Some keys, copied since the input may change, and their bins. */
struct batch {
    gs_key keys[BATCH_KEYS];
    uint16_t bins[BATCH_KEYS + AHEAD]; /* padded with a valid bin, for the prefetch */
};

/* Copy the next keys of a tile, from `first` on, and find their bins; returns how many. */
static uint64_t take_batch(const struct gs_split *split, const struct gs_tile *tile, uint64_t first,
                           struct batch *batch)
{
    uint64_t left = tile->count - first;
    uint64_t here = left < BATCH_KEYS ? left : BATCH_KEYS;
    gs_key block[BATCH_KEYS];
    gs_find_bins(split->splitters, gs_tile_keys(split->tiles, tile, first, here, block), here,
                 batch->keys, batch->bins);
    memset(batch->bins + here, 0, AHEAD * sizeof *batch->bins);
    return here;
}

/* Write a bin's full line, when the bin's next key comes. Returns the place of that key: unchanged,
 * or set back by a line if the part has more keys of the bin than were counted. */
static inline uint32_t flush_line(const struct gs_split *split, const struct part *part,
                                  uint32_t bin, uint32_t place, bool *overrun)
{
    const gs_key *line = part->lines + (size_t)bin * GS_LINE_KEYS;
    uint32_t first = part->firsts[bin];
    if (place >= part->ends[bin]) {
        *overrun = true;
        return place - GS_LINE_KEYS;
    }
    if (place >= first + GS_LINE_KEYS)
        gs_line_write(split->out + place - GS_LINE_KEYS, line);
    else /* the part's first line, which it may share with another part */
        memcpy(split->out + first, line + first % GS_LINE_KEYS, (place - first) * sizeof *line);
    return place;
}

/* Move the keys of one tile; false: some bin has more keys than were counted. A full line is not
 * written until its bin's next key comes: by then its last store has left the store buffer. */
static bool move_tile(const struct gs_split *split, const struct gs_tile *tile,
                      const struct part *part)
{
    bool overrun = false;
    struct batch batch;
    for (uint64_t first = 0, here; first < tile->count; first += here) {
        here = take_batch(split, tile, first, &batch);
        for (uint64_t i = 0; i < here; i++) {
            uint32_t bin = batch.bins[i];
            uint32_t place = part->places[bin];
            __builtin_prefetch(part->lines + (size_t)batch.bins[i + AHEAD] * GS_LINE_KEYS, 1);
            if (place % GS_LINE_KEYS == 0 && place != part->firsts[bin])
                place = flush_line(split, part, bin, place, &overrun);
            part->lines[(size_t)bin * GS_LINE_KEYS + place % GS_LINE_KEYS] = batch.keys[i];
            part->places[bin] = place + 1;
        }
    }
    return !overrun;
}

/* Write the rest of a bin's line. False: the bin has not got as many keys as were counted. */
static bool end_line(const struct gs_split *split, const struct part *part, uint32_t bin)
{
    uint32_t first = part->firsts[bin];
    uint32_t place = part->places[bin];
    if (place != part->ends[bin])
        return false;
    if (place == first)
        return true;
    uint32_t start = (place - 1) / GS_LINE_KEYS * GS_LINE_KEYS;
    start = start > first ? start : first;
    memcpy(split->out + start, part->lines + (size_t)bin * GS_LINE_KEYS + start % GS_LINE_KEYS,
           (place - start) * sizeof *split->out);
    return true;
}

/* Count a tile. Returns its fingerprint, or 0 without split->verify. */
static uint64_t count_tile(const struct gs_split *split, const struct gs_tile *tile,
                           uint32_t *counts)
{
    struct batch batch;
    uint64_t fingerprint = 0;
    for (uint64_t first = 0, here; first < tile->count; first += here) {
        here = take_batch(split, tile, first, &batch);
        for (uint64_t i = 0; i < here; i++)
            counts[batch.bins[i]]++;
        if (split->verify)
            fingerprint += gs_fingerprint(batch.keys, here);
    }
    return fingerprint;
}

/* Count a part, tile by tile. Returns its fingerprint, or 0 without split->verify. */
static uint64_t count_part(const struct gs_split *split, const struct part *part)
{
    uint64_t fingerprint = 0;
    for (uint64_t done = 0; done < part->count;) {
        uint64_t left = part->count - done;
        struct gs_tile tile = gs_tiles_part(split->tiles, part->first + done,
                                            left < GS_TILE_KEYS ? left : GS_TILE_KEYS);
        fingerprint += count_tile(split, &tile, part->counts);
        done += tile.count;
    }
    return fingerprint;
}

/* Move a part's keys. False: the counts do not match, so the keys have changed. */
static bool move_part(const struct gs_split *split, const struct part *part)
{
    bool overrun = false;
    for (uint64_t done = 0; done < part->count;) {
        struct gs_tile tile = gs_tiles_part(split->tiles, part->first + done, part->count - done);
        overrun = !move_tile(split, &tile, part) || overrun;
        done += tile.count;
    }
    for (uint32_t bin = 0; bin <= split->splitters->count && !overrun; bin++)
        overrun = !end_line(split, part, bin);
    gs_lines_finish();
    return !overrun;
}

/* Turn the parts' counts into their places: first the bins that go to disk, then equality bins. */
static void find_places(struct gs_split *split, const struct part *parts, unsigned threads)
{
    uint32_t place = 0;
    for (int equal = 0; equal <= 1; equal++) {
        for (uint32_t bin = 0; bin <= split->splitters->count; bin++) {
            if (equal == 0)
                split->starts[bin] = place;
            if (gs_splitters_equal(split->splitters, bin) != (equal == 1))
                continue;
            uint32_t first = place;
            for (unsigned i = 0; i < threads; i++) {
                parts[i].firsts[bin] = place;
                parts[i].places[bin] = place;
                place += parts[i].counts[bin];
                parts[i].ends[bin] = place;
            }
            split->totals[bin] += place - first;
        }
        if (equal == 0)
            split->starts[split->splitters->count + 1] = place;
    }
}

/* Cut the chunk into parts and give each its tables. */
static void make_parts(const struct gs_split *split, struct part *parts, char *tables, size_t room)
{
    for (unsigned i = 0; i < split->threads; i++) {
        uint64_t from = (uint64_t)split->count * i / split->threads;
        uint64_t to = (uint64_t)split->count * (i + 1) / split->threads;
        char *own = tables + i * table_bytes(room);
        uint32_t *counts = (uint32_t *)(void *)(own + room * GS_LINE_BYTES);
        parts[i] = (struct part){.lines = (gs_key *)(void *)own,
                                 .counts = counts,
                                 .firsts = counts + room,
                                 .ends = counts + 2 * room,
                                 .places = counts + 3 * room,
                                 .first = split->first + from,
                                 .count = to - from};
    }
}

enum gs_status gs_split_chunk(struct gs_split *split, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint32_t bins = split->splitters->count + 1;
    size_t room = (bins + 3) / 4 * 4; /* so that each thread's tables begin on a cache line */
    unsigned threads = split->threads;
    struct part *parts = calloc(threads, sizeof *parts);
    char *tables = aligned_alloc(GS_LINE_BYTES, threads * table_bytes(room));
    if (parts == NULL || tables == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", bins);
        goto cleanup;
    }
    memset(tables, 0, threads * table_bytes(room));
    make_parts(split, parts, tables, room);
    uint64_t fingerprint = 0;
    atomic_bool fits = true;
    /* Loops over parts, since the system may provide fewer threads than that. */
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(+ : fingerprint)
    for (unsigned i = 0; i < threads; i++)
        fingerprint += count_part(split, &parts[i]);
    find_places(split, parts, threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (unsigned i = 0; i < threads; i++)
        if (!move_part(split, &parts[i]))
            atomic_store(&fits, false);
    split->fingerprint = fingerprint;
    if (!atomic_load(&fits))
        st = gs_tiles_fail_changed(split->tiles, split->first, split->count, err);

cleanup:
    free(parts);
    free(tables);
    return st;
}

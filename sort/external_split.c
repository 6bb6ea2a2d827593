/* external_split.c -- sort one chunk of keys by bin, in memory.
 * SPDX-License-Identifier: MIT
 *
 * Each thread has a part of the chunk: it counts the part's keys of each bin, and once the places
 * are known it moves them there. A key goes first into a line of its bin, as long as a line of the
 * cache; a full line is written at once, so that a thread touches one page of each bin only once in
 * 16 keys. Keys of a mapped file may change between counting and moving: no line is written beyond
 * what was counted for it, and such a file is an error.
 */
#include "sort/external_split.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LINE_KEYS 16

/* One thread's tables, each with an entry a bin. */
struct part {
    uint32_t *counts; /* keys of this part */
    uint32_t *places; /* where the next line goes in out */
    uint32_t *ends;   /* where this part's keys of the bin end */
    uint32_t *filled; /* keys in the line */
    gs_key *lines;    /* [bins][LINE_KEYS] */
    uint64_t first;   /* of the tiles' keys */
    uint64_t count;
};

uint64_t gs_split_memory(uint32_t bins, unsigned threads)
{
    return (uint64_t)threads * bins * (LINE_KEYS + 4) * sizeof(uint32_t);
}

static inline __attribute__((always_inline)) void count_keys(const struct gs_splitters *splitters,
                                                             enum gs_guide guide, uint32_t steps,
                                                             const struct gs_tile *tile,
                                                             uint32_t *counts)
{
    for (uint64_t i = 0; i < tile->count; i++)
        counts[gs_splitters_bin(splitters, guide, steps, tile->keys[i])]++;
}

/* Write a bin's line, as far as there is room for it. */
static bool write_line(const struct gs_split *split, const struct part *part, uint32_t bin,
                       uint32_t keys)
{
    uint32_t place = part->places[bin];
    uint32_t room = part->ends[bin] - place;
    uint32_t fits = keys < room ? keys : room;
    memcpy(split->out + place, part->lines + (size_t)bin * LINE_KEYS, fits * sizeof(gs_key));
    part->places[bin] = place + fits;
    return fits == keys;
}

/* The same for a full line that fits: the compiler makes plain stores of it. */
static inline bool write_full_line(const struct gs_split *split, const struct part *part,
                                   uint32_t bin)
{
    uint32_t place = part->places[bin];
    if (part->ends[bin] - place < LINE_KEYS)
        return write_line(split, part, bin, LINE_KEYS);
    memcpy(split->out + place, part->lines + (size_t)bin * LINE_KEYS, LINE_KEYS * sizeof(gs_key));
    part->places[bin] = place + LINE_KEYS;
    return true;
}

static inline __attribute__((always_inline)) bool move_keys(const struct gs_split *split,
                                                            enum gs_guide guide, uint32_t steps,
                                                            const struct gs_tile *tile,
                                                            const struct part *part)
{
    bool fits = true;
    for (uint64_t i = 0; i < tile->count; i++) {
        gs_key key = tile->keys[i];
        uint32_t bin = gs_splitters_bin(split->splitters, guide, steps, key);
        uint32_t filled = part->filled[bin];
        part->lines[(size_t)bin * LINE_KEYS + filled] = key;
        if (++filled == LINE_KEYS) {
            fits = write_full_line(split, part, bin) && fits;
            filled = 0;
        }
        part->filled[bin] = filled;
    }
    return fits;
}

static void count_tile(const struct gs_split *split, const struct gs_tile *tile, uint32_t *counts)
{
#define COUNT(guide, steps) count_keys(split->splitters, guide, steps, tile, counts);
    GS_SPLITTERS_SEARCH(split->splitters, COUNT)
#undef COUNT
}

static bool move_tile(const struct gs_split *split, const struct gs_tile *tile,
                      const struct part *part)
{
    bool fits = true;
#define MOVE(guide, steps) fits = move_keys(split, guide, steps, tile, part);
    GS_SPLITTERS_SEARCH(split->splitters, MOVE)
#undef MOVE
    return fits;
}

/* Count a part, tile by tile. Returns its fingerprint, 0 if not wanted. */
static uint64_t count_part(const struct gs_split *split, const struct part *part)
{
    uint64_t fingerprint = 0;
    for (uint64_t done = 0; done < part->count;) {
        uint64_t left = part->count - done;
        struct gs_tile tile = gs_tiles_part(split->tiles, part->first + done,
                                            left < GS_TILE_KEYS ? left : GS_TILE_KEYS);
        count_tile(split, &tile, part->counts);
        if (split->verify)
            fingerprint += gs_fingerprint(tile.keys, tile.count);
        done += tile.count;
    }
    return fingerprint;
}

/* Move a part's keys. False: they are not those that were counted. */
static bool move_part(const struct gs_split *split, const struct part *part)
{
    bool fits = true;
    for (uint64_t done = 0; done < part->count;) {
        struct gs_tile tile = gs_tiles_part(split->tiles, part->first + done, part->count - done);
        fits = move_tile(split, &tile, part) && fits;
        done += tile.count;
    }
    for (uint32_t bin = 0; bin <= split->splitters->count; bin++)
        if (part->filled[bin] > 0)
            fits = write_line(split, part, bin, part->filled[bin]) && fits;
    return fits;
}

/* From the parts' counts to each part's places: bins to be written first, equality bins last. */
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
static void make_parts(const struct gs_split *split, struct part *parts, unsigned threads,
                       uint32_t *tables)
{
    uint32_t bins = split->splitters->count + 1;
    for (unsigned i = 0; i < threads; i++) {
        uint64_t from = (uint64_t)split->count * i / threads;
        uint64_t to = (uint64_t)split->count * (i + 1) / threads;
        uint32_t *own = tables + (size_t)i * bins * (LINE_KEYS + 4);
        parts[i] = (struct part){.lines = own,
                                 .counts = own + (size_t)bins * LINE_KEYS,
                                 .places = own + (size_t)bins * (LINE_KEYS + 1),
                                 .ends = own + (size_t)bins * (LINE_KEYS + 2),
                                 .filled = own + (size_t)bins * (LINE_KEYS + 3),
                                 .first = split->first + from,
                                 .count = to - from};
    }
}

enum gs_status gs_split_chunk(struct gs_split *split, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint32_t bins = split->splitters->count + 1;
    unsigned threads = split->threads;
    struct part *parts = calloc(threads, sizeof *parts);
    /* Aligned to lines of the cache; the lines come first. */
    uint32_t *tables = aligned_alloc(64, (gs_split_memory(bins, threads) + 63) / 64 * 64);
    if (parts == NULL || tables == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", bins);
        goto cleanup;
    }
    memset(tables, 0, gs_split_memory(bins, threads));
    make_parts(split, parts, threads, tables);
    uint64_t fingerprint = 0;
    atomic_bool fits = true;
    /* The system may give fewer threads than parts. */
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
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: changed while it was being sorted",
                     gs_tiles_part(split->tiles, split->first, 1).span->name);

cleanup:
    free(parts);
    free(tables);
    return st;
}

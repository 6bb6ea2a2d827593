/* ordered_runs.c -- cut the input into runs of ordered keys, if they are few, and merge these.
 * SPDX-License-Identifier: MIT
 *
 * Threads cut each tile into runs as if nothing came before it; then runs of neighbouring tiles are
 * joined where one continues the other. A run that ends one key past a tile's beginning may leave a
 * short run there, which does no harm.
 */
#include "sort/ways/ordered_runs.h"
#include "sort/keys/order.h"
#include "sort/merge/merge.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    TILE_RUNS = 8,    /* a tile with more is given up */
    LOOK_KEYS = 1024, /* first keys looked at, where most inputs already show too many */
    BLOCK_KEYS = 1024
};

/* The runs of one tile. */
struct tile_runs {
    uint32_t counts[TILE_RUNS];
    int8_t directions[TILE_RUNS];
    uint8_t count;
};

/* The number of keys in order from the first on. */
static uint64_t ordered_keys(const gs_key *keys, uint64_t count, bool descend)
{
    uint64_t i = 0;
    for (; i + BLOCK_KEYS < count; i += BLOCK_KEYS)
        if (!(descend ? gs_order_descending : gs_order_ascending)(keys + i, BLOCK_KEYS + 1))
            break;
    while (i + 1 < count && (descend ? keys[i] >= keys[i + 1] : keys[i] <= keys[i + 1]))
        i++;
    return i + 1;
}

/* Cut one tile into runs. False: there are too many. */
static bool cut_tile(const gs_key *keys, uint64_t count, struct tile_runs *runs)
{
    runs->count = 0;
    for (uint64_t i = 0; i < count;) {
        if (runs->count == TILE_RUNS)
            return false;
        uint64_t up = ordered_keys(keys + i, count - i, false);
        uint64_t down = ordered_keys(keys + i, count - i, true);
        uint64_t most = up > down ? up : down;
        runs->counts[runs->count] = (uint32_t)most;
        runs->directions[runs->count++] = (int8_t)((up > down) - (up < down));
        i += most;
    }
    return true;
}

/* If run b continues run a, append it to a; else false. */
static bool join(const struct gs_tiles *tiles, struct gs_ordered_run *a,
                 const struct gs_ordered_run *b)
{
    gs_key last = gs_tiles_key(tiles, b->first - 1);
    gs_key next = gs_tiles_key(tiles, b->first);
    int step = (last < next) - (last > next);
    int direction = a->direction != 0 ? a->direction : b->direction != 0 ? b->direction : step;
    if ((step != 0 && step != direction) || (b->direction != 0 && b->direction != direction))
        return false;
    a->direction = direction;
    a->count += b->count;
    return true;
}

/* Join the runs of all tiles. False: they are too many. */
static bool join_tiles(const struct gs_tiles *tiles, const struct tile_runs *tile_runs,
                       struct gs_ordered_runs *runs)
{
    uint64_t first = 0;
    runs->count = 0;
    for (uint64_t tile = 0; tile < tiles->count; tile++)
        for (uint32_t i = 0; i < tile_runs[tile].count; i++) {
            struct gs_ordered_run run = {.first = first,
                                         .count = tile_runs[tile].counts[i],
                                         .direction = tile_runs[tile].directions[i]};
            first += run.count;
            if (runs->count > 0 && join(tiles, &runs->list[runs->count - 1], &run))
                continue;
            if (runs->count == GS_ORDERED_RUNS_MAX)
                return false;
            runs->list[runs->count++] = run;
        }
    return runs->count * GS_ORDERED_RUN_KEYS <= first;
}

bool gs_ordered_runs_find(const struct gs_tiles *tiles, unsigned threads,
                          struct gs_ordered_runs *runs)
{
    struct tile_runs looked;
    struct gs_tile first = gs_tiles_part(tiles, 0, LOOK_KEYS);
    gs_key block[LOOK_KEYS];
    if (gs_merge_method() == GS_MERGE_NONE ||
        !cut_tile(gs_tile_keys(tiles, &first, 0, first.count, block), first.count, &looked))
        return false;
    struct tile_runs *tile_runs = malloc(tiles->count * sizeof *tile_runs);
    if (tile_runs == NULL)
        return false; /* the caller falls back to another method */
    atomic_bool many = false;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (uint64_t i = 0; i < tiles->count; i++) {
        struct gs_tile tile = gs_tiles_at(tiles, i);
        gs_key *decoded = tiles->codec != NULL ? malloc(tile.count * sizeof *decoded) : NULL;
        bool fits = tiles->codec == NULL || decoded != NULL;
        if (!fits || (!atomic_load_explicit(&many, memory_order_relaxed) &&
                      !cut_tile(gs_tile_keys(tiles, &tile, 0, tile.count, decoded), tile.count,
                                &tile_runs[i])))
            atomic_store_explicit(&many, true, memory_order_relaxed);
        free(decoded);
    }
    bool few = !many && join_tiles(tiles, tile_runs, runs);
    free(tile_runs);
    return few;
}

enum gs_status gs_ordered_runs_merge(struct gs_run *run, const struct gs_ordered_runs *runs,
                                     struct gs_error *err)
{
    const struct gs_tiles *tiles = &run->tiles;
    const size_t most = runs->count + tiles->span_count + 1;
    struct gs_span *parts = malloc(most * sizeof *parts); /* of runs, each within a span */
    bool *backwards = malloc(most * sizeof *backwards);
    enum gs_status st = GS_ERR_MEMORY;
    size_t count = 0;
    if (parts == NULL || backwards == NULL) {
        gs_fail(err, st, 0, "not enough memory to merge %zu runs", runs->count);
        goto cleanup;
    }
    for (size_t i = 0; i < runs->count; i++) {
        const struct gs_ordered_run *ordered = &runs->list[i];
        for (uint64_t done = 0; done < ordered->count; done += parts[count++].count) {
            const struct gs_tile part =
                gs_tiles_part(tiles, ordered->first + done, ordered->count - done);
            parts[count] = (struct gs_span){.keys = part.keys != NULL ? part.keys : part.records,
                                            .count = part.count};
            backwards[count] = ordered->direction * (run->options->reverse ? -1 : 1) < 0;
        }
    }
    st = gs_merge_ordered(run, parts, count, backwards, err);
cleanup:
    free(backwards);
    free(parts);
    return st;
}

/* scatter.c -- order a chunk by bin, and move it from scratch to the copy.
 * SPDX-License-Identifier: MIT
 *
 * Most chunks already lie in rooms for their bins, in scratch, and are copied out. The others are
 * ordered first: both orders fit the second-level cache, and so do the lines of all bins being
 * filled, so plain stores are enough. A chunk is read from the input once and written to memory
 * once.
 */
#include "sort/cpu/scatter.h"
#include "sort/cpu/regions.h"
#include "sort/cpu/chunk_scratch.h"
#include "sort/cpu/cpu.h"
#include "sort/run/thread_work.h"

#include "common/memory/memory.h"

static_assert(GS_REGIONS_MAX <= GS_GAPS_MAX, "bins that have regions may lie apart");

/* Prefetch distance, in keys of a part. */
#define AHEAD 4

/* Is there a key outside the equality bins? */
static bool has_keys_to_move(const struct gs_run *run, const uint32_t *starts)
{
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++)
        if (starts[bin + 1] > starts[bin] && !gs_splitters_equal(&run->splitters, bin))
            return true;
    return false;
}

/* Turn a chunk's counts into the places of its keys, in bins one after the other with `gap` in
 * front of each that has keys. */
static void start_tables(uint32_t *tables, uint32_t bins, uint32_t gap)
{
    uint32_t sum = 0; /* of keys and gaps */
    for (uint32_t bin = 0; bin < bins; bin++) {
        uint32_t next = sum + gap;
        for (uint32_t t = 0; t < GS_CHUNK_TABLES; t++) {
            uint32_t count = tables[t * bins + bin];
            tables[t * bins + bin] = next;
            next += count;
        }
        sum = next > sum + gap ? next : sum;
    }
}

/* Move keys to the places of their bins, those of each part by its table: with one table,
 * consecutive keys of one bin, as in a nearly ordered input, would wait for each other's
 * counter. The keys of a bin stay in input order, which records rest on (external/).
 *
 * Thousands of bins have more lines than the first-level cache holds, and stores that miss wait for
 * each other: so each line is prefetched for writing some keys ahead. */
static void move_keys(const gs_key *restrict keys, const uint16_t *restrict bins, uint64_t count,
                      uint32_t *restrict tables, uint32_t stride, gs_key *restrict to)
{
    const uint64_t part = gs_chunk_part(count);
    uint64_t i = 0;
    for (; i + AHEAD + (GS_CHUNK_TABLES - 1) * part < count; i++)
        for (uint32_t t = 0; t < GS_CHUNK_TABLES; t++) {
            const uint64_t at = t * part + i;
            __builtin_prefetch(to + tables[t * stride + bins[at + AHEAD]], 1);
            to[tables[t * stride + bins[at]]++] = keys[at];
        }
    for (; i < part; i++)
        for (uint32_t t = 0; t < GS_CHUNK_TABLES && t * part + i < count; t++)
            to[tables[t * stride + bins[t * part + i]]++] = keys[t * part + i];
}

/* Order a chunk that count bins has left unordered, with its counts still in the tables. Bins get
 * `gap` keys between them, and the last table then holds their ends. */
static gs_key *order_chunk(const struct gs_run *run, uint64_t count, uint32_t gap)
{
    struct gs_chunk_scratch scratch = gs_chunk_scratch(run);
    start_tables(scratch.tables, gs_run_bins(run), gap);
    move_keys(scratch.keys, scratch.bins, count, scratch.tables, gs_run_bins(run), scratch.moved);
    return scratch.moved;
}

/* Where the bins of an ordered chunk end. */
static const uint32_t *ends_of(const struct gs_run *run)
{
    return gs_chunk_scratch(run).tables + (GS_CHUNK_TABLES - 1) * gs_run_bins(run);
}

/* Move a chunk to the regions of its bins. */
static enum gs_status scatter_to_regions(struct gs_run *run, const struct gs_regions *regions,
                                         const struct gs_chunk *chunk, struct gs_error *err)
{
    const struct gs_rooms *rooms = gs_rooms_in(gs_cpu_scratch(run));
    const uint32_t *counts = regions->threads[gs_cpu_thread()].chunk_counts;
    bool moves = false;
    if (rooms->placed)
        return gs_regions_put_rooms(run, rooms, gs_cpu_scratch(run), err);
    for (uint32_t bin = 0; bin < gs_run_bins(run) && !moves; bin++)
        moves = counts[bin] > 0 && !gs_splitters_equal(&run->splitters, bin);
    gs_key *keys = moves ? order_chunk(run, chunk->count, GS_GAP_KEYS) : NULL;
    return gs_regions_put_ordered(run, keys, ends_of(run), err);
}

/* Would many bins of a chunk begin in the same few cache sets if they were contiguous? Only then
 * are they spaced, since copying spaced bins takes longer: 5 % for nearly ordered keys. */
static bool bins_collide(const uint32_t *starts, uint32_t bins)
{
    enum { SET_KEYS = 256, MANY = 8 };
    uint32_t found = 0;
    for (uint32_t bin = 0; bin < bins; bin++) {
        const uint32_t count = starts[bin + 1] - starts[bin];
        found += count > 0 && count % SET_KEYS == 0;
    }
    return found >= MANY && bins <= GS_GAPS_MAX;
}

/* Move a chunk to its place in the copy. */
static void scatter_to_copy(struct gs_run *run, const struct gs_chunk *chunk)
{
    const struct gs_cpu *cpu = run->cpu;
    const struct gs_rooms *rooms = gs_rooms_in(gs_cpu_scratch(run));
    const uint32_t *starts = cpu->rows.starts + chunk->index * cpu->rows.stride;
    const uint32_t bins = gs_run_bins(run);
    gs_key *to = gs_cpu_chunk(cpu, chunk->index);
    if (!cpu->moves_equal && !has_keys_to_move(run, starts))
        return;
    if (rooms->placed) {
        gs_copy_bins(starts, rooms->next, bins, gs_cpu_scratch(run), to);
    } else if (bins_collide(starts, bins)) {
        gs_key *keys = order_chunk(run, chunk->count, GS_GAP_KEYS);
        gs_copy_bins(starts, ends_of(run), bins, keys, to);
    } else {
        gs_copy_past_cache(to, order_chunk(run, chunk->count, 0), chunk->count * sizeof *to);
    }
}

enum gs_status gs_scatter_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                              struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_regions *regions = gs_regions_of(run);
    if (regions != NULL)
        st = scatter_to_regions(run, regions, chunk, err);
    else
        scatter_to_copy(run, chunk);
    atomic_fetch_add_explicit(&run->progress->done, chunk->count, memory_order_relaxed);
    return st;
}

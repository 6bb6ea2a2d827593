/* count_bins.c -- copy a chunk into cache, find the bin of each key there, count the bins.
 * SPDX-License-Identifier: MIT
 *
 * The scatter moves exactly what was counted: keys stay in the thread's scratch memory, in the
 * rooms of their bins (chunk_rooms.h) or beside their bin numbers, so an input that somebody
 * changes meanwhile cannot separate a key from its bin.
 */
#include "sort/cpu/count_bins.h"
#include "sort/check/record_fingerprint.h"
#include "sort/cpu/regions.h"
#include "sort/cpu/chunk_scratch.h"
#include "sort/split/search_bins.h"
#include "sort/keys/fingerprint.h"
#include "sort/cpu/cpu.h"
#include "sort/run/thread_work.h"

#include <string.h>

static_assert(
    GS_CHUNK_SCRATCH_BYTES + sizeof(struct gs_rooms) + sizeof(gs_key) <=
        GS_CACHE_SORT_SCRATCH * sizeof(gs_key),
    "a chunk fits a thread's scratch memory, beside where rooms will be for the next one");

/* Count the keys of each part in its table, from which the scatter will take their places: with one
 * table, each key of a run of equal keys would wait for the store of the one before. */
static void count_tables(const uint16_t *bins, uint64_t count, uint32_t *tables, uint32_t stride)
{
    const uint64_t part = gs_chunk_part(count);
    uint64_t i = 0;
    for (; i + (GS_CHUNK_TABLES - 1) * part < count; i++)
        for (uint32_t t = 0; t < GS_CHUNK_TABLES; t++)
            tables[t * stride + bins[t * part + i]]++;
    for (; i < part; i++)
        for (uint32_t t = 0; t < GS_CHUNK_TABLES && t * part + i < count; t++)
            tables[t * stride + bins[t * part + i]]++;
}

/* Add the fingerprint of keys read and counted, for options->verify. */
static void add_fingerprint(struct gs_run *run, uint64_t fingerprint)
{
#pragma omp atomic
    run->fingerprint += fingerprint;
}

/* Are fingerprints those of keys? */
static bool sums_keys(const struct gs_run *run)
{
    return run->options->verify && (run->tiles.tagger == NULL || !run->tiles.tagger->sums);
}

/* Else those of the records whose tags they are, which have just been made of them. */
static uint64_t sum_records(const struct gs_run *run, const void *records, uint64_t count)
{
    if (run->tiles.tagger == NULL || !run->tiles.tagger->sums)
        return 0;
    return gs_records_fingerprint(records, gs_tiles_record_bytes(&run->tiles), count);
}

/* Do keys go straight from the input to their rooms? Not if a fingerprint needs a second look at
 * them. */
static bool places_straight(const struct gs_run *run)
{
    return gs_rooms_straight(&run->splitters) && !sums_keys(run);
}

/* Put contiguous keys into the rooms of their bins, and prefetch those that `follow`; false if a
 * room overflowed. */
static bool place_part(struct gs_run *run, const gs_key *keys, uint32_t count, const void *follow,
                       struct gs_rooms *rooms, uint64_t *fingerprint)
{
    uint32_t bins = gs_run_bins(run);
    gs_key *room = gs_cpu_scratch(run);
    if (places_straight(run))
        return gs_rooms_put_straight(rooms, room, &run->splitters, keys, count, bins, follow);
    gs_find_bins(&run->splitters, keys, count, rooms->keys, rooms->bins);
    if (sums_keys(run))
        *fingerprint += gs_fingerprint(rooms->keys, count);
    return gs_rooms_put(rooms, room, count, bins);
}

/* Put a chunk into rooms of about the right size, and count its bins; false if it does not fit. */
static bool place_chunk(struct gs_run *run, const struct gs_chunk *chunk, struct gs_rooms *rooms,
                        uint32_t *counts)
{
    uint32_t bins = gs_run_bins(run);
    bool straight = places_straight(run) && gs_tiles_are_keys(&run->tiles);
    uint64_t most = straight ? GS_ROOMS_STRAIGHT : GS_ROOMS_BLOCK;
    const size_t record_bytes = gs_tiles_record_bytes(&run->tiles);
    uint64_t fingerprint = 0;
    const struct gs_regions *regions = gs_regions_of(run);
    gs_key block[GS_ROOMS_BLOCK];
    if (!gs_rooms_begin(rooms, bins))
        return false;
    if (regions != NULL)
        gs_regions_fill_rests(regions, rooms, gs_cpu_scratch(run), bins);
    for (uint64_t done = 0; done < chunk->count;) {
        struct gs_tile part = gs_tiles_part(&run->tiles, chunk->first + done, most);
        uint64_t left = chunk->count - done;
        uint64_t here = part.count < left ? part.count : left;
        const gs_key *keys = gs_tile_keys(&run->tiles, &part, 0, here, block);
        const void *follow = (const char *)part.records + GS_ROOMS_BLOCK * record_bytes;
        fingerprint += sum_records(run, part.records, here);
        if (!place_part(run, keys, (uint32_t)here, follow, rooms, &fingerprint)) {
            gs_rooms_end(rooms, false);
            return false;
        }
        done += here;
    }
    for (uint32_t bin = 0; bin < bins && regions == NULL; bin++)
        counts[bin] = rooms->next[bin] - rooms->first[bin];
    gs_rooms_end(rooms, true);
    add_fingerprint(run, fingerprint);
    return true;
}

/* Find the bins of a chunk and count them. */
static void count_chunk(struct gs_run *run, const struct gs_chunk *chunk,
                        const struct gs_chunk_scratch *scratch, uint32_t *counts)
{
    uint32_t bins = gs_run_bins(run);
    gs_key block[GS_ROOMS_BLOCK];
    const uint64_t most = gs_tiles_are_keys(&run->tiles) ? chunk->count : GS_ROOMS_BLOCK;
    uint64_t fingerprint = 0;
    for (uint64_t done = 0; done < chunk->count;) {
        uint64_t left = chunk->count - done;
        struct gs_tile part =
            gs_tiles_part(&run->tiles, chunk->first + done, left < most ? left : most);
        gs_find_bins(&run->splitters, gs_tile_keys(&run->tiles, &part, 0, part.count, block),
                     part.count, scratch->keys + done, scratch->bins + done);
        fingerprint += sum_records(run, part.records, part.count);
        done += part.count;
    }
    memset(scratch->tables, 0, GS_CHUNK_TABLES * (size_t)bins * sizeof *scratch->tables);
    count_tables(scratch->bins, chunk->count, scratch->tables, bins);
    for (uint32_t bin = 0; bin < bins; bin++) {
        counts[bin] = 0;
        for (uint32_t t = 0; t < GS_CHUNK_TABLES; t++)
            counts[bin] += scratch->tables[t * bins + bin];
    }
    if (sums_keys(run))
        fingerprint = gs_fingerprint(scratch->keys, chunk->count);
    add_fingerprint(run, fingerprint);
}

enum gs_status gs_count_bins_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err)
{
    (void)err;
    const struct gs_cpu *cpu = run->cpu;
    struct gs_chunk_scratch scratch = gs_chunk_scratch(run);
    struct gs_rooms *rooms = gs_rooms_in(gs_cpu_scratch(run));
    const struct gs_regions *regions = gs_regions_of(run);
    uint32_t *counts = regions != NULL ? regions->threads[gs_cpu_thread()].chunk_counts
                                       : cpu->rows.starts + chunk->index * cpu->rows.stride;
    rooms->placed = false;
    if (place_chunk(run, chunk, rooms, counts))
        return GS_OK;
    count_chunk(run, chunk, &scratch, counts);
    if (chunk->count == cpu->rows.row_keys) /* not the last one, which may be short */
        gs_rooms_make(rooms, counts, gs_run_bins(run), regions != NULL);
    return GS_OK;
}

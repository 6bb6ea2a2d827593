/* count_bins_cpu.c -- copy a chunk into cache, find the bin of each key there, count the bins.
 * SPDX-License-Identifier: MIT
 *
 * The input is read here once and never again: copy and bins stay in the thread's scratch memory
 * for the scatter, so an input that somebody changes meanwhile cannot part a key from its bin.
 */
#include "sort/count_bins.h"
#include "sort/chunk_scratch.h"
#include "sort/search_bins.h"
#include "sort/stages_cpu.h"

#include <string.h>

/* Keys that pass from the input through the first-level cache at a time. */
#define BLOCK_KEYS 2048
#define LINE_KEYS  16

/* A search of more halving steps than this takes them for SIDE_BY_SIDE keys at a time. */
#define LONG_STEPS   2
#define SIDE_BY_SIDE 16

/* Copy keys and note their bins. guide and steps are constants at every call: this is inlined for
 * each pair. */
static inline __attribute__((always_inline)) void find_bins(const struct gs_splitters *splitters,
                                                            enum gs_guide guide, uint32_t steps,
                                                            const gs_key *restrict keys,
                                                            uint64_t count, gs_key *restrict copy,
                                                            uint16_t *restrict bins)
{
    for (uint64_t first = 0; first < count; first += BLOCK_KEYS) {
        uint64_t here = count - first < BLOCK_KEYS ? count - first : BLOCK_KEYS;
        memcpy(copy + first, keys + first, here * sizeof *keys);
        for (uint64_t i = first; i < first + here; i++) {
            if (i % LINE_KEYS == 0) /* the next block is on its way meanwhile */
                __builtin_prefetch(keys + i + BLOCK_KEYS);
            bins[i] = (uint16_t)gs_splitters_bin(splitters, guide, steps, copy[i]);
        }
    }
}

/* The halving steps of a long search, step by step for some keys side by side: the processor would
 * else wait for one step after the other. */
static void finish_search(const struct gs_splitters *splitters, const gs_key *restrict keys,
                          uint64_t count, uint16_t *restrict bins)
{
    const gs_key *splitter = splitters->splitter;
    uint64_t i = 0;
#if GS_SEARCH_BINS_HAS_512
    if (gs_search_bins512_usable())
        i = gs_search_bins512(splitters, keys, count, bins);
#endif
    while (i < count) {
        uint64_t end = count - i < SIDE_BY_SIDE ? count : i + SIDE_BY_SIDE;
        for (uint32_t half = 1U << splitters->steps >> 1; half != 0; half >>= 1)
            for (uint64_t k = i; k < end; k++)
                bins[k] += (uint16_t)((uint32_t)(splitter[bins[k] + half - 1] < keys[k]) * half);
        i = end;
    }
}

/* Does the search take its halving steps after the guide's look-ups? */
static bool searches_by_step(const struct gs_splitters *splitters)
{
#if GS_SEARCH_BINS_HAS_512
    if (gs_search_bins512_usable())
        return splitters->steps > 0;
#endif
    return splitters->steps > LONG_STEPS;
}

/* Find the bins of a part of a chunk. */
static void find_part(const struct gs_splitters *splitters, const struct gs_tile *part,
                      gs_key *copy, uint16_t *bins)
{
    const gs_key *keys = part->keys;
    const uint64_t count = part->count;
    if (searches_by_step(splitters)) {
        if (splitters->guide == GS_GUIDE_TOP)
            find_bins(splitters, GS_GUIDE_TOP, 0, keys, count, copy, bins);
        else if (splitters->guide == GS_GUIDE_LINEAR)
            find_bins(splitters, GS_GUIDE_LINEAR, 0, keys, count, copy, bins);
        else
            find_bins(splitters, GS_GUIDE_LOG, 0, keys, count, copy, bins);
        finish_search(splitters, copy, count, bins);
        return;
    }
#define FIND(guide, steps) find_bins(splitters, guide, steps, keys, count, copy, bins);
    GS_SPLITTERS_SEARCH(splitters, FIND)
#undef FIND
}

/* Count in several tables: a run of equal keys would else wait for its own last store at every
 * key. */
static void count_tables(const uint16_t *bins, uint64_t count, uint32_t *tables, uint32_t stride)
{
    uint64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        tables[bins[i]]++;
        tables[stride + bins[i + 1]]++;
        tables[2 * stride + bins[i + 2]]++;
        tables[3 * stride + bins[i + 3]]++;
    }
    for (; i < count; i++)
        tables[bins[i]]++;
}

enum gs_status gs_count_bins_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err)
{
    (void)err;
    const struct gs_cpu *cpu = run->device;
    uint32_t bins = gs_run_bins(run);
    struct gs_chunk_scratch scratch = gs_chunk_scratch(run);
    for (uint64_t done = 0; done < chunk->count;) {
        struct gs_tile part = gs_tiles_part(&run->tiles, chunk->first + done, chunk->count - done);
        find_part(&run->splitters, &part, scratch.keys + done, scratch.bins + done);
        done += part.count;
    }
    memset(scratch.tables, 0, GS_CHUNK_TABLES * (size_t)bins * sizeof *scratch.tables);
    count_tables(scratch.bins, chunk->count, scratch.tables, bins);
    uint32_t *counts = cpu->starts + chunk->index * cpu->stride;
    for (uint32_t bin = 0; bin < bins; bin++)
        counts[bin] = scratch.tables[bin] + scratch.tables[bins + bin] +
                      scratch.tables[2 * bins + bin] + scratch.tables[3 * bins + bin];
    if (run->options->verify) {
        uint64_t fingerprint = gs_fingerprint(scratch.keys, chunk->count);
#pragma omp atomic
        run->fingerprint += fingerprint;
    }
    return GS_OK;
}

/* chunk_scratch.h -- a chunk's data in the thread's scratch memory, from count bins to scatter.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CHUNK_SCRATCH_H
#define GS_CHUNK_SCRATCH_H

#include "sort/bin/cache_sort.h"
#include "sort/cpu/cpu.h"

/* The gap between bins of an ordered chunk, and the most bins that get one. Without gaps, bins of
 * 2^k keys each, as from sorted streams in turn, would begin in the same few sets of the
 * first-level cache and evict each other's lines: 32 streams took four times as long as random
 * keys. */
#define GS_GAP_KEYS GS_LINE_KEYS
#define GS_GAPS_MAX 4096

struct gs_chunk_scratch {
    gs_key *keys;     /* [GS_CHUNK_KEYS_MAX]: as read from the input */
    uint16_t *bins;   /* [GS_CHUNK_KEYS_MAX]: the bin of each */
    gs_key *moved;    /* [GS_CHUNK_KEYS_MAX + gaps]: ordered by bin */
    uint32_t *tables; /* [GS_CHUNK_TABLES][bins]: counts of the keys of each part */
};

#define GS_CHUNK_SCRATCH_BYTES                                                                     \
    (GS_CHUNK_KEYS_MAX * (2 * sizeof(gs_key) + sizeof(uint16_t)) +                                 \
     GS_GAPS_MAX * GS_GAP_KEYS * sizeof(gs_key) +                                                  \
     GS_CHUNK_TABLES * (GS_SPLITTERS_MAX + 1) * sizeof(uint32_t))

static_assert(GS_SPLITTERS_MAX <= UINT16_MAX, "bins are numbered in 16 bits");

/* Keys of each part of a chunk but the last one, which may have fewer, or none. */
static inline uint64_t gs_chunk_part(uint64_t count)
{
    return (count + GS_CHUNK_TABLES - 1) / GS_CHUNK_TABLES;
}

/* The calling thread's scratch memory. */
static inline struct gs_chunk_scratch gs_chunk_scratch(const struct gs_run *run)
{
    struct gs_chunk_scratch scratch = {.keys = gs_cpu_scratch(run)};
    scratch.moved = scratch.keys + GS_CHUNK_KEYS_MAX;
    scratch.bins =
        (uint16_t *)(void *)(scratch.moved + GS_CHUNK_KEYS_MAX + GS_GAPS_MAX * GS_GAP_KEYS);
    scratch.tables = (uint32_t *)(void *)(scratch.bins + GS_CHUNK_KEYS_MAX);
    return scratch;
}

#endif

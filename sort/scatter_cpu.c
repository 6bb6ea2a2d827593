/* scatter_cpu.c -- order a chunk by bin, from the thread's scratch to its place in the copy.
 * SPDX-License-Identifier: MIT
 *
 * Most chunks lie there in rooms for their bins already, and are copied out. Of the others, both
 * orders fit the second-level cache, and so do the lines of all bins that are being filled: plain
 * stores are enough. The chunk came from the input once, and goes to memory once.
 */
#include "sort/scatter.h"
#include "sort/cache_sort_chunk.h"
#include "sort/chunk_scratch.h"
#include "sort/stages_cpu.h"

#include <string.h>

/* Keys between a line's call into cache and its store. */
#define AHEAD 16

/* Is there a key outside the equality bins? */
static bool has_keys_to_move(const struct gs_run *run, const uint32_t *starts)
{
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++)
        if (starts[bin + 1] > starts[bin] && !gs_splitters_equal(&run->splitters, bin))
            return true;
    return false;
}

/* Move keys to their bins. Thousands of bins have more lines than the first-level cache holds, and
 * stores that miss wait for each other: each line is called there some keys ahead, to be written.
 */
static void move_keys(const gs_key *restrict keys, const uint16_t *restrict bins, uint64_t count,
                      uint32_t *restrict next, gs_key *restrict to)
{
    uint64_t i = 0;
    for (; i + AHEAD < count; i++) {
        __builtin_prefetch(to + next[bins[i + AHEAD]], 1);
        to[next[bins[i]]++] = keys[i];
    }
    for (; i < count; i++)
        to[next[bins[i]]++] = keys[i];
}

/* A chunk that count bins has left unordered. */
static void order_chunk(const struct gs_run *run, uint64_t count, const uint32_t *starts,
                        gs_key *to)
{
    struct gs_chunk_scratch scratch = gs_chunk_scratch(run);
    uint32_t *next = scratch.tables;
    memcpy(next, starts, gs_run_bins(run) * sizeof *next);
    move_keys(scratch.keys, scratch.bins, count, next, scratch.moved);
    gs_copy_past_cache(to, scratch.moved, count);
}

enum gs_status gs_scatter_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                              struct gs_error *err)
{
    (void)err;
    const struct gs_cpu *cpu = run->device;
    const uint32_t *starts = cpu->starts + chunk->index * cpu->stride;
    if (cpu->moves_equal || has_keys_to_move(run, starts)) {
        const struct gs_rooms *rooms = gs_rooms_in(gs_cpu_scratch(run));
        gs_key *to = gs_cpu_chunk(cpu, chunk->index);
        if (rooms->placed)
            gs_rooms_copy(rooms, gs_cpu_scratch(run), gs_run_bins(run), to);
        else
            order_chunk(run, chunk->count, starts, to);
    }
    atomic_fetch_add_explicit(&run->progress->done, chunk->count, memory_order_relaxed);
    return GS_OK;
}

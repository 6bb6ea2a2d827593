/* regions.c -- fill the regions of the bins, in whole cache lines.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/regions.h"
#include "sort/cpu/chunk_scratch.h"
#include "sort/run/thread_work.h"

#include "common/memory/cache_line.h"

#include <stdlib.h>

/* Take an extent of spare memory for a thread's keys of a bin; NULL: memory is short. */
static gs_key *take_extent(struct gs_regions *regions, struct gs_region_thread *thread,
                           uint32_t bin, uint64_t count)
{
    if (thread->extent_count == thread->extent_room) {
        size_t room = thread->extent_room * 2 + 256;
        struct gs_extent *extents = realloc(thread->extents, room * sizeof *extents);
        if (extents == NULL)
            return NULL;
        thread->extents = extents;
        thread->extent_room = room;
    }
    uint64_t first = atomic_fetch_add(&regions->spare_next, count);
    if (first + count > regions->spare_room)
        return NULL;
    thread->extents[thread->extent_count++] = (struct gs_extent){first, bin, (uint32_t)count};
    thread->spare_keys[bin] += count;
    return regions->spare + first;
}

/* Claim the next block of a bin's region; a number >= blocks[bin] if none is left. */
static uint32_t claim_block(struct gs_regions *regions, uint32_t bin)
{
    uint32_t blocks = regions->blocks[bin];
    if (blocks == 0 || atomic_load_explicit(&regions->taken[bin], memory_order_relaxed) >= blocks)
        return blocks;
    return atomic_fetch_add_explicit(&regions->taken[bin], 1, memory_order_relaxed);
}

/* Give a bin more room: the next block of its region, or an extent of spare memory. */
static bool take_room(struct gs_regions *regions, struct gs_region_thread *thread, uint32_t bin)
{
    uint32_t block =
        thread->claimed[bin] > 0 ? thread->claimed[bin] - 1 : claim_block(regions, bin);
    uint64_t count = regions->block_keys;
    thread->claimed[bin] = 0;
    if (block < regions->blocks[bin]) {
        thread->to[bin] = regions->output + regions->first[bin] + block * count;
    } else {
        uint64_t share = thread->spare_keys[bin] / GS_EXTENT_SHARE / GS_LINE_KEYS * GS_LINE_KEYS;
        share = share < GS_CHUNK_KEYS_MAX ? share : GS_CHUNK_KEYS_MAX;
        count = share > count ? share : count;
        thread->to[bin] = take_extent(regions, thread, bin, count);
    }
    thread->left[bin] = (uint32_t)count;
    return thread->to[bin] != NULL;
}

/* Append whole lines to a bin's room, taking more room as needed; false: memory is short. */
static inline bool put_lines(struct gs_regions *regions, struct gs_region_thread *thread,
                             uint32_t bin, const gs_key *keys, uint32_t count)
{
    while (count > 0) {
        if (thread->left[bin] == 0 && !take_room(regions, thread, bin))
            return false;
        uint32_t here = count < thread->left[bin] ? count : thread->left[bin];
        gs_lines_copy(thread->to[bin], keys, here / GS_LINE_KEYS);
        thread->to[bin] += here;
        thread->left[bin] -= here;
        keys += here;
        count -= here;
    }
    return true;
}

/* Append a bin's keys, which begin with the thread's rest of it, in whole lines; those that are
 * left are the new rest. Reads a line from there. */
static inline bool put_bin(struct gs_regions *regions, struct gs_region_thread *thread,
                           uint32_t bin, const gs_key *keys, uint32_t count)
{
    const uint32_t rest = count % GS_LINE_KEYS;
    if (!put_lines(regions, thread, bin, keys, count - rest))
        return false;
    memcpy(thread->rests[bin], keys + count - rest, sizeof thread->rests[bin]);
    thread->rest_counts[bin] = (uint8_t)rest;
    return true;
}

void gs_regions_fill_rests(const struct gs_regions *regions, struct gs_rooms *rooms, gs_key *room,
                           uint32_t bins)
{
    const struct gs_region_thread *thread = &regions->threads[gs_cpu_thread()];
    for (uint32_t bin = 0; bin < bins; bin++) {
        memcpy(room + rooms->first[bin], thread->rests[bin], sizeof thread->rests[bin]);
        rooms->next[bin] = rooms->first[bin] + thread->rest_counts[bin];
    }
}

enum gs_status gs_regions_put_rooms(struct gs_run *run, const struct gs_rooms *rooms,
                                    const gs_key *room, struct gs_error *err)
{
    struct gs_regions *regions = run->cpu->regions;
    struct gs_region_thread *thread = &regions->threads[gs_cpu_thread()];
    /* Claim blocks ahead, before any line is written: an atomic addition would wait for all pending
     * non-temporal stores. */
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++)
        if (rooms->next[bin] - rooms->first[bin] >= thread->left[bin] + GS_LINE_KEYS &&
            !gs_splitters_equal(&run->splitters, bin))
            thread->claimed[bin] = 1 + claim_block(regions, bin);
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++) {
        const gs_key *keys = room + rooms->first[bin];
        uint32_t count = rooms->next[bin] - rooms->first[bin];
        thread->counts[bin] += count - thread->rest_counts[bin];
        if (!gs_splitters_equal(&run->splitters, bin) &&
            !put_bin(regions, thread, bin, keys, count))
            return gs_cpu_fail_memory(run, err);
    }
    gs_lines_finish();
    return GS_OK;
}

bool gs_regions_put_rest(struct gs_regions *regions, unsigned number, uint32_t bin)
{
    struct gs_region_thread *thread = &regions->threads[number];
    uint32_t rest = thread->rest_counts[bin];
    if (rest == 0)
        return true;
    if (thread->left[bin] == 0 && !take_room(regions, thread, bin))
        return false;
    memcpy(thread->to[bin], thread->rests[bin], rest * sizeof(gs_key));
    thread->to[bin] += rest;
    thread->left[bin] -= rest;
    thread->rest_counts[bin] = 0;
    return true;
}

enum gs_status gs_regions_put_ordered(struct gs_run *run, gs_key *keys, const uint32_t *ends,
                                      struct gs_error *err)
{
    struct gs_regions *regions = run->cpu->regions;
    struct gs_region_thread *thread = &regions->threads[gs_cpu_thread()];
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++) {
        const uint32_t count = thread->chunk_counts[bin];
        const uint32_t rest = thread->rest_counts[bin];
        thread->counts[bin] += count;
        if (keys == NULL || count == 0 || gs_splitters_equal(&run->splitters, bin))
            continue;
        gs_key *first = keys + ends[bin] - count - rest;
        memcpy(first, thread->rests[bin], rest * sizeof *first);
        if (!put_bin(regions, thread, bin, first, count + rest))
            return gs_cpu_fail_memory(run, err);
    }
    gs_lines_finish();
    return GS_OK;
}

/* regions_runs.c -- describe regions and spare memory as runs; what may be overwritten.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/regions.h"
#include "sort/cpu/cpu.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <stdlib.h>

/* Contiguous keys of one bin. */
struct segment {
    gs_key *keys;
    uint32_t bin;
    uint32_t count;
};

/* All segments. */
struct segments {
    struct segment *list;
    size_t count, room;
};

/* Add contiguous keys, as segments that fit a thread's scratch memory. */
static bool add_segment(struct segments *segments, uint32_t bin, gs_key *keys, uint64_t count)
{
    while (count > 0) {
        if (segments->count == segments->room) {
            size_t room = segments->room * 2 + 4096;
            struct segment *list = realloc(segments->list, room * sizeof *list);
            if (list == NULL)
                return false;
            segments->list = list;
            segments->room = room;
        }
        uint32_t here = count < GS_CHUNK_KEYS_MAX ? (uint32_t)count : GS_CHUNK_KEYS_MAX;
        segments->list[segments->count++] = (struct segment){keys, bin, here};
        keys += here;
        count -= here;
    }
    return true;
}

/* The thread with the first block of a bin in [begin, end) that is not full; NULL: none. */
static const struct gs_region_thread *next_gap(const struct gs_regions *regions, uint32_t bin,
                                               const gs_key *begin, const gs_key *end)
{
    const struct gs_region_thread *found = NULL;
    for (unsigned i = 0; i < regions->thread_count; i++) {
        const struct gs_region_thread *thread = &regions->threads[i];
        uintptr_t at = (uintptr_t)thread->to[bin];
        if (thread->left[bin] > 0 && at >= (uintptr_t)begin && at < (uintptr_t)end &&
            (found == NULL || at < (uintptr_t)found->to[bin]))
            found = thread;
    }
    return found;
}

/* Add the keys in a bin's region. */
static bool add_region(const struct gs_regions *regions, uint32_t bin, struct segments *segments)
{
    if (regions->first[bin] == GS_NO_REGION)
        return true;
    uint32_t taken = atomic_load(&regions->taken[bin]);
    uint32_t blocks = taken < regions->blocks[bin] ? taken : regions->blocks[bin];
    gs_key *at = regions->output + regions->first[bin];
    gs_key *end = at + (uint64_t)blocks * regions->block_keys;
    const struct gs_region_thread *gap;
    while ((gap = next_gap(regions, bin, at, end)) != NULL) {
        if (!add_segment(segments, bin, at, (uint64_t)(gap->to[bin] - at)))
            return false;
        at = gap->to[bin] + gap->left[bin];
    }
    return add_segment(segments, bin, at, (uint64_t)(end - at));
}

/* Add the keys in a thread's extents. */
static bool add_extents(const struct gs_regions *regions, const struct gs_region_thread *thread,
                        struct segments *segments)
{
    for (size_t i = 0; i < thread->extent_count; i++) {
        const struct gs_extent *extent = &thread->extents[i];
        gs_key *keys = regions->spare + extent->first;
        uint32_t left = thread->left[extent->bin];
        bool filling = left > 0 && thread->to[extent->bin] + left == keys + extent->count;
        if (!add_segment(segments, extent->bin, keys, extent->count - (filling ? left : 0)))
            return false;
    }
    return true;
}

/* Each thread appends its rests to its last whole lines. */
static bool put_rests(struct gs_run *run, struct gs_regions *regions)
{
    bool done = true;
#pragma omp parallel for num_threads(run->plan.threads) reduction(&& : done)
    for (unsigned i = 0; i < regions->thread_count; i++)
        for (uint32_t bin = 0; bin < gs_run_bins(run); bin++)
            done = gs_regions_put_rest(regions, i, bin) && done;
    return done;
}

static bool find_segments(struct gs_run *run, struct gs_regions *regions, struct segments *segments)
{
    bool done = put_rests(run, regions);
    for (uint32_t bin = 0; done && bin < gs_run_bins(run); bin++)
        done = add_region(regions, bin, segments);
    for (unsigned i = 0; done && i < regions->thread_count; i++)
        done = add_extents(regions, &regions->threads[i], segments);
    return done;
}

/* A bin whose region begins before the end of its own output would overwrite itself. Move its keys
 * to spare memory. */
static bool move_early(const struct gs_run *run, struct gs_regions *regions,
                       const struct segments *segments)
{
    uint32_t bins = gs_run_bins(run);
    bool *early = calloc((size_t)bins + 1, sizeof *early);
    if (early == NULL)
        return false;
    for (uint32_t bin = 0; bin < bins; bin++) {
        early[bin] = regions->first[bin] < run->offsets[bin] + run->counts[bin];
        if (early[bin] || atomic_load(&regions->taken[bin]) == 0)
            regions->first[bin] = GS_NO_REGION;
    }
    bool done = true;
    for (size_t i = 0; done && i < segments->count; i++) {
        struct segment *segment = &segments->list[i];
        bool spare = (uintptr_t)segment->keys >= (uintptr_t)regions->spare &&
                     (uintptr_t)segment->keys < (uintptr_t)(regions->spare + regions->spare_room);
        if (!early[segment->bin] || spare)
            continue;
        uint64_t first = atomic_fetch_add(&regions->spare_next, segment->count);
        done = first + segment->count <= regions->spare_room;
        if (done) {
            memcpy(regions->spare + first, segment->keys, segment->count * sizeof(gs_key));
            segment->keys = regions->spare + first;
        }
    }
    free(early);
    return done;
}

/* Describe the segments as runs, in as many rows as the bin with the most segments has. */
static bool make_starts(struct gs_run *run, struct gs_regions *regions,
                        const struct segments *segments)
{
    struct gs_cpu *cpu = run->cpu;
    uint32_t bins = gs_run_bins(run);
    uint32_t *rows = calloc((size_t)bins + 1, sizeof *rows);
    uint32_t most = 1;
    if (rows == NULL)
        return false;
    for (size_t i = 0; i < segments->count; i++) {
        uint32_t of_bin = ++rows[segments->list[i].bin];
        most = of_bin > most ? of_bin : most;
    }
    gs_pages_free(cpu->rows.starts, cpu->starts_bytes);
    cpu->rows.stride = 2 * bins;
    cpu->rows.count = most;
    cpu->rows.row_keys = 0; /* all rows count from cpu->rows.keys */
    cpu->starts_bytes = (size_t)most * cpu->rows.stride * sizeof *cpu->rows.starts;
    cpu->rows.starts = gs_pages_alloc(cpu->starts_bytes);
    memset(rows, 0, bins * sizeof *rows);
    for (size_t i = 0; cpu->rows.starts != NULL && i < segments->count; i++) {
        const struct segment *segment = &segments->list[i];
        uint32_t *starts =
            cpu->rows.starts + (uint64_t)rows[segment->bin]++ * cpu->rows.stride + 2 * segment->bin;
        starts[0] = gs_regions_place(regions, segment->keys);
        starts[1] = starts[0] + segment->count;
    }
    free(rows);
    return cpu->rows.starts != NULL;
}

/* Sum the threads' counts. */
static void sum_counts(struct gs_run *run, const struct gs_regions *regions)
{
    uint32_t bins = gs_run_bins(run);
    for (uint32_t bin = 0; bin < bins; bin++) {
        run->counts[bin] = 0;
        for (unsigned i = 0; i < regions->thread_count; i++)
            run->counts[bin] += regions->threads[i].counts[bin];
    }
    gs_prefix_sum_scan(run->counts, run->offsets, bins, run->options->reverse);
}

enum gs_status gs_regions_finish(struct gs_run *run, struct gs_error *err)
{
    struct gs_regions *regions = run->cpu->regions;
    struct segments segments = {0};
    uint64_t start = gs_now_ns();
    sum_counts(run, regions);
    bool done = find_segments(run, regions, &segments) && move_early(run, regions, &segments) &&
                make_starts(run, regions, &segments);
    run->cpu->rows.keys = gs_regions_lowest(regions);
    free(segments.list);
    gs_run_account(run, GS_STAGE_PREFIX_SUM, GS_DEVICE_CPU, gs_now_ns() - start, 0,
                   run->cpu->starts_bytes + gs_run_bins(run) * sizeof *run->counts);
    return done ? GS_OK : gs_cpu_fail_memory(run, err);
}

uint64_t gs_regions_wait_end(const struct gs_run *run, struct gs_regions_wait *wait, uint64_t end)
{
    const struct gs_regions *regions = run->cpu->regions;
    for (; wait->bins < gs_run_bins(run); wait->bins++) {
        uint32_t bin = gs_run_bin_at(run, wait->bins);
        if (regions->first[bin] == GS_NO_REGION)
            continue;
        if (regions->first[bin] >= end)
            break;
        wait->end = run->offsets[bin] + run->counts[bin];
    }
    return wait->end;
}

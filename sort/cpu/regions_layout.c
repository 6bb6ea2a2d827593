/* regions_layout.c -- lay out regions for the bins in the output's memory.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/regions.h"

#include "common/memory/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

enum {
    BIN_KEYS_MIN = 1 << 16, /* on average: with fewer keys, regions do not pay */
    GAP_LOG2 = 6,           /* a 64th of all keys: many times the error of the estimate; */
    GAP_LOG2_EVEN = 8,      /* for even bins of random keys a 256th is, too */
    BLOCK_KEYS_MAX = 2048,
    BLOCK_KEYS_MIN = 128,
    REGION_BLOCKS = 128, /* blocks of a region at least, unless blocks are the smallest */
    ALIGNMENT = 64
};

/* Keys of a block. Each thread leaves on average half a block empty in each bin. */
static uint32_t block_keys_for(const struct gs_run *run)
{
    uint64_t mean = run->plan.count / run->plan.bins;
    uint32_t keys = BLOCK_KEYS_MAX;
    while (keys > BLOCK_KEYS_MIN && (uint64_t)keys * REGION_BLOCKS > mean)
        keys /= 2;
    return keys;
}

bool gs_regions_pay(const struct gs_run *run, uint64_t bins)
{
    const struct gs_plan *plan = &run->plan;
    return plan->count / plan->bins >= BIN_KEYS_MIN && !plan->one_bin && bins >= 2 &&
           bins <= GS_REGIONS_MAX;
}

uint64_t gs_regions_spare(const struct gs_run *run)
{
    const struct gs_plan *plan = &run->plan;
    const struct gs_sink *sink = run->emitter.sink;
    uint64_t bins = gs_run_bins(run);
    bool early = sink->map == NULL || plan->threads < GS_THREADS_TO_SPARE;
    if (sink->memory == NULL || sink->over_input || !early || !gs_regions_pay(run, bins))
        return 0;
    uint64_t blocks = bins * plan->threads * block_keys_for(run);
    return plan->count + plan->count / GS_EXTENT_SHARE + blocks;
}

/* Take the next array, which begins at a cache line. */
static void *take_array(char *memory, size_t *used, uint64_t count, size_t each)
{
    void *array = memory == NULL ? NULL : memory + *used;
    *used += (count * each + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return array;
}

/* Take all arrays from memory; returns their bytes. memory == NULL: only their bytes. */
static size_t take_arrays(struct gs_regions *regions, uint64_t bins, char *memory)
{
    struct gs_region_thread none = {.to = NULL};
    size_t used = 0;
    regions->first = take_array(memory, &used, bins, sizeof *regions->first);
    regions->blocks = take_array(memory, &used, bins, sizeof *regions->blocks);
    regions->taken = take_array(memory, &used, bins, sizeof *regions->taken);
    regions->threads = take_array(memory, &used, regions->thread_count, sizeof *regions->threads);
    for (unsigned i = 0; i < regions->thread_count; i++) {
        struct gs_region_thread *thread = memory == NULL ? &none : &regions->threads[i];
        thread->rests = take_array(memory, &used, bins, sizeof *thread->rests);
        thread->to = take_array(memory, &used, bins, sizeof(gs_key *));
        thread->counts = take_array(memory, &used, bins, sizeof *thread->counts);
        thread->spare_keys = take_array(memory, &used, bins, sizeof *thread->spare_keys);
        thread->left = take_array(memory, &used, bins, sizeof *thread->left);
        thread->claimed = take_array(memory, &used, bins, sizeof *thread->claimed);
        thread->chunk_counts = take_array(memory, &used, bins, sizeof *thread->chunk_counts);
        thread->rest_counts = take_array(memory, &used, bins, sizeof *thread->rest_counts);
    }
    return used;
}

/* Where the region behind that of bin number i, in the output's order, begins; `end` if none
 * follows. Bins without a region, such as equality bins, are skipped. */
static uint64_t region_end(const struct gs_run *run, const struct gs_regions *regions, uint32_t i,
                           uint64_t end)
{
    while (++i < gs_run_bins(run))
        if (regions->first[gs_run_bin_at(run, i)] != GS_NO_REGION)
            return regions->first[gs_run_bin_at(run, i)];
    return end;
}

/* Keys of the gap: the error of the estimates, and the bins being sorted at a time. */
static uint64_t gap_keys(const struct gs_run *run)
{
    const uint64_t n = run->plan.count;
    const unsigned log2 = run->splitters.guide == GS_GUIDE_EVEN ? GAP_LOG2_EVEN : GAP_LOG2;
    return (n >> log2) + (run->plan.threads + 1) * (n / run->plan.bins);
}

/* Place the regions by estimate: a bin will have its share of the sample, but for even bins, whose
 * shares differ by chance only. */
static void place_regions(const struct gs_run *run, struct gs_regions *regions)
{
    const uint64_t n = run->plan.count;
    const uint32_t bins = gs_run_bins(run);
    const uint64_t skew = (ALIGNMENT - (uintptr_t)regions->output % ALIGNMENT) / sizeof(gs_key);
    uint64_t sampled = 0;
    double sum = 0;
    for (uint32_t bin = 0; bin < bins; bin++)
        sampled += run->counts[bin];
    const bool even = run->splitters.guide == GS_GUIDE_EVEN || sampled == 0;
    for (uint32_t i = 0; i < bins; i++) {
        uint32_t bin = gs_run_bin_at(run, i);
        uint64_t at = gap_keys(run) + (uint64_t)sum;
        at = at / GS_LINE_KEYS * GS_LINE_KEYS + skew;
        bool none = at >= n || gs_splitters_equal(&run->splitters, bin);
        regions->first[bin] = none ? GS_NO_REGION : at;
        sum += even ? (double)n / bins : (double)n * (double)run->counts[bin] / (double)sampled;
    }
    for (uint32_t i = 0; i < bins; i++) {
        uint32_t bin = gs_run_bin_at(run, i);
        if (regions->first[bin] == GS_NO_REGION)
            continue;
        uint64_t room = region_end(run, regions, i, n) - regions->first[bin];
        regions->blocks[bin] = (uint32_t)(room / regions->block_keys);
        if (regions->blocks[bin] == 0)
            regions->first[bin] = GS_NO_REGION;
    }
}

gs_key *gs_regions_lowest(const struct gs_regions *regions)
{
    return (uintptr_t)regions->output < (uintptr_t)regions->spare ? regions->output
                                                                  : regions->spare;
}

/* Keys from gs_regions_lowest() to an address. */
static uint64_t distance(const struct gs_regions *regions, const gs_key *key)
{
    return ((uintptr_t)key - (uintptr_t)gs_regions_lowest(regions)) / sizeof *key;
}

uint32_t gs_regions_place(const struct gs_regions *regions, const gs_key *key)
{
    return (uint32_t)distance(regions, key);
}

struct gs_regions *gs_regions_open(const struct gs_run *run, gs_key *spare, uint64_t spare_room)
{
    uint32_t bins = gs_run_bins(run);
    struct gs_regions *regions = calloc(1, sizeof *regions);
    if (regions == NULL)
        return NULL; /* regions are only an optimization */
    regions->output = run->emitter.sink->memory;
    regions->spare = spare;
    regions->spare_room = spare_room;
    regions->block_keys = block_keys_for(run);
    regions->thread_count = run->plan.threads;
    if (distance(regions, regions->output + run->plan.count) > UINT32_MAX ||
        distance(regions, regions->spare + spare_room) > UINT32_MAX) { /* starts have 32 bits */
        gs_regions_close(regions);
        return NULL;
    }
    regions->memory_bytes = take_arrays(regions, bins, NULL);
    regions->memory = gs_pages_alloc(regions->memory_bytes);
    if (regions->memory == NULL) {
        gs_regions_close(regions);
        return NULL;
    }
    take_arrays(regions, bins, regions->memory);
    place_regions(run, regions);
    /* Only a few percent of the keys come here, and threads do not contend for one page: huge pages
     * would gain nothing, and cost 6 ms each where a virtual machine has given free ones back. */
    gs_pages_advise(regions->spare, spare_room * sizeof(gs_key), MADV_NOHUGEPAGE);
    return regions;
}

void gs_regions_close(struct gs_regions *regions)
{
    if (regions == NULL)
        return;
    for (unsigned i = 0; regions->memory != NULL && i < regions->thread_count; i++)
        free(regions->threads[i].extents);
    gs_pages_free(regions->memory, regions->memory_bytes);
    free(regions);
}

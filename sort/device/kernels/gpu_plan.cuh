/* gpu_plan.cuh -- end the plan of a level: make its slots' digits, and report to the host.
 * SPDX-License-Identifier: MIT
 *
 * By one block. The end of a level numbers the tiles and digits of the next level's slots and
 * reports to the host, which waits for that while the level's scatter runs.
 */
#ifndef GS_GPU_PLAN_CUH
#define GS_GPU_PLAN_CUH

#include "sort/device/kernels/gpu_block.cuh"
#include "sort/device/kernels/gpu_digit.cuh"
#include "sort/device/kernels/gpu_jobs.cuh"

enum { PLAN_THREADS = 1024 };

/* Number the tiles and digits of a level's slots, make the digits, clear the list of the next
 * level's slots, and report. A slot known to have a single value gets neither tiles nor digits. */
static __device__ void end_level(const struct gs_gpu_work &work, unsigned level, uint32_t sequence,
                                 unsigned long long *s_partial)
{
    struct gs_gpu_state *state = work.state;
    struct gs_gpu_slot *slots = work.slots[level & 1];
    const uint32_t count = state->slots[level & 1];
    /* Where the host is not told, slots of few values are not counted: heavy values must do. */
    const bool few = work.report == NULL && work.tables->twins;
    const uint32_t repeats = GS_BITS == 32 && (work.tables->repeats || work.tables->skewed || few);
    /* Deeper slots of wider keys are there because keys are uneven. */
    const bool uneven = level <= 2 ? work.tables->uneven : GS_BITS > 32;
    const uint32_t cells = work.tables->skewed ? GS_GPU_MAP_DIVIDED : GS_GPU_MAP_CELLS;
    /* Digits that may have heavy values take more counters, so there are fewer of them. */
    const uint32_t most = level > 2 || repeats || (GS_BITS > 32 && uneven) ? GS_GPU_DIGITS_MAX / 2
                                                                           : GS_GPU_DIGITS_MAX;
    unsigned long long before = 0; /* tiles from bit 32 on, digits below */
    for (uint32_t round = 0; round < count; round += PLAN_THREADS) {
        uint32_t i = round + threadIdx.x;
        unsigned long long both = 0;
        uint32_t bins = 0;
        bool mapped = false;
        if (i < count) {
            const struct gs_gpu_slot slot = slots[i];
            uint64_t tiles = (slot.size + GS_GPU_TILE_KEYS - 1) / GS_GPU_TILE_KEYS;
            /* Digits made from a sample vary more in size: aim lower, so that they become jobs. */
            const uint32_t share =
                uneven && (GS_BITS > 32 || level == 2)
                    ? work.sub_bin_keys - work.sub_bin_keys / (GS_BITS == 32 ? 5 : 3)
                    : work.sub_bin_keys;
            uint64_t wanted = (slot.size + share - 1) / share;
            const bool deep = GS_BITS == 32 && level > 2 && slot.size > work.medium_keys;
            wanted = max(wanted, (uint64_t)(deep ? GS_GPU_DEEP_DIGITS : 1));
            if (slot.low < slot.high) {
                /* One digit for each value, if values repeat that often: nothing is to be sorted
                 * then. Not at level 1: there are pages only for as many slots as it is to be split
                 * into. */
#if GS_BITS == 32
                const uint64_t values = (uint64_t)slot.high - slot.low + 1;
#else
                const uint64_t values = (uint64_t)min(slot.high - slot.low, (gs_key)UINT32_MAX) + 1;
#endif
                const bool exact = level > 1 && values <= slot.size / GS_GPU_REPEATED;
                wanted = exact ? values : min(wanted, values);
                mapped = uneven && !(exact && values <= most);
            }
            bins = (uint32_t)min(wanted, (uint64_t)most);
            bins *= GS_BITS > 32 && mapped ? 2 : 1; /* as many equality bins */
            if (slot.values > 0) {                  /* counted, and only to be written */
                tiles = 0;
                bins = 0;
            } else if (slot.low < slot.high) {
                slots[i].digit = make_digit(slot.low, slot.high, mapped ? cells : bins);
            } else if (slot.low == slot.high) { /* one value: done, once it is in a */
                if (level % 2 == 0)
                    add_fill(&work, slot.start, slot.size, slot.low);
                tiles = 0;
                bins = 0;
            }
            both = tiles << 32 | bins;
        }
        unsigned long long place = scan_round<PLAN_THREADS>(both, s_partial, &before);
        if (i < count) {
            slots[i].first_tile = (uint32_t)(place >> 32);
            slots[i].first_digit = (uint32_t)place;
            slots[i].bins = bins;
            slots[i].heavy = 0;
            slots[i].mapped = mapped;
            slots[i].map = i;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        state->slots[(level + 1) & 1] = 0;
        state->digits = (uint32_t)before;
        state->level_slots = count;
        state->level_tiles = (uint32_t)(before >> 32);
        state->level_kind = gs_gpu_kind(level, work.tables->uneven, work.tables->skewed);
        state->level_repeats = repeats;
        if (work.report == NULL)
            return;
        volatile struct gs_gpu_report *report = work.report;
        report->outcome = state->outcome;
        report->slots = count;
        report->tiles = (uint32_t)(before >> 32);
        report->digits = (uint32_t)before;
        report->repeats = repeats;
        report->few = work.tables->few;
        report->few_all = work.tables->few_all;
        report->uneven = work.tables->uneven;
        report->skewed = work.tables->skewed;
        report->small_jobs = state->listed.small_jobs;
        report->medium_jobs = state->listed.medium_jobs;
        report->fills = state->listed.fills;
        report->narrow_jobs = state->listed.narrow_jobs;
        report->bins = work.tables->count + 1;
        __threadfence_system();
        report->sequence = sequence;
    }
}

/* The least and largest value of all keys, as the count has found them; by one block. */
static __device__ __forceinline__ struct key_bounds all_bounds(const struct gs_gpu_state *state)
{
#if GS_BITS == 32
    (void)state;
    return {0, GS_KEY_MAX};
#else
    static_assert(PLAN_THREADS == GS_GPU_COUNT_BLOCKS, "one a thread");
    return reduce_bounds<PLAN_THREADS>({state->low[threadIdx.x], state->high[threadIdx.x]});
#endif
}

/* The least and largest value that a bin of level 1 may have: equal for an equality bin. */
static __device__ __forceinline__ gs_key bin_low(const struct gs_gpu_tables *tables,
                                                 const struct key_bounds &all, uint32_t bin)
{
#if GS_BITS == 32
    return bin > 0 ? tables->splitter[bin - 1] + 1 : all.low;
#else
    return bin > 0 ? tables->last[bin - 1] + 1 : all.low;
#endif
}

static __device__ __forceinline__ gs_key bin_high(const struct gs_gpu_tables *tables,
                                                  const struct key_bounds &all, uint32_t bin)
{
#if GS_BITS == 32
    return bin < tables->count ? tables->splitter[bin] : all.high;
#else
    return bin < tables->count ? tables->last[bin] : all.high;
#endif
}

#endif

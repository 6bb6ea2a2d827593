/* prefix_sum_gpu.cu -- from counts to places, and to lists of what is left to do with each bin.
 * SPDX-License-Identifier: MIT
 *
 * Exclusive scans by a block, in rounds of one count per thread; each thread carries the sum of the
 * earlier rounds, so any length works, in linear time. The lists hold no empty bins, so no later
 * kernel starts a block for nothing. gpu_plan.cuh has the end of every level.
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/kernels/gpu_plan.cuh"
#include "sort/device/kernels/gpu_views.cuh"

enum { DIGIT_THREADS = 256 };

/* Level 1: where each bin starts, and what to do with it. */
static __device__ void plan_bins(const struct gs_gpu_work &work, unsigned long long *s_partial)
{
    struct gs_gpu_state *state = work.state;
    const struct gs_gpu_tables *tables = work.tables;
    const uint32_t order = state->sample_order | state->input_order;
    if (threadIdx.x == 0)
        state->tiles = 0;
    if ((order & GS_GPU_DESCENT) == 0 || (order & GS_GPU_ASCENT) == 0) {
        if (threadIdx.x == 0)
            state->outcome = (order & GS_GPU_DESCENT) == 0 ? GS_GPU_SORTED : GS_GPU_REVERSED;
        return;
    }
    const uint32_t splitters = tables->count;
    const struct key_bounds all = all_bounds(state);
    bool moves = false;
    unsigned long long before = 0;
    for (uint32_t round = 0; round <= splitters; round += PLAN_THREADS) {
        uint32_t bin = round + threadIdx.x;
        unsigned long long size = bin <= splitters ? state->counts[bin] : 0;
        unsigned long long start = scan_round<PLAN_THREADS>(size, s_partial, &before);
        if (size > 0) {
            const gs_key low = bin_low(tables, all, bin);
            const gs_key high = bin_high(tables, all, bin);
            work.cursors[bin] = low == high ? GS_GPU_SKIP : start;
            moves = moves || low != high;
            if (low == high)
                add_fill(&work, start, size, low);
            else if (size <= (tables->few ? work.small_keys : work.medium_keys))
                add_job(&work, start, (int64_t)start, (uint32_t)size, 1,
                        tables->search == GS_GPU_TREE, low, high);
            else
                add_slot(&work, 2, start, size, low, high);
        }
        __syncthreads();
    }
    if (!__syncthreads_or(moves) && threadIdx.x == 0)
        state->outcome = GS_GPU_FILLED;
}

/* Level 1, by one block. */
static __global__ void __launch_bounds__(PLAN_THREADS)
    plan_bins_kernel(const __grid_constant__ struct gs_gpu_work work, uint32_t sequence)
{
    after_previous();
    __shared__ unsigned long long s_partial[33];
    plan_bins(work, s_partial);
    __syncthreads();
    end_level(work, 2, sequence, s_partial);
}

#if GS_BITS == 32
/* May a bin of this size be a job if its values are close together? It has more keys than other
 * jobs, but not too many, and there are blocks for medium jobs. (Asked once for both parts of a
 * digit, then again for each.) */
static __device__ __forceinline__ bool may_be_close(const struct gs_gpu_work *work, uint64_t size)
{
    return size > work->medium_keys && size <= GS_GPU_CLOSE_KEYS &&
           work->medium_keys > work->small_keys;
}

/* Make a bin a job, or a slot of the next level. close: its values are close together; asked only
 * where that matters. */
static __device__ void add_bin(const struct gs_gpu_work *work, unsigned level, uint64_t start,
                               int64_t from, uint64_t size, bool close)
{
    if (size == 0)
        return;
    if (size <= work->medium_keys || (close && may_be_close(work, size)))
        add_job(work, start, from, (uint32_t)size, level & 1, true, 0, 0);
    else
        add_slot(work, level + 1, start, size, GS_KEY_MAX, 0)->from = from;
}

/* A further level: a block plans the sub-bins of one slot. Their counts become cursors. A digit
 * with a heavy value has its lesser keys first, then those equal to that value, then its larger
 * keys, which are next to the lesser keys of the next digit: if both are few, they make one job. */
static __global__ void __launch_bounds__(DIGIT_THREADS)
    plan_digits_kernel(const __grid_constant__ struct gs_gpu_work work, unsigned level)
{
    after_previous();
    __shared__ unsigned long long s_partial[33];
    if (work.report == NULL && blockIdx.x >= work.state->level_slots)
        return;
    const struct gs_gpu_slot slot = work.slots[level & 1][blockIdx.x];
    unsigned long long *less = work.counters + (uint64_t)GS_GPU_PARTS * slot.first_digit;
    unsigned long long *more = less + slot.bins;
    unsigned long long *equal = more + slot.bins;
    const bool exact = !slot.mapped && digit_is_exact(slot.digit);
    /* Do the larger keys of `bin` and the lesser ones of the next, in the same round, make one job?
     */
    const auto joins = [&](uint32_t bin, unsigned long long size, unsigned long long size_next) {
        return slot.heavy && (bin + 1) % DIGIT_THREADS != 0 && size > 0 && size_next > 0 &&
               size + size_next <= work.small_keys;
    };
    /* The least key of a digit, found by a warp. */
    const uint16_t *entry = slot.mapped ? work.maps[slot.map].entry : NULL;
    const auto begin_of = [&](uint32_t d) {
        if (!slot.mapped)
            return digit_begin<GS_GPU_LINEAR, true>(slot, entry, d);
        return work.tables->skewed ? digit_begin<GS_GPU_DIVIDED, true>(slot, entry, d)
                                   : digit_begin<GS_GPU_MAPPED, true>(slot, entry, d);
    };
    unsigned long long before = 0;
    for (uint32_t round = 0; round < slot.bins; round += DIGIT_THREADS) {
        uint32_t bin = round + threadIdx.x;
        bool mine = bin < slot.bins;
        unsigned long long size = mine ? less[bin] : 0;
        unsigned long long size_more = mine && slot.heavy ? more[bin] : 0;
        unsigned long long size_equal = mine && slot.heavy ? equal[bin] : 0;
        unsigned long long size_next = bin + 1 < slot.bins ? less[bin + 1] : 0;
        bool close = !exact && (may_be_close(&work, size) || may_be_close(&work, size_more));
        for (uint32_t asks = __ballot_sync(GS_ALL_LANES, close); asks != 0; asks &= asks - 1) {
            const uint32_t lane = (uint32_t)__ffs((int)asks) - 1;
            const uint32_t its = bin - lane_index() + lane;
            const uint64_t values = begin_of(its + 1) - begin_of(its);
            if (lane_index() == lane)
                close = values <= GS_GPU_CLOSE_VALUES;
        }
        bool joined = threadIdx.x > 0 && mine && joins(bin - 1, more[bin - 1], size);
        unsigned long long start =
            scan_round<DIGIT_THREADS>(size + size_more + size_equal, s_partial, &before);
        if (exact && size > 0) {
            add_fill(&work, slot.start + start, size, slot.low + bin);
            less[bin] = GS_GPU_SKIP;
        } else if (mine) {
            less[bin] = start;
            if (!exact && !joined)
                add_bin(&work, level, slot.start + start, slot.to + (int64_t)start, size, close);
        }
        if (size_equal > 0)
            add_fill(&work, slot.start + start + size, size_equal,
                     work.heavy[slot.first_digit + bin]);
        if (size_more > 0) {
            const unsigned long long larger = start + size + size_equal;
            more[bin] = larger;
            add_bin(&work, level, slot.start + larger, slot.to + (int64_t)larger,
                    size_more + (joins(bin, size_more, size_next) ? size_next : 0), close);
        }
        __syncthreads();
    }
}
#else
/* The bounds of the keys of a slot's digits; equal for an equality bin. */
struct digit_bounds {
    const struct gs_gpu_slot &slot;
    const gs_key *splitter;

    __device__ __forceinline__ struct key_bounds of(uint32_t d) const
    {
        const bool last = d + 1 == slot.bins;
        if (slot.mapped)
            return {d > 0 ? splitter[d - 1] + 1 : slot.low, last ? slot.high : splitter[d]};
        if (digit_is_exact(slot.digit))
            return {slot.low + d, slot.low + d};
        const struct gs_gpu_scale scale = {slot.digit.base, slot.high, slot.digit.shift};
        const gs_key most = (slot.high - slot.low) >> slot.digit.shift;
        const uint64_t next = last ? 0 : least_distance(slot.digit, d + 1);
        return {d > 0 ? gs_gpu_least(scale, least_distance(slot.digit, d)) : slot.low,
                next > 0 && next <= most ? gs_gpu_least(scale, next) - 1 : slot.high};
    }
};

/* A further level: a block plans the digits of one slot. Their counts become cursors. */
static __global__ void __launch_bounds__(DIGIT_THREADS)
    plan_digits_kernel(const __grid_constant__ struct gs_gpu_work work, unsigned level)
{
    after_previous();
    if (work.report == NULL && blockIdx.x >= work.state->level_slots)
        return;
    const struct gs_gpu_slot slot = work.slots[level & 1][blockIdx.x];
    unsigned long long *counter = work.counters + slot.first_digit;
    const struct digit_bounds bounds = {slot, work.heavy + slot.first_digit};
    const bool runs = slot.mapped || digit_is_exact(slot.digit); /* digits may have one value */
    each_digit<DIGIT_THREADS>(slot, counter, [&](uint32_t d, uint64_t begin, uint64_t size) {
        const struct key_bounds its = bounds.of(d);
        const uint64_t start = slot.start + begin;
        const int64_t from = slot.to + (int64_t)begin;
        const bool one = runs && its.low == its.high;
        counter[d] = one ? GS_GPU_SKIP : begin;
        if (one)
            add_fill(&work, start, size, its.low);
        else if (size > work.medium_keys)
            add_slot(&work, level + 1, start, size, its.low, its.high)->from = from;
        else
            add_job(&work, start, from, (uint32_t)size, level & 1, slot.mapped, its.low, its.high);
    });
}
#endif

static __global__ void __launch_bounds__(PLAN_THREADS)
    plan_level_kernel(const __grid_constant__ struct gs_gpu_work work, unsigned level,
                      uint32_t sequence)
{
    after_previous();
    __shared__ unsigned long long s_partial[33];
    end_level(work, level, sequence, s_partial);
}

cudaError_t gs_plan_bins_gpu(const struct gs_gpu_work *work, uint32_t sequence, cudaStream_t stream)
{
    return gs_launch_next(plan_bins_kernel, 1, PLAN_THREADS, 0, stream, *work, sequence);
}

cudaError_t gs_plan_digits_gpu(const struct gs_gpu_work *work, unsigned level, uint32_t slots,
                               cudaStream_t stream)
{
    return gs_launch_next(plan_digits_kernel, slots, DIGIT_THREADS, 0, stream, *work, level);
}

cudaError_t gs_plan_level_gpu(const struct gs_gpu_work *work, unsigned level, uint32_t sequence,
                              cudaStream_t stream)
{
    return gs_launch_next(plan_level_kernel, 1, PLAN_THREADS, 0, stream, *work, level, sequence);
}

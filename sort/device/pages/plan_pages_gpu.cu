/* plan_pages_gpu.cu -- level 1 without a count: first pages before its scatter, slots after it.
 * SPDX-License-Identifier: MIT
 *
 * The twin of level 1's part of prefix_sum_gpu.cu: the sizes of bins are known only afterwards,
 * from the cursors that the scatter has moved.
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_plan.cuh"
#include "sort/device/pages/page_launchers.h"

enum { BIN_THREADS = 256 };

/* Level 1 after a scatter to pages, whose cursors have counted the keys of each bin. All bins but
 * equality bins become slots of `level`. */
static __device__ void plan_pages(const struct gs_gpu_work &work, unsigned level,
                                  unsigned long long *s_partial)
{
    struct gs_gpu_state *state = work.state;
    const struct gs_gpu_tables *tables = work.tables;
    const struct key_bounds any = {0, GS_KEY_MAX};
    const uint32_t bins = tables->count + 1;
    bool full = false;
    if (state->outcome != GS_GPU_UNSORTED)
        return;
    for (uint32_t bin = threadIdx.x; bin < bins; bin += PLAN_THREADS)
        full = full || ((work.cursors[bin] & GS_GPU_SKIP) == 0 &&
                        work.cursors[bin] > (uint64_t)work.pages.most * GS_GPU_PAGE_KEYS);
    if (__syncthreads_or(full)) {
        if (threadIdx.x == 0)
            state->outcome = GS_GPU_UNCOUNTED;
        return;
    }
    const struct key_bounds all = all_bounds(state);
    unsigned long long before = 0;
    for (uint32_t round = 0; round < bins; round += PLAN_THREADS) {
        const uint32_t bin = round + threadIdx.x;
        const unsigned long long cursor = bin < bins ? work.cursors[bin] : 0;
        const unsigned long long size = cursor & ~GS_GPU_SKIP;
        const unsigned long long start = scan_round<PLAN_THREADS>(size, s_partial, &before);
        if (size > 0 && cursor != size) {
            add_fill(&work, start, size, bin_low(tables, any, bin));
        } else if (size > 0) {
            struct gs_gpu_slot *slot = add_slot(
                &work, level, start, size, bin_low(tables, all, bin), bin_high(tables, all, bin));
            slot->from = (int64_t)bin * work.pages.most;
            slot->paged = 1;
        }
        __syncthreads();
    }
}

/* Before a scatter to pages, a block for each bin: positions begin at 0, and page 0 is taken, but
 * no other page. */
static __global__ void __launch_bounds__(BIN_THREADS)
    begin_pages_kernel(const __grid_constant__ struct gs_gpu_work work)
{
    after_previous();
    const struct gs_gpu_tables *tables = work.tables;
    const struct key_bounds all = {0, GS_KEY_MAX};
    const uint32_t bin = blockIdx.x;
    uint32_t *page = work.pages.page + (uint64_t)bin * work.pages.most;
    for (uint32_t k = 1 + threadIdx.x; k < work.pages.most; k += BIN_THREADS)
        page[k] = 0;
    if (threadIdx.x == 0 && bin <= tables->count) {
        const bool moves = bin_low(tables, all, bin) != bin_high(tables, all, bin);
        work.cursors[bin] = moves ? 0 : GS_GPU_SKIP;
        page[0] = moves ? atomicAdd(&work.state->pages, 1) + 1 : 0;
    }
    if (threadIdx.x == 0 && bin == 0) {
        work.state->tiles = 0;
#if GS_BITS > 32
        work.state->outcome = GS_GPU_UNSORTED;
#endif
        if (work.state->sample_order != (GS_GPU_DESCENT | GS_GPU_ASCENT))
            work.state->outcome = GS_GPU_SORTED;
        else if (tables->count >= gridDim.x || (tables->twins && !tables->uneven))
            work.state->outcome = GS_GPU_UNCOUNTED;
    }
}

static __global__ void __launch_bounds__(PLAN_THREADS)
    plan_pages_kernel(const __grid_constant__ struct gs_gpu_work work, uint64_t n, unsigned level,
                      uint32_t sequence)
{
    after_previous();
    __shared__ unsigned long long s_partial[33];
    plan_pages(work, level, s_partial);
    __syncthreads();
    end_level(work, level, sequence, s_partial);
    __syncthreads(); /* all threads have read the number of slots */
    if (threadIdx.x == 0) {
        if (level == 1)
            work.state->pages = 0; /* the split numbers its own pages from 1 on */
        if (work.state->outcome == GS_GPU_UNCOUNTED)
            add_slot(&work, 1, 0, n, 0, GS_KEY_MAX);
    }
}

cudaError_t gs_begin_pages_gpu(const struct gs_gpu_work *work, uint32_t bins, cudaStream_t stream)
{
    return gs_launch_next(begin_pages_kernel, bins, BIN_THREADS, 0, stream, *work);
}

cudaError_t gs_plan_pages_gpu(const struct gs_gpu_work *work, uint64_t n, unsigned level,
                              uint32_t sequence, cudaStream_t stream)
{
    return gs_launch_next(plan_pages_kernel, 1, PLAN_THREADS, 0, stream, *work, n, level, sequence);
}

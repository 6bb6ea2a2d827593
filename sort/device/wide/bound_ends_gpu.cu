/* bound_ends_gpu.cu -- the least and the largest of wider keys that were scattered without a count.
 * SPDX-License-Identifier: MIT
 *
 * A count sees all keys, and notes those that are out of the sample's bounds. Without one, they are
 * looked for where they can be: in the first and the last bin, which have no splitter at one end.
 */
#include "sort/device/kernels/gpu_block.cuh"
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/pages/page_launchers.h"

/* Blocks extend the bounds that the sample has given by the keys of the first and the last bin. */
static __global__ void __launch_bounds__(GS_GPU_TILE_THREADS)
    bound_ends_kernel(const __grid_constant__ struct gs_gpu_work work, const gs_key *keys,
                      uint32_t digits)
{
    after_previous();
    for (uint32_t i = blockIdx.x * GS_GPU_TILE_THREADS + threadIdx.x; i < digits;
         i += gridDim.x * GS_GPU_TILE_THREADS)
        work.counters[i] = 0;
    const struct gs_gpu_pages &pages = work.pages;
    const uint64_t most = (uint64_t)pages.most * GS_GPU_PAGE_KEYS;
    struct key_bounds seen = {GS_KEY_MAX, 0};
    if (work.state->outcome != GS_GPU_UNSORTED)
        return;
    for (int end = 0; end < 2; end++) {
        const uint32_t bin = end == 0 ? 0 : work.tables->count;
        const uint64_t size = work.cursors[bin]; /* or GS_GPU_SKIP and more */
        if (size > most)
            continue;
        for (uint64_t tile = blockIdx.x; tile * GS_GPU_TILE_KEYS < size; tile += gridDim.x) {
            const uint32_t number = pages.page[bin * pages.most + tile / GS_GPU_PAGE_TILES];
            const gs_key *first =
                page_at(pages, keys, number) + tile % GS_GPU_PAGE_TILES * GS_GPU_TILE_KEYS;
            const uint32_t rest =
                (uint32_t)min(size - tile * GS_GPU_TILE_KEYS, (uint64_t)GS_GPU_TILE_KEYS);
            extend_bounds(&seen, first, rest);
        }
    }
    note_bounds(work.state, seen);
}

cudaError_t gs_bound_ends_gpu(const struct gs_gpu_work *work, const gs_key *out, uint64_t n,
                              unsigned processors, cudaStream_t stream)
{
    /* See end_level: a slot has at most a digit for GS_GPU_REPEATED keys, and two more. */
    const uint64_t digits = n / GS_GPU_REPEATED + 2 * (GS_GPU_SPLITTERS_MAX + 1);
    const unsigned blocks =
        2 * processors < GS_GPU_COUNT_BLOCKS ? 2 * processors : GS_GPU_COUNT_BLOCKS;
    return gs_launch_next(bound_ends_kernel, blocks, GS_GPU_TILE_THREADS, 0, stream, *work, out,
                          (uint32_t)digits);
}

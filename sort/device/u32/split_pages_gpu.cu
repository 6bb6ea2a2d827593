/* split_pages_gpu.cu -- split slots that are in pages into smaller ones, which are in pages, too.
 * SPDX-License-Identifier: MIT
 *
 * With very many keys, two levels are not enough, or need so many bins that a tile has only a few
 * keys of each. So the bins of level 1 are split by a digit, into as many digits as level 2 will
 * have. No digit is counted first: pages do for digits as well as for bins. A digit may have all
 * keys of its slot, so it has as many entries in the table of pages as that takes.
 */
#include "sort/device/kernels/gpu_jobs.cuh"
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_scatter.cuh"
#include "sort/device/kernels/gpu_scatter_room.cuh"
#include "sort/device/pages/gpu_page_targets.cuh"
#include "sort/device/pages/page_launchers.h"

enum {
    PLAN_THREADS = 256,
    TILE_ITEMS = GS_GPU_TILE_KEYS / SCATTER_THREADS,
    LANES = 2 /* slots split side by side: one alone would need each new page sooner */
};

/* Most pages of one digit of a slot, with the page that is taken ahead. */
static __device__ __forceinline__ uint32_t most_pages(const struct gs_gpu_slot &slot)
{
    return (uint32_t)(slot.size / GS_GPU_PAGE_KEYS) + 2;
}

/* A block for each slot: clear the cursors, take page 0 of each digit, and no other page. */
static __global__ void __launch_bounds__(PLAN_THREADS)
    begin_split_kernel(const __grid_constant__ struct gs_gpu_work work)
{
    after_previous();
    __shared__ uint32_t s_entry;
    __shared__ uint32_t s_page;
    struct gs_gpu_slot *slot = &work.slots[1][blockIdx.x];
    const uint32_t most = most_pages(*slot);
    const uint32_t entries = slot->bins * most;
    unsigned long long *cursors = work.counters + (uint64_t)GS_GPU_PARTS * slot->first_digit;
    if (threadIdx.x == 0) {
        s_entry = atomicAdd(&work.state->entries, entries);
        s_page = atomicAdd(&work.state->pages, slot->bins);
        slot->to = s_entry;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < entries; i += PLAN_THREADS)
        work.split.page[s_entry + i] = i % most == 0 ? s_page + i / most + 1 : 0;
    for (uint32_t d = threadIdx.x; d < slot->bins; d += PLAN_THREADS)
        cursors[d] = 0;
}

/* A block moves one tile of one slot. DIGITS: enum gs_gpu_digits. */
template <int DIGITS, typename INDEX>
static __global__ void __launch_bounds__(SCATTER_THREADS, 2)
    split_pages_kernel(const uint32_t *__restrict__ in, const struct gs_gpu_pages pages,
                       uint32_t *__restrict__ out, const struct gs_gpu_pages split,
                       const struct gs_gpu_slot *__restrict__ slots, uint32_t slot_count,
                       uint32_t tiles, uint32_t words, const struct gs_gpu_map *maps,
                       unsigned long long *counters, uint32_t *taken)
{
    after_previous();
    extern __shared__ __align__(16) uint32_t s_memory[];
    __shared__ struct gs_gpu_slot s_slot;
    struct tile_memory<uint32_t> memory;
    memory.delta = s_memory;
    memory.count = memory.delta + GS_GPU_DIGITS_MAX;
    struct gs_gpu_map *s_map = (struct gs_gpu_map *)(memory.count + GS_GPU_DIGITS_MAX);
    uint32_t *s_rows = memory.count + GS_GPU_DIGITS_MAX + map_words<DIGITS>();
    for (uint32_t b = threadIdx.x; b < GS_GPU_DIGITS_MAX; b += SCATTER_THREADS)
        memory.count[b] = 0;
    const uint32_t tile = blockIdx.x % LANES * (gridDim.x / LANES) + blockIdx.x / LANES;
    if (tile >= tiles)
        return;
    load_slot(&s_slot, slots, slot_count, tile);
    const uint32_t index = tile - s_slot.first_tile;
    const uint32_t size =
        (uint32_t)min(s_slot.size - (uint64_t)index * GS_GPU_TILE_KEYS, (uint64_t)GS_GPU_TILE_KEYS);
    const uint32_t later = index + GS_TILES_AHEAD / LANES;
    if (threadIdx.x == 0 && (later + 1) * (uint64_t)GS_GPU_TILE_KEYS <= s_slot.size)
        prefetch_keys(tile_at(pages, in, s_slot, later), GS_GPU_TILE_KEYS);
    const struct gs_gpu_pages to = {split.page + s_slot.to, split.spare, most_pages(s_slot),
                                    split.whole};
    const struct paged_target<INDEX> target = {
        out, UINT32_MAX, counters + (uint64_t)GS_GPU_PARTS *s_slot.first_digit, to, taken
    };
    const auto digits = [&]() {
        if constexpr (DIGITS == GS_GPU_LINEAR)
            return digit_view{s_slot.digit, s_slot.bins};
        else
            return load_map<DIGITS == GS_GPU_DIVIDED>(s_slot, maps, s_map);
    };
    scatter_slot_tile<TILE_ITEMS>(tile_at(pages, in, s_slot, index), size, target, digits,
                                  s_slot.bins, memory, s_rows, words);
}

/* A block makes slots of one slot's digits. */
template <int DIGITS>
static __global__ void __launch_bounds__(PLAN_THREADS)
    plan_split_kernel(const __grid_constant__ struct gs_gpu_work work)
{
    after_previous();
    const struct gs_gpu_slot slot = work.slots[1][blockIdx.x];
    const unsigned long long *sizes = work.counters + (uint64_t)GS_GPU_PARTS * slot.first_digit;
    const uint32_t most = most_pages(slot);
    const uint16_t *entry = work.maps[slot.map].entry;
    each_digit<PLAN_THREADS>(slot, sizes, [&](uint32_t d, uint64_t begin, uint64_t size) {
        const uint64_t low = digit_begin<DIGITS, false>(slot, entry, d);
        const uint64_t high = digit_begin<DIGITS, false>(slot, entry, d + 1) - 1;
        struct gs_gpu_slot *part = add_slot(&work, 2, slot.start + begin, size, (uint32_t)low,
                                            (uint32_t)min(high, (uint64_t)slot.high));
        part->from = slot.to + (int64_t)d * most;
        part->paged = 1;
    });
}

template <int DIGITS, typename INDEX>
static cudaError_t launch_split(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                                uint32_t slots, uint32_t tiles, cudaStream_t stream)
{
    const uint32_t others = 2 * GS_GPU_DIGITS_MAX + map_words<DIGITS>();
    const uint32_t words = choose_room(work, GS_GPU_TILE_KEYS, others, GS_GPU_DIGITS_MAX);
    const size_t shared = (words + others) * sizeof(uint32_t);
    cudaError_t error =
        cudaFuncSetAttribute(split_pages_kernel<DIGITS, INDEX>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess)
        return error;
    return gs_launch_next(split_pages_kernel<DIGITS, INDEX>, (tiles + LANES - 1) / LANES * LANES,
                          SCATTER_THREADS, shared, stream, in, work->pages, out, work->split,
                          work->slots[1], slots, tiles, words, work->maps, work->counters,
                          &work->state->pages);
}

cudaError_t gs_split_pages_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                               uint64_t n, uint32_t slots, uint32_t tiles,
                               enum gs_gpu_digits digits, cudaStream_t stream)
{
    cudaError_t error = gs_launch_next(begin_split_kernel, slots, PLAN_THREADS, 0, stream, *work);
    if (error != cudaSuccess)
        return error;
    return with_digits(digits, [&](auto kind) {
        cudaError_t split =
            needs_wide(n)
                ? launch_split<kind, unsigned long long>(work, in, out, slots, tiles, stream)
                : launch_split<kind, uint32_t>(work, in, out, slots, tiles, stream);
        return split == cudaSuccess
                   ? gs_launch_next(plan_split_kernel<kind>, slots, PLAN_THREADS, 0, stream, *work)
                   : split;
    });
}

/* scatter_gpu.cu -- move every key to its bin (GPU twin of scatter.c).
 * SPDX-License-Identifier: MIT
 *
 * gpu_scatter.cuh says how a tile's keys are moved, gpu_targets.cuh where to. At level 1 each block
 * moves many tiles (gpu_scatter_bins.cuh), as it has a table to load first; at further levels each
 * block moves one tile.
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/kernels/gpu_scatter_bins.cuh"

#if GS_BITS == 32
#define TILES_PARAMETER
#define TILES_ARGUMENT

/* Words of shared memory for heavy values, and with them for a slot's map: what finds digits. */
static const uint32_t HEAVY_WORDS = GS_GPU_DIGITS_MAX / 2 * sizeof(gs_key) / sizeof(uint32_t);

template <int DIGITS> static constexpr __host__ __device__ uint32_t digit_words()
{
    return HEAVY_WORDS + map_words<DIGITS>();
}
#else
#define TILES_PARAMETER , const struct gs_gpu_tile *__restrict__ tiles
#define TILES_ARGUMENT  , work->tiles

/* Words of shared memory for a slot's splitters. */
template <int DIGITS> static constexpr __host__ __device__ uint32_t digit_words()
{
    return DIGITS == GS_GPU_SPLIT ? GS_GPU_DIGITS_MAX * sizeof(gs_key) / sizeof(uint32_t) : 0;
}

/* Copy the slot of this block's tile into shared memory, a word by each thread; prefetch the
 * keys of a later block's tile. */
static __device__ __forceinline__ void copy_tile(struct gs_gpu_slot *s_slot,
                                                 const struct gs_gpu_slot *slots, const gs_key *in,
                                                 const struct gs_gpu_tile *tiles, uint32_t count)
{
    const uint32_t words = sizeof *s_slot / sizeof(uint32_t);
    static_assert(sizeof *s_slot % sizeof(uint32_t) == 0, "whole words");
    const uint32_t later = blockIdx.x + 2 * GS_AHEAD_WAVE;
    if (threadIdx.x < words)
        ((uint32_t *)s_slot)[threadIdx.x] =
            ((const uint32_t *)&slots[tiles[blockIdx.x].slot])[threadIdx.x];
    else if (threadIdx.x == SCATTER_THREADS - 1 && later < count)
        prefetch_keys(in + tiles[later].from, tiles[later].size / 2 * 2);
    __syncthreads();
}
#endif

/* A further level: a block moves one tile of one slot. If each value has a digit of its own,
 * nothing is moved: the counts say all, and runs of equal keys have been listed. DIGITS: enum
 * gs_gpu_digits. */
template <int ITEMS, int DIGITS, typename PLACE>
static __global__ void __launch_bounds__(SCATTER_THREADS, 2)
    scatter_digits_kernel(const gs_key *__restrict__ in, const struct gs_gpu_pages pages,
                          gs_key *__restrict__ out, PLACE limit,
                          const struct gs_gpu_slot *__restrict__ slots, uint32_t slot_count,
                          const struct gs_gpu_state *asked, uint32_t room,
                          const gs_key *__restrict__ heavy,
                          const struct gs_gpu_map *__restrict__ maps,
                          unsigned long long *cursors TILES_PARAMETER)
{
    after_previous();
    if (asked != NULL && is_spare(asked, asked->level_tiles, DIGITS))
        return;
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    extern __shared__ __align__(16) uint32_t s_memory[];
    __shared__ struct gs_gpu_slot s_slot;
    struct tile_memory<PLACE> memory;
    if constexpr (ROWS_WAIT) {
        __shared__ uint32_t s_waiting;
        memory.waiting = &s_waiting;
        if (threadIdx.x == 0)
            s_waiting = 0;
    }
    memory.delta = (PLACE *)s_memory;
    memory.count = (uint32_t *)(memory.delta + GS_GPU_DIGITS_MAX);
    uint32_t *s_digits = memory.count + GS_GPU_DIGITS_MAX;
#if GS_BITS == 32
    gs_key *s_heavy = (gs_key *)s_digits;
    struct gs_gpu_map *s_map = (struct gs_gpu_map *)(s_digits + HEAVY_WORDS);
#endif
    uint32_t *s_rows = s_digits + digit_words<DIGITS>();
    for (uint32_t b = threadIdx.x; b < GS_GPU_DIGITS_MAX; b += SCATTER_THREADS) {
        memory.count[b] = 0;
        if (ROWS_WAIT)
            memory.delta[b] = 0; /* all bins move */
    }
#if GS_BITS == 32
    load_slot(&s_slot, slots, asked != NULL ? asked->level_slots : slot_count, blockIdx.x);
#else
    (void)slot_count;
    copy_tile(&s_slot, slots, in, tiles, asked != NULL ? asked->level_tiles : gridDim.x);
#endif
    if (!s_slot.mapped && digit_is_exact(s_slot.digit))
        return;
    const uint32_t index = blockIdx.x - s_slot.first_tile;
    const uint32_t size =
        (uint32_t)min(s_slot.size - (uint64_t)index * tile_keys, (uint64_t)tile_keys);
#if GS_BITS == 32
    in = tile_at(pages, in, s_slot, index);
#else
    (void)pages;
    in += tiles[blockIdx.x].from;
#endif
    cursors += (uint64_t)GS_GPU_PARTS * s_slot.first_digit;
    const struct flat_target<PLACE> target = {
        out + s_slot.to, limit, cursors
    };
#if GS_BITS == 32
    const auto digits = [&]() {
        if constexpr (DIGITS == GS_GPU_LINEAR)
            return digit_view{s_slot.digit, s_slot.bins};
        else
            return load_map<DIGITS == GS_GPU_DIVIDED>(s_slot, maps, s_map);
    };
    if (s_slot.heavy)
        scatter_slot_tile<ITEMS>(
            in, size, target, [&]() { return load_heavy(s_slot, digits(), heavy, s_heavy); },
            2 * s_slot.bins, memory, s_rows, room);
    else
        scatter_slot_tile<ITEMS>(in, size, target, digits, s_slot.bins, memory, s_rows, room);
#else
    (void)maps;
    if (DIGITS == GS_GPU_SPLIT && s_slot.mapped) {
        for (uint32_t b = threadIdx.x; b < s_slot.bins; b += SCATTER_THREADS)
            if ((cursors[b] & GS_GPU_SKIP) != 0)
                memory.delta[b] = limit;
        scatter_slot_tile<ITEMS>(
            in, size, target, [&]() { return load_tree(s_slot, heavy, (gs_key *)s_digits); },
            s_slot.bins, memory, s_rows, room);
    } else {
        scatter_slot_tile<ITEMS>(
            in, size, target,
            [&]() {
                return digit_view{s_slot.digit, s_slot.bins};
            },
            s_slot.bins, memory, s_rows, room);
    }
#endif
}

template <typename PLACE>
static struct flat_target<PLACE> flat(const struct gs_gpu_work *work, gs_key *out, uint64_t n) {
    return {out, (PLACE)n, work->cursors};
}

template <int DIGITS, typename PLACE>
static cudaError_t launch_digits(const struct gs_gpu_work *work, unsigned level, const gs_key *in,
                                 gs_key *out, uint64_t most, uint32_t slots, uint32_t tiles,
                                 cudaStream_t stream)
{
    const int items = GS_GPU_TILE_KEYS / SCATTER_THREADS;
    const uint32_t others =
        GS_GPU_DIGITS_MAX * (1 + sizeof(PLACE) / sizeof(uint32_t)) + digit_words<DIGITS>();
    const uint32_t room = choose_room(work, GS_GPU_TILE_KEYS, others, GS_GPU_DIGITS_MAX);
    const size_t shared = others * sizeof(uint32_t) + room * sizeof(gs_key);
    cudaError_t error =
        cudaFuncSetAttribute(scatter_digits_kernel<items, DIGITS, PLACE>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess)
        return error;
    return gs_launch_next(scatter_digits_kernel<items, DIGITS, PLACE>, tiles, SCATTER_THREADS,
                          shared, stream, in, work->pages, out, (PLACE)most, work->slots[level & 1],
                          slots, gs_gpu_asked(work), room, work->heavy, work->maps,
                          work->counters TILES_ARGUMENT);
}

/* The most static shared memory that a scatter kernel declares, in bytes. */
#define OWN_BYTES 1024

/* Does a block have room for a large tile beside all that finds its bins, with 32-bit places? */
static bool has_large_room(const struct gs_gpu_work *work, uint32_t bins, uint32_t most)
{
    most += most % 2;
    const size_t words = gs_gpu_table_words(work, bins, most) + 2 * most;
    return words * sizeof(uint32_t) + GS_GPU_TILE_KEYS * sizeof(gs_key) + OWN_BYTES <=
           work->block_bytes;
}

cudaError_t gs_scatter_bins_gpu(const struct gs_gpu_work *work, const gs_key *in, gs_key *out,
                                uint64_t n, uint32_t bins, uint32_t most, unsigned processors,
                                cudaStream_t stream)
{
    const int large = GS_GPU_TILE_KEYS / SCATTER_THREADS;
    const int small = GS_GPU_SMALL_TILE_KEYS / SCATTER_THREADS;
    if (needs_wide(n))
        return launch_bins<large>(work, in, n, flat<unsigned long long>(work, out, n), bins, most,
                                  processors, stream);
    const struct flat_target<uint32_t> target = flat<uint32_t>(work, out, n);
    if (n > (uint64_t)GS_GPU_TILE_KEYS * processors * 4 && has_large_room(work, bins, most))
        return launch_bins<large>(work, in, n, target, bins, most, processors, stream);
    return launch_bins<small>(work, in, n, target, bins, most, processors, stream);
}

cudaError_t gs_scatter_digits_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *in,
                                  gs_key *out, uint64_t most, uint32_t slots, uint32_t tiles,
                                  enum gs_gpu_digits digits, cudaStream_t stream)
{
    return with_digits(digits, [&](auto kind) {
        if (needs_wide(most))
            return launch_digits<kind, unsigned long long>(work, level, in, out, most, slots, tiles,
                                                           stream);
        return launch_digits<kind, uint32_t>(work, level, in, out, most, slots, tiles, stream);
    });
}

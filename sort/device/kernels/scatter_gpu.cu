/* scatter_gpu.cu -- move every key to its bin (GPU twin of scatter.c).
 * SPDX-License-Identifier: MIT
 *
 * gpu_scatter.cuh says how a tile's keys are moved, gpu_targets.cuh where to. At level 1 each block
 * moves many tiles, as it has a table to load first; at further levels each block moves one tile.
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/gpu_launchers.h"
#include "sort/device/kernels/gpu_scatter.cuh"
#include "sort/device/kernels/gpu_scatter_room.cuh"

/* Level 1: move the keys from `first` to n, less than a tile, one by one. scatter_tile for a tile
 * of any size would be as much code again as for a full one. */
template <typename TARGET, typename VIEW>
static __device__ __forceinline__ void scatter_rest(const uint32_t *__restrict__ in, uint64_t first,
                                                    uint64_t n, const TARGET &target,
                                                    const VIEW &view)
{
    for (uint64_t i = first + threadIdx.x; i < n; i += SCATTER_THREADS) {
        const uint32_t key[1] = {in[i]};
        uint32_t bin[1];
        view.classify(key, bin);
        const typename TARGET::PLACE place = target.reserve(bin[0], 1);
        if (place != target.limit) /* keys of an equality bin are not moved */
            *target.at(bin[0], place) = key[0];
    }
}

/* Level 1: each block takes tile after tile from a shared counter, as blocks are not equally fast;
 * the last block also moves the rest. A block takes its next tile, and prefetches the keys, while
 * it moves the one before: no thread waits for a tile's number or, if tiles are many, its keys. */
template <int SEARCH, int ITEMS, typename TARGET, typename PLACE>
static __device__ __forceinline__ void
scatter_tiles(const uint32_t *__restrict__ in, uint64_t n, const TARGET &target,
              const struct gs_gpu_tables *__restrict__ tables, uint32_t *s_table, bool try_rows,
              const struct tile_memory<PLACE> &memory, uint32_t *taken)
{
    __shared__ uint32_t s_next;
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    const struct splitter_view<SEARCH> splitters = load_splitters<SEARCH>(tables, s_table);
    const uint32_t bins = tables->count + 1;
    for (uint32_t b = threadIdx.x; b < bins; b += SCATTER_THREADS) {
        memory.count[b] = 0;
        memory.delta[b] =
            tables->repeats && (target.cursors[b] & GS_GPU_SKIP) != 0 ? target.limit : 0;
    }
    const uint32_t tiles = (uint32_t)(n / tile_keys);
    uint32_t next = tiles; /* used by thread 0 only */
    if (threadIdx.x == 0 && gridDim.x < tiles)
        next = gridDim.x + atomicInc(taken, INT32_MAX);
    for (uint32_t tile = blockIdx.x; tile < tiles; tile = s_next) {
        __syncthreads();
        if (threadIdx.x == 0) {
            s_next = next;
            if (next < tiles) {
                prefetch_keys(in + (uint64_t)next * tile_keys, tile_keys);
                next = gridDim.x + atomicInc(taken, INT32_MAX);
            }
        }
        try_rows = scatter_tile<true, ITEMS>(
            in + (uint64_t)tile * tile_keys, tile_keys, target, [&]() { return splitters; }, bins,
            memory, try_rows);
    }
    if (blockIdx.x == gridDim.x - 1) {
        __syncthreads();
        scatter_rest(in, (uint64_t)tiles * tile_keys, n, target, splitters);
    }
}

template <int ITEMS, typename TARGET>
static __global__ void __launch_bounds__(SCATTER_THREADS, 2)
    scatter_bins_kernel(const uint32_t *__restrict__ in, uint64_t n, const TARGET target,
                        const struct gs_gpu_tables *__restrict__ tables, uint32_t table_words,
                        uint32_t bins_max, uint32_t words, struct gs_gpu_state *state,
                        unsigned long long *__restrict__ counters)
{
    after_previous();
    for (uint32_t i = blockIdx.x * SCATTER_THREADS + threadIdx.x; i < GS_GPU_PARTS * state->digits;
         i += gridDim.x * SCATTER_THREADS)
        counters[i] = 0;
    using PLACE = typename TARGET::PLACE;
    extern __shared__ __align__(16) uint32_t s_memory[];
    __shared__ uint32_t s_waiting;
    struct tile_memory<PLACE> memory;
    uint32_t *s_table = s_memory;
    memory.delta = (PLACE *)(s_table + table_words);
    memory.count = (uint32_t *)(memory.delta + bins_max);
    memory.place_rows(memory.count + bins_max, words, tables->count + 1, true);
    memory.waiting = &s_waiting;
    if (threadIdx.x == 0)
        s_waiting = 0;
    const bool try_rows = words > ITEMS * SCATTER_THREADS && memory.row >= GS_ROW_LEAST;
    if (state->outcome != GS_GPU_UNSORTED)
        return;
    switch (tables->search) {
    case GS_GPU_GUIDE:
        scatter_tiles<GS_GPU_GUIDE, ITEMS>(in, n, target, tables, s_table, try_rows, memory,
                                           &state->tiles);
        break;
    case GS_GPU_GUIDE_PAIRS:
        scatter_tiles<GS_GPU_GUIDE_PAIRS, ITEMS>(in, n, target, tables, s_table, try_rows, memory,
                                                 &state->tiles);
        break;
    default:
        scatter_tiles<GS_GPU_STEPS, ITEMS>(in, n, target, tables, s_table, try_rows, memory,
                                           &state->tiles);
        break;
    }
}

/* Words of shared memory for what finds digits: heavy values, and a slot's map. */
template <int DIGITS> static constexpr __host__ __device__ uint32_t digit_words()
{
    return GS_GPU_DIGITS_MAX / 2 + map_words<DIGITS>();
}

/* A further level: a block moves one tile of one slot. If each value has a digit of its own,
 * nothing is moved: the counts say all, and runs of equal keys have been listed. DIGITS: enum
 * gs_gpu_digits. */
template <int ITEMS, int DIGITS, typename PLACE>
static __global__ void __launch_bounds__(SCATTER_THREADS, 2)
    scatter_digits_kernel(const uint32_t *__restrict__ in, const struct gs_gpu_pages pages,
                          uint32_t *__restrict__ out, PLACE limit,
                          const struct gs_gpu_slot *__restrict__ slots, uint32_t slot_count,
                          uint32_t words, const uint32_t *__restrict__ heavy,
                          const struct gs_gpu_map *__restrict__ maps, unsigned long long *cursors)
{
    after_previous();
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    extern __shared__ __align__(16) uint32_t s_memory[];
    __shared__ struct gs_gpu_slot s_slot;
    struct tile_memory<PLACE> memory;
    memory.delta = (PLACE *)s_memory;
    memory.count = (uint32_t *)(memory.delta + GS_GPU_DIGITS_MAX);
    uint32_t *s_heavy = memory.count + GS_GPU_DIGITS_MAX;
    struct gs_gpu_map *s_map = (struct gs_gpu_map *)(s_heavy + GS_GPU_DIGITS_MAX / 2);
    uint32_t *s_rows = s_heavy + digit_words<DIGITS>();
    for (uint32_t b = threadIdx.x; b < GS_GPU_DIGITS_MAX; b += SCATTER_THREADS)
        memory.count[b] = 0;
    load_slot(&s_slot, slots, slot_count, blockIdx.x);
    if (!s_slot.mapped && digit_is_exact(s_slot.digit))
        return;
    const uint32_t index = blockIdx.x - s_slot.first_tile;
    const uint32_t size =
        (uint32_t)min(s_slot.size - (uint64_t)index * tile_keys, (uint64_t)tile_keys);
    in = tile_at(pages, in, s_slot, index);
    cursors += (uint64_t)GS_GPU_PARTS * s_slot.first_digit;
    const struct flat_target<PLACE> target = {
        out + s_slot.to, limit, cursors
    };
    const auto digits = [&]() {
        if constexpr (DIGITS == GS_GPU_LINEAR)
            return digit_view{s_slot.digit, s_slot.bins};
        else
            return load_map<DIGITS == GS_GPU_DIVIDED>(s_slot, maps, s_map);
    };
    if (s_slot.heavy)
        scatter_slot_tile<ITEMS>(
            in, size, target, [&]() { return load_heavy(s_slot, digits(), heavy, s_heavy); },
            2 * s_slot.bins, memory, s_rows, words);
    else
        scatter_slot_tile<ITEMS>(in, size, target, digits, s_slot.bins, memory, s_rows, words);
}

/* Level 2 without a count: a block moves one tile of one slot, if the slot has rooms. */
template <int ITEMS>
static __global__ void __launch_bounds__(SCATTER_THREADS, 2)
    scatter_rooms_kernel(const uint32_t *__restrict__ in, const struct gs_gpu_pages pages,
                         uint32_t *__restrict__ out, const struct gs_gpu_slot *__restrict__ slots,
                         uint32_t slot_count, uint32_t words, unsigned long long *cursors)
{
    after_previous();
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    extern __shared__ __align__(16) uint32_t s_memory[];
    __shared__ struct gs_gpu_slot s_slot;
    struct tile_memory<uint32_t> memory;
    memory.delta = s_memory;
    memory.count = memory.delta + GS_GPU_DIGITS_MAX;
    for (uint32_t b = threadIdx.x; b < GS_GPU_DIGITS_MAX; b += SCATTER_THREADS)
        memory.count[b] = 0;
    load_slot(&s_slot, slots, slot_count, blockIdx.x);
    if (s_slot.room == 0)
        return;
    const uint32_t index = blockIdx.x - s_slot.first_tile;
    const uint32_t size =
        (uint32_t)min(s_slot.size - (uint64_t)index * tile_keys, (uint64_t)tile_keys);
    if (threadIdx.x == 0 && (index + GS_TILES_AHEAD + 1) * (uint64_t)tile_keys <= s_slot.size)
        prefetch_keys(tile_at(pages, in, s_slot, index + GS_TILES_AHEAD), tile_keys);
    const auto digits = [&]() { return digit_view{s_slot.digit, s_slot.bins}; };
    cursors += (uint64_t)GS_GPU_PARTS * s_slot.first_digit;
    uint32_t *s_rows = memory.count + GS_GPU_DIGITS_MAX;
    in = tile_at(pages, in, s_slot, index);
    out += s_slot.to;
    const uint32_t limit = s_slot.bins * s_slot.room;
    if (s_slot.narrow) {
        const struct room_target<uint16_t> target = {
            (uint16_t *)out, limit, cursors, s_slot.room
        };
        scatter_slot_tile<ITEMS>(in, size, target, digits, s_slot.bins, memory, s_rows, words);
    } else {
        const struct room_target<uint32_t> target = {
            out, limit, cursors, s_slot.room
        };
        scatter_slot_tile<ITEMS>(in, size, target, digits, s_slot.bins, memory, s_rows, words);
    }
}

template <int ITEMS, typename TARGET>
static cudaError_t launch_bins(const struct gs_gpu_work *work, const uint32_t *in, uint64_t n,
                               const TARGET &target, uint32_t bins, uint32_t most,
                               unsigned processors, cudaStream_t stream)
{
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    most += most % 2; /* what follows must be aligned to 8 bytes */
    const uint32_t table_words = gs_gpu_table_words(work, bins, most);
    const uint32_t others =
        table_words + most + most * (uint32_t)(sizeof(typename TARGET::PLACE) / sizeof(uint32_t));
    const uint32_t words = choose_words(work, tile_keys, others, most);
    const size_t shared = (others + words) * sizeof(uint32_t);
    int resident = 0;
    cudaError_t error =
        cudaFuncSetAttribute(scatter_bins_kernel<ITEMS, TARGET>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &resident, scatter_bins_kernel<ITEMS, TARGET>, SCATTER_THREADS, shared);
    if (error != cudaSuccess)
        return error;
    uint64_t tiles = (n + tile_keys - 1) / tile_keys;
    uint64_t blocks = (uint64_t)resident * processors;
    blocks = tiles < blocks ? tiles : blocks;
    return gs_launch_next(scatter_bins_kernel<ITEMS, TARGET>, (unsigned)blocks, SCATTER_THREADS,
                          shared, stream, in, n, target, work->tables, table_words, most, words,
                          work->state, work->counters);
}

template <typename PLACE>
static struct flat_target<PLACE> flat(const struct gs_gpu_work *work, uint32_t *out, uint64_t n) {
    return {out, (PLACE)n, work->cursors};
}

template <typename INDEX>
static struct paged_target<INDEX> paged(const struct gs_gpu_work *work, uint32_t *out) {
    return {out, UINT32_MAX, work->cursors, work->pages, &work->state->pages};
}

template <int DIGITS, typename PLACE>
static cudaError_t launch_digits(const struct gs_gpu_work *work, unsigned level, const uint32_t *in,
                                 uint32_t *out, uint64_t most, uint32_t slots, uint32_t tiles,
                                 cudaStream_t stream)
{
    const int items = GS_GPU_TILE_KEYS / SCATTER_THREADS;
    const uint32_t others =
        GS_GPU_DIGITS_MAX * (1 + sizeof(PLACE) / sizeof(uint32_t)) + digit_words<DIGITS>();
    const uint32_t words = choose_words(work, GS_GPU_TILE_KEYS, others, GS_GPU_DIGITS_MAX);
    const size_t shared = (others + words) * sizeof(uint32_t);
    cudaError_t error =
        cudaFuncSetAttribute(scatter_digits_kernel<items, DIGITS, PLACE>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess)
        return error;
    return gs_launch_next(scatter_digits_kernel<items, DIGITS, PLACE>, tiles, SCATTER_THREADS,
                          shared, stream, in, work->pages, out, (PLACE)most, work->slots[level & 1],
                          slots, words, work->heavy, work->maps, work->counters);
}

/* The most static shared memory that a scatter kernel declares, in bytes. */
#define OWN_BYTES 1024

/* Does a block have room for a large tile beside all that finds its bins, with 32-bit places? */
static bool has_large_room(const struct gs_gpu_work *work, uint32_t bins, uint32_t most)
{
    most += most % 2;
    const size_t words = gs_gpu_table_words(work, bins, most) + 2 * most + GS_GPU_TILE_KEYS;
    return words * sizeof(uint32_t) + OWN_BYTES <= work->block_bytes;
}

cudaError_t gs_scatter_bins_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
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

cudaError_t gs_scatter_pages_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                                 uint64_t n, uint32_t bins, uint32_t most, unsigned processors,
                                 cudaStream_t stream)
{
    const int large = GS_GPU_TILE_KEYS / SCATTER_THREADS;
    if (needs_wide(n))
        return launch_bins<large>(work, in, n, paged<unsigned long long>(work, out), bins, most,
                                  processors, stream);
    return launch_bins<large>(work, in, n, paged<uint32_t>(work, out), bins, most, processors,
                              stream);
}

cudaError_t gs_scatter_digits_gpu(const struct gs_gpu_work *work, unsigned level,
                                  const uint32_t *in, uint32_t *out, uint64_t most, uint32_t slots,
                                  uint32_t tiles, enum gs_gpu_digits digits, cudaStream_t stream)
{
    return with_digits(digits, [&](auto kind) {
        if (needs_wide(most))
            return launch_digits<kind, unsigned long long>(work, level, in, out, most, slots, tiles,
                                                           stream);
        return launch_digits<kind, uint32_t>(work, level, in, out, most, slots, tiles, stream);
    });
}

cudaError_t gs_scatter_rooms_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                                 uint32_t slots, uint32_t tiles, cudaStream_t stream)
{
    const int items = GS_GPU_TILE_KEYS / SCATTER_THREADS;
    const uint32_t words = scatter_words(work, GS_GPU_TILE_KEYS);
    const size_t shared = (words + 2 * GS_GPU_DIGITS_MAX) * sizeof(uint32_t);
    cudaError_t error = cudaFuncSetAttribute(
        scatter_rooms_kernel<items>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess)
        return error;
    return gs_launch_next(scatter_rooms_kernel<items>, tiles, SCATTER_THREADS, shared, stream, in,
                          work->pages, out, work->slots[0], slots, words, work->counters);
}

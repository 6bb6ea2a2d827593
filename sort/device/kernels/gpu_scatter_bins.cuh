/* gpu_scatter_bins.cuh -- level 1's scatter: each block moves tile after tile to any target.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_SCATTER_BINS_CUH
#define GS_GPU_SCATTER_BINS_CUH

#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_scatter.cuh"
#include "sort/device/kernels/gpu_scatter_room.cuh"

/* Level 1: move the keys from `first` to n, less than a tile, one by one. scatter_tile for a tile
 * of any size would be as much code again as for a full one. */
template <typename TARGET, typename VIEW>
static __device__ __forceinline__ void
scatter_rest(const gs_key *__restrict__ in, uint64_t first, uint64_t n, const TARGET &target,
             const VIEW &view, const struct gs_gpu_door &door)
{
    for (uint64_t i = first + threadIdx.x; i < n; i += SCATTER_THREADS) {
        const gs_key key[1] = {come_in(door, in[i])};
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
scatter_tiles(const gs_key *__restrict__ in, uint64_t n, const TARGET &target,
              const struct gs_gpu_tables *__restrict__ tables, uint32_t *s_table, bool try_rows,
              const struct tile_memory<PLACE> &memory, uint32_t *taken,
              const struct gs_gpu_door &door)
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
            memory, try_rows, door);
    }
    if (blockIdx.x == gridDim.x - 1) {
        __syncthreads();
        scatter_rest(in, (uint64_t)tiles * tile_keys, n, target, splitters, door);
    }
}

template <int ITEMS, typename TARGET>
static __global__ void __launch_bounds__(SCATTER_THREADS, 2)
    scatter_bins_kernel(const gs_key *__restrict__ in, uint64_t n, const TARGET target,
                        const struct gs_gpu_tables *__restrict__ tables, uint32_t table_words,
                        uint32_t bins_max, uint32_t room, struct gs_gpu_state *state,
                        unsigned long long *__restrict__ counters,
                        const __grid_constant__ struct gs_gpu_door door)
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
    memory.place_rows(memory.count + bins_max, room, tables->count + 1, true);
    memory.waiting = &s_waiting;
    if (threadIdx.x == 0)
        s_waiting = 0;
    const bool try_rows = room > ITEMS * SCATTER_THREADS && memory.row >= GS_ROW_LEAST;
    if (state->outcome != GS_GPU_UNSORTED)
        return;
    switch (tables->search) {
    case GS_GPU_GUIDE:
        scatter_tiles<GS_GPU_GUIDE, ITEMS>(in, n, target, tables, s_table, try_rows, memory,
                                           &state->tiles, door);
        break;
#if GS_BITS == 32
    case GS_GPU_GUIDE_PAIRS:
        scatter_tiles<GS_GPU_GUIDE_PAIRS, ITEMS>(in, n, target, tables, s_table, try_rows, memory,
                                                 &state->tiles, door);
        break;
#endif
    default:
        scatter_tiles<GS_GPU_STEPS, ITEMS>(in, n, target, tables, s_table, try_rows, memory,
                                           &state->tiles, door);
        break;
    }
}

/* Words of a key, or of a position, if that is longer. */
enum { KEY_WORDS = GS_BITS == 128 ? 4 : 2 };

template <int ITEMS, typename TARGET>
static cudaError_t launch_bins(const struct gs_gpu_work *work, const gs_key *in, uint64_t n,
                               const TARGET &target, uint32_t bins, uint32_t most,
                               unsigned processors, cudaStream_t stream)
{
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    most = (most + KEY_WORDS - 1) / KEY_WORDS * KEY_WORDS; /* what follows must be aligned */
    const uint32_t table_words = gs_gpu_table_words(work, bins, most);
    const uint32_t others =
        table_words + most + most * (uint32_t)(sizeof(typename TARGET::PLACE) / sizeof(uint32_t));
    const uint32_t room = choose_room(work, tile_keys, others, most);
    const size_t shared = others * sizeof(uint32_t) + room * sizeof(gs_key);
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
                          shared, stream, in, n, target, work->tables, table_words, most, room,
                          work->state, work->counters, work->door);
}

#endif

/* scatter_gpu.cu -- move every key to its bin (GPU twin of scatter_cpu.c).
 * SPDX-License-Identifier: MIT
 *
 * A block ranks the keys of a tile within each bin by atomicAdd on counters in shared memory,
 * reserves the tile's run in each bin with one global atomicAdd, and writes the runs. The order
 * inside a bin is free.
 *
 * Shared memory has a row for each bin, with room for twice its share and more: a key goes straight
 * to its row at its rank, and a warp writes row after row. That touches shared memory a third less
 * often than any way that first finds out where each bin begins. Rows are of odd length: bins fill
 * up side by side, and would all use the same banks.
 *
 * Where bins are uneven, keys that a row has no room for wait on a list. A tile with too many of
 * those, or with a warp most of whose keys meet in one bin (keys that lie in the input as in the
 * output), is ordered by bin without gaps instead, by a scan of the counts, and a key finds its bin
 * once more when it is written. Where most of a warp meets on one counter, one lane adds for all.
 */
#include "sort/gpu_block.cuh"

enum {
    SCATTER_THREADS = GS_GPU_TILE_THREADS,
    WAITING = 256,       /* keys that rows have no room for, of one tile */
    BIN_RANK_SHIFT = 12, /* bin + (rank << 12) in a word */
    BIN_MASK = (1 << BIN_RANK_SHIFT) - 1
};

static_assert(GS_GPU_SPLITTERS_MAX < 1 << BIN_RANK_SHIFT, "a bin fits below its rank");
static_assert(GS_GPU_TILE_KEYS <= 1 << (32 - BIN_RANK_SHIFT), "a rank fits above its bin");

/* The least length of a row worth trying: more bins than this leaves overflow now and then. */
#define GS_ROW_LEAST 15

/* A key that its row has no room for. */
struct waiting_key {
    uint32_t key;
    uint32_t bin_rank;
};

/* Shared memory of one tile. PLACE holds positions in the output. */
template <typename PLACE> struct tile_memory {
    uint32_t *keys; /* rows, or the tile in the order of its bins */
    struct waiting_key *list;
    uint32_t *waiting; /* keys on the list, or more; zero before a tile */
    uint32_t *count;   /* per bin: keys, then first index in the tile; zero before a tile */
    PLACE *delta;      /* per bin: position in the output less index in the tile, or nowhere */
    uint32_t row;      /* length of a row, odd */

    /* Divide `words` words: rows for so many bins, and the list behind them. */
    __device__ __forceinline__ void place_rows(uint32_t *words_begin, uint32_t words, uint32_t bins)
    {
        const uint32_t rows = words - 2 * WAITING;
        keys = words_begin;
        list = (struct waiting_key *)(words_begin + rows);
        row = (rows / bins - 1) | 1;
    }
};

/* Words for a tile: its rows, all that two blocks of a processor can have, or just its keys. */
static uint32_t tile_words(const struct gs_gpu_work *work, uint32_t tile_keys)
{
    if (!work->rows)
        return tile_keys;
    return tile_keys <= GS_GPU_SMALL_TILE_KEYS ? 4 * tile_keys : 2 * tile_keys + tile_keys / 8;
}

/* Write the rows of a tile, each warp those of consecutive bins, and clear the counters. */
template <typename PLACE>
static __device__ __forceinline__ void write_rows(const struct tile_memory<PLACE> &memory,
                                                  uint32_t *__restrict__ out, PLACE limit,
                                                  uint32_t bins, unsigned long long *cursors)
{
    const uint32_t lane = lane_index();
    const uint32_t share = (bins + SCATTER_THREADS / 32 - 1) / (SCATTER_THREADS / 32);
    const uint32_t first = threadIdx.x / 32 * share;
    for (uint32_t group = 0; group < share; group += 32) {
        uint32_t bin = first + group + lane;
        uint32_t count = 0;
        unsigned long long place = 0;
        if (group + lane < share && bin < bins) {
            count = memory.count[bin];
            memory.count[bin] = 0;
            if (count > 0) {
                place = atomicAdd(&cursors[bin], (unsigned long long)count);
                bool nowhere = (place & GS_GPU_SKIP) != 0; /* an equality bin: not moved */
                memory.delta[bin] = nowhere ? limit : (PLACE)place;
                count = nowhere ? 0 : min(count, memory.row);
            }
        }
        const uint32_t *row = memory.keys + (first + group) * memory.row + lane;
        const int rows = (int)min(share - group, 32U);
#pragma unroll 4
        for (int r = 0; r < rows; r++, row += memory.row) {
            uint32_t keys = __shfl_sync(GS_ALL_LANES, count, r);
            PLACE start = __shfl_sync(GS_ALL_LANES, (PLACE)place, r);
            uint32_t low = lane < keys ? row[0] : 0;
            uint32_t high = lane + 32 < keys ? row[32] : 0;
            if (lane < keys)
                out[start + lane] = low;
            if (lane + 32 < keys)
                out[start + lane + 32] = high;
            for (uint32_t i = lane + 64; i < keys; i += 32)
                out[start + i] = row[i - lane];
        }
    }
}

/* Scatter `size` keys at `in` to `out`; FULL: as many as a tile can have. Counters must be zero and
 * visible, and are again after the next barrier. limit bounds the positions that exist. Returns
 * false if a row was too short; try_rows = false does not try. */
template <bool FULL, int ITEMS, typename PLACE, typename VIEW>
static __device__ __forceinline__ bool
scatter_tile(const uint32_t *__restrict__ in, uint32_t size, uint32_t *__restrict__ out,
             PLACE limit, const VIEW &view, uint32_t bins, unsigned long long *cursors,
             const struct tile_memory<PLACE> &memory, bool try_rows)
{
    __shared__ uint32_t s_partial[33];
    __shared__ uint32_t s_none[32]; /* counts keys that do not exist, or need not be moved */
    const uint32_t t = threadIdx.x;
    /* Key i of this thread exists if i * SCATTER_THREADS < rest. */
    const int rest = FULL ? ITEMS * SCATTER_THREADS : (int)size - (int)t;
    uint32_t key[ITEMS];
    uint32_t bin[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        key[i] = i * SCATTER_THREADS < rest ? in[i * SCATTER_THREADS + t] : 0;
    view.classify(key, bin);
    const auto moves = [&](int i) {
        return i * SCATTER_THREADS < rest && (!VIEW::DROPS || (bin[i] & BIN_MASK) < bins);
    };
    const bool crowd =
        is_crowd(bin[0]) && (!VIEW::DROPS || __shfl_sync(GS_ALL_LANES, bin[0], 0) < bins);
    if (!crowd) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            bin[i] += atomicAdd(moves(i) ? &memory.count[bin[i]] : &s_none[lane_index()], 1)
                      << BIN_RANK_SHIFT;
    } else {
        try_rows = false;
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            bin[i] += rank_crowd(memory.count, bin[i], moves(i)) << BIN_RANK_SHIFT;
    }
    if (try_rows) {
        bool fit = true;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            uint32_t rank = bin[i] >> BIN_RANK_SHIFT;
            bool fits = rank < memory.row;
            if (moves(i) && fits)
                memory.keys[(bin[i] & BIN_MASK) * memory.row + rank] = key[i];
            fit = fit && (fits || !moves(i));
        }
        if constexpr (VIEW::WAITS) {
            if (!fit) {
#pragma unroll
                for (int i = 0; i < ITEMS; i++)
                    if (moves(i) && bin[i] >> BIN_RANK_SHIFT >= memory.row &&
                        memory.delta[bin[i] & BIN_MASK] != limit) {
                        uint32_t place = atomicAdd(memory.waiting, 1);
                        if (place < WAITING)
                            memory.list[place] = {key[i], bin[i]};
                    }
            }
        } else {
            try_rows = fit; /* the code for waiting keys would cost registers */
        }
    }
    try_rows = __syncthreads_and(try_rows) != 0;
    uint32_t waiting = 0;
    if constexpr (VIEW::WAITS) {
        waiting = *memory.waiting;
        try_rows = try_rows && waiting <= WAITING;
    }
    if (try_rows) {
        write_rows(memory, out, limit, bins, cursors);
        if (VIEW::WAITS && waiting != 0) {
            __syncthreads();
            for (uint32_t x = t; x < waiting; x += SCATTER_THREADS) {
                const struct waiting_key late = memory.list[x];
                out[memory.delta[late.bin_rank & BIN_MASK] + (late.bin_rank >> BIN_RANK_SHIFT)] =
                    late.key;
            }
            if (t == 0)
                *memory.waiting = 0;
        }
        return true;
    }

    /* Where each bin begins in the tile, and in the output. */
    uint32_t before = 0;
    for (uint32_t round = 0; round < bins; round += SCATTER_THREADS) {
        uint32_t b = round + t;
        uint32_t count = b < bins ? memory.count[b] : 0;
        unsigned long long place = 0;
        if (count > 0)
            place = atomicAdd(&cursors[b], (unsigned long long)count);
        uint32_t sum;
        uint32_t first = before + scan_block<SCATTER_THREADS>(count, s_partial, &sum);
        before += sum;
        if (b < bins) {
            memory.count[b] = first;
            if (count > 0)
                memory.delta[b] = (place & GS_GPU_SKIP) != 0 ? limit : (PLACE)(place - first);
        }
        __syncthreads();
    }
    const int kept = VIEW::DROPS ? (int)before - (int)t : rest; /* as rest, of those in order */

#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (moves(i))
            bin[i] = memory.count[bin[i] & BIN_MASK] + (bin[i] >> BIN_RANK_SHIFT);
        else
            bin[i] = ITEMS * SCATTER_THREADS;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (bin[i] < ITEMS * SCATTER_THREADS)
            memory.keys[bin[i]] = key[i];
    __syncthreads();

#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        key[i] = i * SCATTER_THREADS < kept ? memory.keys[i * SCATTER_THREADS + t] : 0;
    view.classify(key, bin);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        PLACE place = limit;
        if (i * SCATTER_THREADS < kept)
            place = memory.delta[bin[i]] + i * SCATTER_THREADS + t;
        if (place < limit) /* not the keys of an equality bin */
            out[place] = key[i];
    }
    for (uint32_t b = t; b < bins; b += SCATTER_THREADS)
        memory.count[b] = 0;
    if (t == 0)
        *memory.waiting = 0;
    return false;
}

/* Level 1: each block strides over the tiles of the input. */
template <int SEARCH, int ITEMS, typename PLACE>
static __device__ __forceinline__ void
scatter_tiles(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, uint64_t n, PLACE limit,
              const struct gs_gpu_tables *__restrict__ tables, uint32_t *s_table, bool try_rows,
              unsigned long long *cursors, const struct tile_memory<PLACE> &memory)
{
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    const struct splitter_view<SEARCH> splitters = load_splitters<SEARCH>(tables, s_table);
    const uint32_t bins = tables->count + 1;
    for (uint32_t b = threadIdx.x; b < bins; b += SCATTER_THREADS) {
        memory.count[b] = 0;
        memory.delta[b] = tables->repeats && (cursors[b] & GS_GPU_SKIP) != 0 ? limit : 0;
    }
    for (uint64_t first = blockIdx.x * (uint64_t)tile_keys; first < n;
         first += gridDim.x * (uint64_t)tile_keys) {
        uint32_t size = (uint32_t)min(n - first, (uint64_t)tile_keys);
        __syncthreads();
        if (size == tile_keys)
            try_rows = scatter_tile<true, ITEMS>(in + first, size, out, limit, splitters, bins,
                                                 cursors, memory, try_rows);
        else
            try_rows = scatter_tile<false, ITEMS>(in + first, size, out, limit, splitters, bins,
                                                  cursors, memory, try_rows);
    }
}

template <int ITEMS, typename PLACE>
static __global__ void __launch_bounds__(SCATTER_THREADS, 2)
    scatter_bins_kernel(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, uint64_t n,
                        PLACE limit, const struct gs_gpu_tables *__restrict__ tables,
                        uint32_t table_words, uint32_t bins_max, uint32_t words,
                        const struct gs_gpu_state *state, unsigned long long *cursors)
{
    extern __shared__ __align__(16) uint32_t s_memory[];
    __shared__ uint32_t s_waiting;
    struct tile_memory<PLACE> memory;
    uint32_t *s_table = s_memory;
    memory.delta = (PLACE *)(s_table + table_words);
    memory.count = (uint32_t *)(memory.delta + bins_max);
    memory.place_rows(memory.count + bins_max, words, tables->count + 1);
    memory.waiting = &s_waiting;
    if (threadIdx.x == 0)
        s_waiting = 0;
    const bool try_rows = words > ITEMS * SCATTER_THREADS && memory.row >= GS_ROW_LEAST;
    if (state->outcome != GS_GPU_UNSORTED)
        return;
    switch (tables->search) {
    case GS_GPU_GUIDE:
        scatter_tiles<GS_GPU_GUIDE, ITEMS>(in, out, n, limit, tables, s_table, try_rows, cursors,
                                           memory);
        break;
    case GS_GPU_GUIDE_PAIRS:
        scatter_tiles<GS_GPU_GUIDE_PAIRS, ITEMS>(in, out, n, limit, tables, s_table, try_rows,
                                                 cursors, memory);
        break;
    case GS_GPU_STEPS:
        scatter_tiles<GS_GPU_STEPS, ITEMS>(in, out, n, limit, tables, s_table, try_rows, cursors,
                                           memory);
        break;
    default:
        scatter_tiles<GS_GPU_LOG_STEPS, ITEMS>(in, out, n, limit, tables, s_table, try_rows,
                                               cursors, memory);
        break;
    }
}

/* Scatter the keys of one tile of a slot. */
template <int ITEMS, typename PLACE, typename VIEW>
static __device__ __forceinline__ void
scatter_slot_tile(const uint32_t *__restrict__ in, uint32_t size, uint32_t *__restrict__ out,
                  PLACE limit, const VIEW &view, uint32_t bins, unsigned long long *cursors,
                  struct tile_memory<PLACE> &memory, uint32_t *words_begin, uint32_t words)
{
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    memory.place_rows(words_begin, words, bins);
    const bool try_rows = words > tile_keys && memory.row >= GS_ROW_LEAST;
    if (size == tile_keys)
        scatter_tile<true, ITEMS>(in, size, out, limit, view, bins, cursors, memory, try_rows);
    else
        scatter_tile<false, ITEMS>(in, size, out, limit, view, bins, cursors, memory, try_rows);
}

/* A further level: a block moves one tile of one slot. Where each key has a digit of its
 * own, the counts say all, and runs of equal keys have been listed. */
template <int ITEMS, typename PLACE>
static __global__ void __launch_bounds__(SCATTER_THREADS, 2)
    scatter_digits_kernel(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, PLACE limit,
                          const struct gs_gpu_slot *__restrict__ slots, uint32_t slot_count,
                          uint32_t words, const uint32_t *__restrict__ heavy,
                          unsigned long long *cursors)
{
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    extern __shared__ __align__(16) uint32_t s_memory[];
    __shared__ struct gs_gpu_slot s_slot;
    __shared__ uint32_t s_waiting;
    struct tile_memory<PLACE> memory;
    memory.delta = (PLACE *)s_memory;
    memory.count = (uint32_t *)(memory.delta + GS_GPU_DIGITS_MAX);
    memory.waiting = &s_waiting;
    uint32_t *s_heavy = memory.count + GS_GPU_DIGITS_MAX;
    uint32_t *s_rows = s_heavy + GS_GPU_DIGITS_MAX / 2;
    for (uint32_t b = threadIdx.x; b < GS_GPU_DIGITS_MAX; b += SCATTER_THREADS)
        memory.count[b] = 0;
    if (threadIdx.x == 0)
        s_waiting = 0;
    load_slot(&s_slot, slots, slot_count, blockIdx.x);
    const struct digit_view digits = {s_slot.digit, s_slot.bins};
    if (digit_is_exact(digits.digit))
        return;
    const uint64_t first = (uint64_t)(blockIdx.x - s_slot.first_tile) * tile_keys;
    const uint32_t size = (uint32_t)min(s_slot.size - first, (uint64_t)tile_keys);
    in += s_slot.start + first;
    cursors += (uint64_t)GS_GPU_PARTS * s_slot.first_digit;
    if (s_slot.heavy) {
        for (uint32_t b = threadIdx.x; b < 2 * s_slot.bins; b += SCATTER_THREADS)
            memory.delta[b] = 0; /* not nowhere */
        const struct heavy_view view = load_heavy(s_slot, heavy, s_heavy);
        scatter_slot_tile<ITEMS>(in, size, out, limit, view, 2 * s_slot.bins, cursors, memory,
                                 s_rows, words);
    } else {
        scatter_slot_tile<ITEMS>(in, size, out, limit, digits, s_slot.bins, cursors, memory, s_rows,
                                 words);
    }
}

/* 32-bit positions are cheaper, and enough while an equality bin's "nowhere" still fits. */
static bool needs_wide(uint64_t n)
{
    return n > 1ULL << 31;
}

template <int ITEMS, typename PLACE>
static cudaError_t launch_bins(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                               uint64_t n, uint32_t bins, unsigned processors, cudaStream_t stream)
{
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    uint32_t table_words = gs_gpu_table_words(bins);
    uint32_t words = tile_words(work, tile_keys);
    size_t shared = (table_words + words + 2 * bins) * sizeof(uint32_t) + 2 * bins * sizeof(PLACE);
    int resident = 0;
    cudaError_t error =
        cudaFuncSetAttribute(scatter_bins_kernel<ITEMS, PLACE>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &resident, scatter_bins_kernel<ITEMS, PLACE>, SCATTER_THREADS, shared);
    if (error != cudaSuccess)
        return error;
    uint64_t tiles = (n + tile_keys - 1) / tile_keys;
    uint64_t blocks = (uint64_t)resident * processors;
    blocks = tiles < blocks ? tiles : blocks;
    scatter_bins_kernel<ITEMS, PLACE><<<(unsigned)blocks, SCATTER_THREADS, shared, stream>>>(
        in, out, n, (PLACE)n, work->tables, table_words, 2 * bins, words, work->state,
        work->cursors);
    return cudaGetLastError();
}

template <typename PLACE>
static cudaError_t launch_digits(const struct gs_gpu_work *work, unsigned level, const uint32_t *in,
                                 uint32_t *out, uint64_t n, uint32_t slots, uint32_t tiles,
                                 cudaStream_t stream)
{
    const int items = GS_GPU_TILE_KEYS / SCATTER_THREADS;
    uint32_t words = tile_words(work, GS_GPU_TILE_KEYS);
    size_t shared = (words + GS_GPU_DIGITS_MAX + GS_GPU_DIGITS_MAX / 2) * sizeof(uint32_t) +
                    GS_GPU_DIGITS_MAX * sizeof(PLACE);
    cudaError_t error =
        cudaFuncSetAttribute(scatter_digits_kernel<items, PLACE>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess)
        return error;
    scatter_digits_kernel<items, PLACE><<<tiles, SCATTER_THREADS, shared, stream>>>(
        in, out, (PLACE)n, work->slots[level & 1], slots, words, work->heavy, work->counters);
    return cudaGetLastError();
}

cudaError_t gs_scatter_bins_gpu(const struct gs_gpu_work *work, const uint32_t *in, uint32_t *out,
                                uint64_t n, uint32_t bins, unsigned processors, cudaStream_t stream)
{
    const int large = GS_GPU_TILE_KEYS / SCATTER_THREADS;
    const int small = GS_GPU_SMALL_TILE_KEYS / SCATTER_THREADS;
    if (needs_wide(n))
        return launch_bins<large, unsigned long long>(work, in, out, n, bins, processors, stream);
    if (n > (uint64_t)GS_GPU_TILE_KEYS * processors * 4)
        return launch_bins<large, uint32_t>(work, in, out, n, bins, processors, stream);
    return launch_bins<small, uint32_t>(work, in, out, n, bins, processors, stream);
}

cudaError_t gs_scatter_digits_gpu(const struct gs_gpu_work *work, unsigned level,
                                  const uint32_t *in, uint32_t *out, uint64_t n, uint32_t slots,
                                  uint32_t tiles, cudaStream_t stream)
{
    if (needs_wide(n))
        return launch_digits<unsigned long long>(work, level, in, out, n, slots, tiles, stream);
    return launch_digits<uint32_t>(work, level, in, out, n, slots, tiles, stream);
}

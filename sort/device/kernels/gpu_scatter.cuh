/* gpu_scatter.cuh -- move the keys of one tile to their bins, by one block.
 * SPDX-License-Identifier: MIT
 *
 * A block ranks the keys of a tile within each bin, by atomicAdd on counters in shared memory,
 * reserves the tile's run in each bin with one global atomicAdd, and writes the runs. The order
 * inside a bin is free. A key goes straight to the row of its bin (gpu_scatter_rows.cuh), at its
 * rank.
 *
 * Where bins of level 1 are uneven, keys that do not fit into their row wait on a list. Instead of
 * by rows, a tile is ordered by bin without gaps, by a scan of the counts, and each key's bin is
 * found once more when the key is written, if too many keys wait, if any does not fit at a further
 * level, if the two ends of a shared row meet, or if most keys of a warp fall into one bin (as they
 * do if the input is nearly sorted). Where most of a warp meets on one counter, one lane adds for
 * all.
 */
#ifndef GS_GPU_SCATTER_CUH
#define GS_GPU_SCATTER_CUH

#include "sort/device/kernels/gpu_scatter_rows.cuh"
#include "sort/device/kernels/gpu_views.cuh"

enum {
    BIN_RANK_SHIFT = 12, /* a word holds bin + (rank << 12) */
    BIN_MASK = (1 << BIN_RANK_SHIFT) - 1
};

static_assert(GS_GPU_SPLITTERS_MAX < 1 << BIN_RANK_SHIFT, "a bin fits below its rank");
static_assert(GS_GPU_TILE_KEYS <= 1 << (32 - BIN_RANK_SHIFT), "a rank fits above its bin");
static_assert(5 * (GS_GPU_SPLITTERS_MAX + 1) * sizeof(uint32_t) / sizeof(gs_key) <=
                  GS_GPU_TILE_KEYS * 9 / 8 - 2 * WAITING,
              "homes and tears of all bins fit behind a tile");

/* Prefetch distance of level 2, in tiles: as many begin in the time that memory takes to answer. */
#define GS_TILES_AHEAD 32

/* The shortest row worth trying: the shorter rows of more bins overflow now and then. */
#define GS_ROW_LEAST 15

/* Scatter `size` keys at `in`, which come in by a door. FULL: that is a whole tile. view_of()
 * prepares the view while the keys are being loaded. Counters must be zero and visible on entry,
 * and are zero again after the next barrier. Returns false if the tile did not fit into rows;
 * try_rows = false does not try. */
template <bool FULL, int ITEMS, typename PLACE, typename TARGET, typename VIEW_OF>
static __device__ __forceinline__ bool
scatter_tile(const gs_key *__restrict__ in, uint32_t size, const TARGET &target,
             const VIEW_OF &view_of, uint32_t bins, const struct tile_memory<PLACE> &memory,
             bool try_rows, const struct gs_gpu_door &door)
{
    using VIEW = decltype(view_of());
    static_assert(!VIEW::PAIRED || !VIEW::WAITS, "a list does not know of ends that meet");
    __shared__ uint32_t s_partial[33];
    __shared__ uint32_t s_none[32]; /* for keys that do not exist or are not moved */
    const uint32_t t = threadIdx.x;
    /* Key i of this thread exists if i * SCATTER_THREADS < rest. */
    const int rest = FULL ? ITEMS * SCATTER_THREADS : (int)size - (int)t;
    gs_key key[ITEMS];
    uint32_t bin[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        key[i] = i * SCATTER_THREADS < rest ? in[i * SCATTER_THREADS + t] : 0;
    come_in(door, key);
    const VIEW view = view_of();
    view.classify(key, bin);
    const auto moves = [&](int i) {
        return i * SCATTER_THREADS < rest && (!VIEW::PAIRED || (bin[i] & BIN_MASK) < bins);
    };
    const bool crowd =
        is_crowd(bin[0]) && (!VIEW::PAIRED || __shfl_sync(GS_ALL_LANES, bin[0], 0) < bins);
    if (!crowd) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            bin[i] += atomicAdd(moves(i) ? &memory.count[bin[i]] : &s_none[lane_index()], 1)
                      << BIN_RANK_SHIFT;
    } else {
        try_rows = false;
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            bin[i] += rank_crowd(memory.count, bin[i], moves(i), s_none) << BIN_RANK_SHIFT;
    }
    if (try_rows) {
        bool fit = true;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            uint32_t rank = bin[i] >> BIN_RANK_SHIFT;
            bool fits = rank < memory.row;
            if (moves(i) && fits)
                memory.keys[memory.template row_place<VIEW::PAIRED>(bin[i] & BIN_MASK, rank)] =
                    key[i];
            fit = fit && (fits || !moves(i));
        }
        if constexpr (VIEW::WAITS) {
            if (!fit) {
#pragma unroll
                for (int i = 0; i < ITEMS; i++)
                    if (moves(i) && bin[i] >> BIN_RANK_SHIFT >= memory.row &&
                        memory.delta[bin[i] & BIN_MASK] != target.limit) {
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
    if (VIEW::PAIRED && try_rows) { /* do the ends of a row meet? */
        for (uint32_t b = t; b < memory.pairs; b += SCATTER_THREADS)
            try_rows = try_rows && memory.count[b] + memory.count[b + memory.pairs] <= memory.row;
        try_rows = __syncthreads_and(try_rows) != 0;
    }
    if constexpr (VIEW::WAITS) {
        waiting = *memory.waiting;
        try_rows = try_rows && waiting <= WAITING;
    }
    if (try_rows) {
        write_rows<VIEW::PAIRED>(memory, target, bins);
        if (VIEW::WAITS && waiting != 0) {
            __syncthreads();
            for (uint32_t x = t; x < waiting; x += SCATTER_THREADS) {
                const struct waiting_key late = memory.list[x];
                const uint32_t b = late.bin_rank & BIN_MASK;
                const PLACE place = memory.delta[b];
                if (place != target.limit) /* the bin may turn out only now to need no move */
                    *target.at(b, place + (late.bin_rank >> BIN_RANK_SHIFT)) =
                        (typename TARGET::KEY)late.key;
            }
            if (t == 0)
                *memory.waiting = 0;
        }
        return true;
    }

    /* Find where each bin begins in the tile and in the output. With pages, look up both places of
     * a bin's run at once, as each look-up takes long: keys from index `tear` of the tile on go to
     * the run's second page. */
    using INDEX = typename TARGET::INDEX;
    using KEY = typename TARGET::KEY;
    INDEX *s_home = (INDEX *)(memory.keys + ITEMS * SCATTER_THREADS);
    uint32_t *s_tear = (uint32_t *)(s_home + 2 * bins);
    uint32_t before = 0;
    for (uint32_t round = 0; round < bins; round += SCATTER_THREADS) {
        uint32_t b = round + t;
        uint32_t count = b < bins ? memory.count[b] : 0;
        PLACE place = 0;
        if (count > 0)
            place = target.reserve(b, count);
        uint32_t first = scan_round<SCATTER_THREADS>(count, s_partial, &before);
        if (b < bins) {
            memory.count[b] = first;
            if (count > 0)
                memory.delta[b] = place == target.limit ? place : place - first;
        }
        __syncthreads();
        if constexpr (TARGET::PAGED)
            if (count > 0) {
                const bool nowhere = place == target.limit;
                const uint32_t left = TARGET::PAGE_KEYS - place % TARGET::PAGE_KEYS;
                s_tear[b] = nowhere ? 0 : first + left;
                s_home[2 * b] = nowhere ? 0 : target.locate(b, place) - first;
                if (!nowhere && count > left)
                    s_home[2 * b + 1] = target.locate(b, place + left) - first - left;
            }
    }
    const int kept = VIEW::PAIRED ? (int)before - (int)t : rest; /* rest, of keys that move */

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
        const uint32_t x = i * SCATTER_THREADS + t;
        if constexpr (TARGET::PAGED) {
            const uint32_t tear = i * SCATTER_THREADS < kept ? s_tear[bin[i]] : 0;
            if (tear != 0) /* 0: keys of an equality bin, which do not move */
                *target.located(s_home[2 * bin[i] + (x >= tear)] + x) = key[i];
        } else {
            PLACE place = target.limit;
            if (i * SCATTER_THREADS < kept)
                place = memory.delta[bin[i]] + x;
            if (place < target.limit)
                *target.at(bin[i], place) = (KEY)key[i];
        }
    }
    for (uint32_t b = t; b < bins; b += SCATTER_THREADS)
        memory.count[b] = 0;
    if (VIEW::WAITS && t == 0)
        *memory.waiting = 0;
    return false;
}

/* Scatter the keys of one tile of a slot. */
template <int ITEMS, typename PLACE, typename TARGET, typename VIEW_OF>
static __device__ __forceinline__ void
scatter_slot_tile(const gs_key *__restrict__ in, uint32_t size, const TARGET &target,
                  const VIEW_OF &view_of, uint32_t bins, struct tile_memory<PLACE> &memory,
                  uint32_t *begin, uint32_t room)
{
    using VIEW = decltype(view_of());
    const uint32_t tile_keys = ITEMS * SCATTER_THREADS;
    memory.pairs = VIEW::PAIRED ? bins / 2 : 0;
    memory.place_rows(begin, room, VIEW::PAIRED ? bins / 2 : bins, VIEW::WAITS);
    const bool try_rows = room > tile_keys && memory.row >= GS_ROW_LEAST;
    const struct gs_gpu_door none = {};
    if (size == tile_keys)
        scatter_tile<true, ITEMS>(in, size, target, view_of, bins, memory, try_rows, none);
    else
        scatter_tile<false, ITEMS>(in, size, target, view_of, bins, memory, try_rows, none);
}

#endif

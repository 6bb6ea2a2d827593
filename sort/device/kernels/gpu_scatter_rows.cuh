/* gpu_scatter_rows.cuh -- gather a tile's keys by bin in shared memory, a row each, and write rows.
 * SPDX-License-Identifier: MIT
 *
 * A row has room for more than twice its bin's share: a key goes straight to its row at its rank,
 * and a warp writes row after row. That touches shared memory a third less often than any way that
 * first finds out where each bin begins. Rows have odd lengths: bins fill up side by side, and
 * would otherwise all use the same banks. The two parts of a digit with a heavy value share a row,
 * one from each end, as one of them may have almost all of the digit's keys.
 */
#ifndef GS_GPU_SCATTER_ROWS_CUH
#define GS_GPU_SCATTER_ROWS_CUH

#include "sort/device/kernels/gpu_block.cuh"
#include "sort/device/kernels/gpu_targets.cuh"

enum {
    SCATTER_THREADS = GS_GPU_TILE_THREADS,
    WAITING = 256 /* most keys of a tile that may wait for lack of room in rows */
};

/* A key that did not fit into its row. */
struct waiting_key {
    gs_key key;
    uint32_t bin_rank;
};

/* Shared memory of one tile. PLACE holds positions in the output. */
template <typename PLACE> struct tile_memory {
    gs_key *keys; /* rows, or the tile ordered by bin */
    struct waiting_key *list;
    uint32_t *waiting; /* counts keys for the list; may exceed it; zero before a tile */
    uint32_t *count;   /* per bin: keys, then first index in the tile; zero before a tile */
    PLACE *delta;      /* per bin: position in the output less index in the tile, or nowhere */
    uint32_t row;      /* length of a row, odd */
    uint32_t pairs;    /* bins b and b + pairs share row b; 0: each has a row */

    /* Divide memory for `most` keys into `rows` rows and, if keys may wait, the list after them. */
    __device__ __forceinline__ void place_rows(uint32_t *begin, uint32_t most, uint32_t rows,
                                               bool waits)
    {
        static_assert(sizeof(struct waiting_key) == 2 * sizeof(gs_key), "in the place of two keys");
        const uint32_t room = waits ? most - 2 * WAITING : most;
        keys = (gs_key *)begin;
        list = (struct waiting_key *)(keys + room);
        row = (room / rows - 1) | 1;
    }

    /* The place of the key of rank `rank` in its bin's row. */
    template <bool PAIRED>
    __device__ __forceinline__ uint32_t row_place(uint32_t bin, uint32_t rank) const
    {
        if (PAIRED && bin >= pairs)
            return (bin - pairs + 1) * row - 1 - rank;
        return bin * row + rank;
    }
};

/* The runs of a warp's bins in pages, one per lane: indices in the pages' memory where a run begins
 * and where it goes on in a second page. */
template <typename INDEX> struct paged_runs {
    INDEX start;
    INDEX next;    /* begin of the second page */
    uint32_t left; /* room in the first page, in keys */
    bool torn;     /* the run goes on in the second page */
};

/* Find the pages of runs, both at once, by all lanes: `count` keys from `place` on; count may be 0.
 * Every lane publishes the page that it has taken before any lane waits for one. */
template <typename TARGET>
static __device__ __forceinline__ struct paged_runs<typename TARGET::INDEX>
find_pages(const TARGET &target, uint32_t bin, uint32_t place, uint32_t count,
           struct new_page fresh) {
    struct paged_runs<typename TARGET::INDEX> runs;
    const uint32_t offset = place % TARGET::PAGE_KEYS;
    runs.left = TARGET::PAGE_KEYS - offset;
    runs.torn = count > runs.left;
    const volatile uint32_t *entry = target.entry_of(bin, place);
    uint32_t number = 1;
    uint32_t next = 1;
    if (count > 0)
        number = entry[0];
    if (runs.torn)
        next = entry[1];
    target.publish(fresh);
    while (__any_sync(GS_ALL_LANES, number == 0 || next == 0)) {
        __nanosleep(32);
        if (number == 0)
            number = entry[0];
        if (next == 0)
            next = entry[1];
    }
    runs.start = TARGET::begin_of(number) + offset;
    runs.next = TARGET::begin_of(next);
    return runs;
}

/* Write, by a warp, the rows whose runs are in two pages: lane r holds the run of row r. */
template <typename TARGET>
static __device__ __forceinline__ void
write_torn(const TARGET &target, const struct paged_runs<typename TARGET::INDEX> &runs,
           uint32_t count, const gs_key *rows, uint32_t row_length)
{
    const uint32_t lane = lane_index();
    for (uint32_t torn = __ballot_sync(GS_ALL_LANES, runs.torn); torn != 0; torn &= torn - 1) {
        const int r = __ffs((int)torn) - 1;
        const uint32_t keys = __shfl_sync(GS_ALL_LANES, count, r);
        const uint32_t left = __shfl_sync(GS_ALL_LANES, runs.left, r);
        const gs_key *row = rows + (uint32_t)r * row_length;
        gs_key *begin = target.located(__shfl_sync(GS_ALL_LANES, runs.start, r));
        gs_key *end = target.located(__shfl_sync(GS_ALL_LANES, runs.next, r)) - left;
#pragma unroll 1
        for (uint32_t i = lane; i < keys; i += 32)
            (i < left ? begin : end)[i] = row[i];
    }
}

/* Write, by a warp, the other rows: lane r holds count and place of row r, which is at row_at(r).
 * SPARE: some of them go to spare memory. */
template <bool SPARE, typename TARGET, typename ROW_AT>
static __device__ __forceinline__ void write_whole(const TARGET &target,
                                                   typename TARGET::INDEX place, uint32_t count,
                                                   int rows, const ROW_AT &row_at)
{
    /* A row has so few keys of 16 bytes that half a warp is enough for it. */
    const int lanes = GS_BITS == 128 ? 16 : 32;
    const uint32_t lane = lane_index() % lanes;
    const int together = SPARE ? 1 : 4; /* spare memory is rarely used, and more code is slower */
    using KEY = typename TARGET::KEY;
    KEY *const begin = target.out + lane;
#pragma unroll(together)
    for (int first = 0; first < rows; first += 32 / lanes) {
        const int r = lanes == 32 ? first : min(first + (int)lane_index() / lanes, 31);
        const gs_key *const row = row_at(r) + lane;
        const int keys = (int)__shfl_sync(GS_ALL_LANES, count, r) - (int)lane; /* from here on */
        const typename TARGET::INDEX start = __shfl_sync(GS_ALL_LANES, place, r);
        KEY *out = begin + start;
        if constexpr (SPARE)
            out = target.located(start) + lane;
        const gs_key low = keys > 0 ? row[0] : 0;
        const gs_key high = keys > lanes ? row[lanes] : 0;
        if (keys > 0)
            out[0] = (KEY)low;
        if (keys > lanes)
            out[lanes] = (KEY)high;
#pragma unroll 1
        for (int i = 2 * lanes; i < keys; i += lanes)
            out[i] = (KEY)row[i];
    }
}

/* Write the rows of a tile, each warp those of consecutive bins, and clear the counters. */
template <bool PAIRED, typename TARGET, typename PLACE>
static __device__ __forceinline__ void write_rows(const struct tile_memory<PLACE> &memory,
                                                  const TARGET &target, uint32_t bins)
{
    static_assert(!PAIRED || !TARGET::PAGED, "rows of pages are one behind the other");
    const uint32_t lane = lane_index();
    const uint32_t share = (bins + SCATTER_THREADS / 32 - 1) / (SCATTER_THREADS / 32);
    const uint32_t first = threadIdx.x / 32 * share;
    for (uint32_t group = 0; group < share; group += 32) {
        const uint32_t bin = first + group + lane;
        const int rows = (int)min(share - group, 32U);
        uint32_t count = 0;
        PLACE place = 0;
        struct new_page fresh = {0, 0};
        if (group + lane < share && bin < bins) {
            count = memory.count[bin];
            memory.count[bin] = 0;
            if (count > 0) {
                if constexpr (TARGET::PAGED)
                    place = target.reserve(bin, count, &fresh);
                else
                    place = target.reserve(bin, count);
                memory.delta[bin] = place;
                count = place == target.limit ? 0 : min(count, memory.row);
            }
        }
        const gs_key *const rows_here = memory.keys + (first + group) * memory.row;
        const auto row_in_turn = [&](int r) { return rows_here + (uint32_t)r * memory.row; };
        if constexpr (TARGET::PAGED) {
            const auto runs = find_pages(target, bin, place, count, fresh);
            const uint32_t whole = runs.torn ? 0 : count;
            if (__any_sync(GS_ALL_LANES, target.is_spare(runs.start)))
                write_whole<true>(target, runs.start, whole, rows, row_in_turn);
            else
                write_whole<false>(target, runs.start, whole, rows, row_in_turn);
            write_torn(target, runs, count, rows_here, memory.row);
        } else if constexpr (PAIRED) {
            /* The second bin's run is at the row's end. */
            const uint32_t begin =
                memory.template row_place<true>(bin, bin >= memory.pairs ? count - 1 : 0);
            write_whole<false>(target, place, count, rows, [&](int r) {
                return memory.keys + __shfl_sync(GS_ALL_LANES, begin, r);
            });
        } else {
            write_whole<false>(target, place, count, rows, row_in_turn);
        }
    }
}

#endif

/* gpu_views.cuh -- how a key finds its bin: by splitters, a linear digit, a map, and heavy values.
 * SPDX-License-Identifier: MIT
 *
 * A view is what a block needs for that, as a rule in its shared memory. All have the same members,
 * so that count and scatter are written once: of() finds a key's bin; if STEPS, step() must follow,
 * which takes the halving steps of all keys of a thread together; WAITS: bins may be uneven, or not
 * be moved, so that keys of a tile may have to wait; DROPS: some keys have no bin.
 */
#ifndef GS_GPU_VIEWS_CUH
#define GS_GPU_VIEWS_CUH

#include "sort/gpu_block.cuh"
#include "sort/gpu_digit.cuh"

/* The cell of a key in a guide with steps. */
template <bool LOG>
static __device__ __forceinline__ uint32_t cell_of(uint32_t key, uint32_t base, uint32_t limit,
                                                   uint32_t shift)
{
    uint32_t distance = min(max(key, base) - base, limit);
    if (!LOG)
        return distance >> shift;
    uint32_t octave = 31U - (uint32_t)__clz((int)(distance | 1U << shift)) - shift;
    return (octave << shift) + (distance >> octave);
}

/* By splitters: the tables in shared memory. SEARCH is of enum gs_gpu_search; GS_GPU_STEPS stands
 * for both kinds of cells. */
template <int SEARCH> struct splitter_view {
    static const bool WAITS = SEARCH != GS_GPU_GUIDE;
    static const bool DROPS = false;
    static const bool STEPS = SEARCH == GS_GPU_STEPS;
    const uint32_t *guide;
    const uint32_t *splitter; /* for steps only; GS_KEY_MAX behind the last */
    uint32_t base, limit, shift, mask, steps, count;
    bool log;

    __device__ __forceinline__ uint32_t of(uint32_t key) const
    {
        if constexpr (SEARCH == GS_GPU_GUIDE)
            return look_up(key);
        else if constexpr (SEARCH == GS_GPU_GUIDE_PAIRS)
            return look_up_pair(key);
        else
            return guide[log ? cell_of<true>(key, base, limit, shift)
                             : cell_of<false>(key, base, limit, shift)];
    }

    template <int ITEMS>
    __device__ __forceinline__ void step(const uint32_t (&key)[ITEMS], uint32_t (&bin)[ITEMS]) const
    {
        /* It may overrun its cell: splitters behind that are above all keys of the cell. */
        for (uint32_t half = 1U << steps >> 1; half != 0; half >>= 1)
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                bin[i] += splitter[min(bin[i] + half - 1, count)] < key[i] ? half : 0;
    }

    __device__ __forceinline__ uint32_t look_up(uint32_t key) const
    {
        uint32_t distance = min(max(key, base) - base, limit);
        /* A key above the cell's splitter carries into the bin. */
        return (guide[distance >> shift] + (distance & mask)) >> shift;
    }

    __device__ __forceinline__ uint32_t look_up_pair(uint32_t key) const
    {
        uint32_t distance = min(max(key, base) - base, limit);
        uint32_t cell = guide[distance >> shift];
        uint32_t first = cell & ~GS_GPU_PAIR;
        uint32_t sum = first + (distance & mask);
        uint32_t bin = sum >> shift;
        /* The pair's second splitter is one more than its first. */
        if ((cell & GS_GPU_PAIR) != 0)
            bin += ((sum - 1) >> shift) - (first >> shift);
        return bin;
    }
};

/* Copy the tables that are needed to shared memory; a barrier must follow. */
template <int SEARCH>
static __device__ __forceinline__ struct splitter_view<SEARCH>
load_splitters(const struct gs_gpu_tables *tables, uint32_t *s_table) {
    struct splitter_view<SEARCH> view;
    const uint32_t view_cells = tables->cells;
    uint32_t *s_splitter = s_table + view_cells;
    view.guide = s_table;
    view.splitter = s_splitter;
    view.base = tables->base;
    view.limit = tables->limit;
    view.shift = tables->shift;
    view.mask = (1U << tables->shift) - 1;
    view.steps = tables->steps;
    view.count = tables->count;
    view.log = tables->search == GS_GPU_LOG_STEPS;
#pragma unroll 2
    for (uint32_t i = threadIdx.x; i < view_cells / 4; i += blockDim.x)
        ((uint4 *)s_table)[i] = ((const uint4 *)tables->guide)[i];
    if constexpr (SEARCH == GS_GPU_STEPS)
        for (uint32_t i = threadIdx.x; i <= tables->count; i += blockDim.x)
            s_splitter[i] = i < tables->count ? tables->splitter[i] : GS_KEY_MAX;
    return view;
}

/* By a slot's linear digit. A key outside of the slot's bounds, which only damaged memory has, gets
 * a digit all the same: it must not be counted or written where nothing is. */
struct digit_view {
    static const bool WAITS = false;
    static const bool DROPS = false;
    static const bool STEPS = false;
    struct gs_gpu_digit digit;
    uint32_t bins;

    __device__ __forceinline__ uint32_t of(uint32_t key) const
    {
        return min(digit_of(digit, key), bins - 1);
    }
};

/* By the digits of a slot's cells. */
struct map_view {
    static const bool WAITS = false;
    static const bool DROPS = false;
    static const bool STEPS = false;
    struct gs_gpu_digit cell;
    const uint16_t *map; /* in shared memory, but for few keys */

    __device__ __forceinline__ uint32_t of(uint32_t key) const
    {
        return map[min(digit_of(cell, key), GS_GPU_MAP_CELLS - 1U)];
    }
};

/* The map of a slot. */
static __device__ __forceinline__ const uint16_t *map_of(const struct gs_gpu_slot &slot,
                                                         const uint16_t *maps)
{
    return maps + (uint64_t)slot.map * GS_GPU_MAP_CELLS;
}

/* The view of a slot that has a map, which is brought into shared memory. */
static __device__ __forceinline__ struct map_view load_map(const struct gs_gpu_slot &slot,
                                                           const uint16_t *maps, uint16_t *s_map)
{
    const struct map_view view = {slot.digit, s_map};
    const uint4 *map = (const uint4 *)map_of(slot, maps);
    for (uint32_t i = threadIdx.x; i < GS_GPU_MAP_CELLS * sizeof *s_map / sizeof *map;
         i += blockDim.x)
        ((uint4 *)s_map)[i] = map[i];
    __syncthreads();
    return view;
}

/* By a slot's digit, of either kind, and, in that, by its heavy value: the parts of all digits one
 * after the other. The last part, keys of heavy values, need not be moved. */
template <typename DIGITS> struct heavy_view {
    static const bool WAITS = true;
    static const bool DROPS = true;
    static const bool STEPS = false;
    DIGITS digits;
    uint32_t bins;
    const uint32_t *heavy; /* in shared memory */

    __device__ __forceinline__ uint32_t of(uint32_t key) const
    {
        const uint32_t d = digits.of(key); /* any, of a key that does not exist */
        const uint32_t value = heavy[d];
        return d + (key > value ? bins : 0) + (key == value ? 2 * bins : 0);
    }
};

/* The view of a slot with heavy values, which are brought into shared memory. */
template <typename DIGITS>
static __device__ __forceinline__ heavy_view<DIGITS>
load_heavy(const struct gs_gpu_slot &slot, const DIGITS &digits, const uint32_t *heavy,
           uint32_t *s_heavy)
{
    const heavy_view<DIGITS> view = {digits, slot.bins, s_heavy};
    for (uint32_t d = threadIdx.x; d < slot.bins; d += blockDim.x)
        s_heavy[d] = heavy[slot.first_digit + d];
    __syncthreads();
    return view;
}

/* The bins of a thread's keys. */
template <typename VIEW, int ITEMS>
static __device__ __forceinline__ void classify(const VIEW &view, const uint32_t (&key)[ITEMS],
                                                uint32_t (&bin)[ITEMS])
{
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        bin[i] = view.of(key[i]);
    if constexpr (VIEW::STEPS)
        view.step(key, bin);
}

#endif

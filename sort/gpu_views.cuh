/* gpu_views.cuh -- how a key finds its bin: by splitters, a linear digit, a map, and heavy values.
 * SPDX-License-Identifier: MIT
 *
 * A view is what a block needs for that, as a rule in its shared memory. All have the same members,
 * so that count and scatter are written once: classify() finds the bins of a thread's keys; WAITS:
 * keys of a tile may wait, as bins may be uneven or not be moved; PAIRED: each digit has a bin in
 * the first half and one in the second, for keys on either side of its heavy value, whose own keys
 * have none, and both together have about as many keys as any others.
 */
#ifndef GS_GPU_VIEWS_CUH
#define GS_GPU_VIEWS_CUH

#include "sort/gpu_block.cuh"
#include "sort/gpu_digit.cuh"

#include <type_traits>

/* A tree of splitters, with `levels` of them full. The nodes of level d are next to each other,
 * from 2^d on, in the order of the path to them read backwards: bit k of a node's index in its
 * level says whether it is on the larger side of the one before it at level k. So a step down adds
 * a constant or does not, and a warp reads no bank twice in the first six levels, two or three
 * times in those below. (A search among sorted splitters would do so at each step.) */

/* The splitter that is a node, from 1 on. */
static __device__ __forceinline__ uint32_t splitter_of(uint32_t node, uint32_t levels)
{
    const uint32_t level = 31 - (uint32_t)__clz((int)node);
    const uint32_t path = level > 0 ? __brev(node - (1U << level)) >> (32 - level) : 0;
    return ((2 * path + 1) << (levels - 1 - level)) - 1;
}

/* The levels of the tree that tells `bins` apart; at least one. */
static __device__ __forceinline__ uint32_t tree_levels(uint32_t bins)
{
    return bit_length(max(bins - 1, 1U));
}

/* Down the tree, for all keys of a thread together. The index is in bytes: a load takes a register
 * and a constant, and a step three instructions. */
template <int ITEMS>
static __device__ __forceinline__ void descend(const uint32_t *tree, uint32_t levels,
                                               const uint32_t (&key)[ITEMS], uint32_t (&bin)[ITEMS])
{
    const uint32_t size = sizeof *tree;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        bin[i] = 0;
#pragma unroll
    for (uint32_t level = 0; level < GS_GPU_LEVELS_MAX; level++) {
        if (level >= levels)
            break;
        const char *nodes = (const char *)(tree + (1U << level));
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (*(const uint32_t *)(nodes + bin[i]) < key[i])
                bin[i] += size << level;
    }
    const uint32_t shift = 32 - levels;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        bin[i] = __brev(bin[i] / size) >> shift;
}

/* The cell of a key in a guide with steps, at some distance from the first splitter. */
template <bool LOG>
static __device__ __forceinline__ uint32_t cell_of(uint32_t distance, uint32_t shift)
{
    if (!LOG)
        return distance >> shift;
    const uint32_t octave = 31U - (uint32_t)__clz((int)(distance | 1U << shift)) - shift;
    return (octave << shift) + (distance >> octave);
}

/* By splitters: the tables in shared memory. SEARCH is of enum gs_gpu_search; GS_GPU_STEPS stands
 * for all that take more than one look-up, as more code of what calls this would cost the others
 * registers. */
template <int SEARCH> struct splitter_view {
    static const bool WAITS = SEARCH != GS_GPU_GUIDE;
    static const bool PAIRED = false;
    const uint32_t *guide;    /* padded; or tree, which is not */
    const uint32_t *splitter; /* for steps only; GS_KEY_MAX behind the last */
    uint32_t base, limit, shift, mask, steps, count, search;

    template <int ITEMS>
    __device__ __forceinline__ void classify(const uint32_t (&key)[ITEMS],
                                             uint32_t (&bin)[ITEMS]) const
    {
        if constexpr (SEARCH == GS_GPU_STEPS) {
            if (search == GS_GPU_TREE)
                descend(guide, steps, key, bin);
            else
                halve(key, bin);
        } else {
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                bin[i] = SEARCH == GS_GPU_GUIDE ? look_up(key[i]) : look_up_pair(key[i]);
        }
    }

    template <int ITEMS>
    __device__ __forceinline__ void halve(const uint32_t (&key)[ITEMS],
                                          uint32_t (&bin)[ITEMS]) const
    {
        const bool log = search == GS_GPU_LOG_STEPS;
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            bin[i] = entry(log ? cell_of<true>(distance(key[i]), shift)
                               : cell_of<false>(distance(key[i]), shift));
        /* It may overrun its cell: splitters behind that are above all keys of the cell. */
        for (uint32_t half = 1U << steps >> 1; half != 0; half >>= 1)
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                bin[i] += splitter[min(bin[i] + half - 1, count)] < key[i] ? half : 0;
    }

    /* Of the guide. Keys that follow a pattern, as of streams in turn or of a counter with its bits
     * reversed, ask for cells a power of two apart. */
    __device__ __forceinline__ uint32_t entry(uint32_t cell) const
    {
        return guide[gs_gpu_padded(cell)];
    }

    /* From the first splitter, but no farther than those behind the last. */
    __device__ __forceinline__ uint32_t distance(uint32_t key) const
    {
        return min(max(key, base) - base, limit);
    }

    __device__ __forceinline__ uint32_t look_up(uint32_t key) const
    {
        const uint32_t d = distance(key);
        /* A key above the cell's splitter carries into the bin. */
        return (entry(d >> shift) + (d & mask)) >> shift;
    }

    __device__ __forceinline__ uint32_t look_up_pair(uint32_t key) const
    {
        const uint32_t d = distance(key);
        uint32_t cell = entry(d >> shift);
        uint32_t first = cell & ~GS_GPU_PAIR;
        uint32_t sum = first + (d & mask);
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
    const uint32_t cells = tables->cells;
    uint32_t *s_splitter = s_table + gs_gpu_padded(cells);
    view.guide = s_table;
    view.splitter = s_splitter;
    view.base = tables->base;
    view.limit = tables->limit;
    view.shift = tables->shift;
    view.mask = (1U << tables->shift) - 1;
    view.steps = tables->steps;
    view.count = tables->count;
    view.search = tables->search;
    const bool tree = tables->search == GS_GPU_TREE;
#pragma unroll 2
    for (uint32_t i = threadIdx.x; i < cells / 4; i += blockDim.x) {
        const uint4 four = ((const uint4 *)tables->guide)[i];
        uint32_t *s_four = s_table + (tree ? 4 * i : gs_gpu_padded(4 * i));
        s_four[0] = four.x;
        s_four[1] = four.y;
        s_four[2] = four.z;
        s_four[3] = four.w;
    }
    if constexpr (SEARCH == GS_GPU_STEPS)
        for (uint32_t i = threadIdx.x; i <= tables->count; i += blockDim.x)
            s_splitter[i] = i < tables->count ? tables->splitter[i] : GS_KEY_MAX;
    return view;
}

/* By a slot's linear digit. A key outside of the slot's bounds, which only damaged memory has, gets
 * a digit all the same: it must not be counted or written where nothing is. */
struct digit_view {
    static const bool WAITS = false;
    static const bool PAIRED = false;
    struct gs_gpu_digit digit;
    uint32_t bins;

    __device__ __forceinline__ uint32_t of(uint32_t key) const
    {
        return min(digit_of(digit, key), bins - 1);
    }

    template <int ITEMS>
    __device__ __forceinline__ void classify(const uint32_t (&key)[ITEMS],
                                             uint32_t (&bin)[ITEMS]) const
    {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            bin[i] = of(key[i]);
    }
};

/* By a slot's map. */
template <bool DIVIDED> struct map_view {
    static const bool WAITS = false;
    static const bool PAIRED = false;
    struct gs_gpu_digit cell;
    const uint16_t *entry; /* in shared memory, but for few keys */

    /* The cell of a key, or of those of a divided map its entry's part. */
    __device__ __forceinline__ uint32_t place_of(uint32_t key) const
    {
        if constexpr (!DIVIDED)
            return min(digit_of(cell, key), GS_GPU_MAP_CELLS - 1U);
        const uint64_t wide = digit_wide(cell, key);
        const uint32_t parts = entry[min((uint32_t)(wide >> 32), GS_GPU_MAP_DIVIDED - 1U)];
        return GS_GPU_MAP_DIVIDED + (parts >> 4) * 2 + ((uint32_t)wide >> (32 - (parts & 15)));
    }

    template <int ITEMS>
    __device__ __forceinline__ void classify(const uint32_t (&key)[ITEMS],
                                             uint32_t (&bin)[ITEMS]) const
    {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            bin[i] = entry[place_of(key[i])];
    }

    /* The least key of a slot with digit d > 0 or a larger one, `low` being its least of all; or
     * 2^32 or more. WARP: all lanes look for the same. */
    template <bool WARP>
    __device__ __forceinline__ uint64_t least_key(uint32_t low, uint32_t d) const
    {
        if constexpr (!DIVIDED) {
            const uint32_t first =
                first_place<WARP>(0, GS_GPU_MAP_CELLS, [&](uint32_t i) { return entry[i] >= d; });
            return first > 0 ? ::least_key(cell, low, first) : low;
        }
        /* The part, and the last cell with no part behind it. */
        const uint32_t part =
            first_place<WARP>(0, GS_GPU_MAP_CELLS - GS_GPU_MAP_DIVIDED,
                              [&](uint32_t i) { return entry[GS_GPU_MAP_DIVIDED + i] >= d; });
        const uint32_t its =
            first_place<WARP>(1, GS_GPU_MAP_DIVIDED,
                              [&](uint32_t i) { return (entry[i] >> 4) * 2U > part; }) -
            1;
        const uint32_t bits = entry[its] & 15;
        const uint64_t within = min(part - (entry[its] >> 4) * 2U, 1U << bits);
        const uint64_t wide = ((uint64_t)its << 32) + (within << (32 - bits));
        return wide > 0 ? least_key_wide(cell, low, wide) : low;
    }

    /* The first place from `begin` on, before `end`, that is so, as all behind it are; or `end`. */
    template <bool WARP, typename IS_SO>
    static __device__ __forceinline__ uint32_t first_place(uint32_t begin, uint32_t end,
                                                           const IS_SO &is_so)
    {
        while (begin < end) {
            const uint32_t step = WARP ? (end - begin + 31) / 32 : (end - begin) / 2;
            if constexpr (WARP) {
                const uint32_t probe = begin + lane_index() * step;
                const bool not_yet = probe < end && !is_so(probe);
                const uint32_t before = (uint32_t)__popc(__ballot_sync(GS_ALL_LANES, not_yet));
                if (before == 0)
                    return begin;
                end = min(end, begin + before * step);
                begin += (before - 1) * step + 1;
            } else if (is_so(begin + step)) {
                end = begin + step;
            } else {
                begin += step + 1;
            }
        }
        return begin;
    }
};

/* The least key that digit d of a slot may have; of the digit behind the last one, that behind all.
 * DIGITS: enum gs_gpu_digits. entry: of the slot's map, if it has one. WARP: as above. */
template <int DIGITS, bool WARP>
static __device__ __forceinline__ uint64_t digit_begin(const struct gs_gpu_slot &slot,
                                                       const uint16_t *entry, uint32_t d)
{
    if (d == 0)
        return slot.low;
    if (d == slot.bins)
        return (uint64_t)slot.high + 1;
    if constexpr (DIGITS == GS_GPU_LINEAR)
        return least_key(slot.digit, slot.low, d);
    else
        return map_view<DIGITS == GS_GPU_DIVIDED>{slot.digit, entry}.template least_key<WARP>(
            slot.low, d);
}

/* Words of shared memory for a slot's map, if digits are such. */
template <int DIGITS> static constexpr __host__ __device__ uint32_t map_words()
{
    return DIGITS != GS_GPU_LINEAR ? sizeof(struct gs_gpu_map) / sizeof(uint32_t) : 0;
}

/* The view of a slot that has a map, which is brought into shared memory. */
template <bool DIVIDED>
static __device__ __forceinline__ struct map_view<DIVIDED>
load_map(const struct gs_gpu_slot &slot, const struct gs_gpu_map *maps, struct gs_gpu_map *s_map) {
    const struct map_view<DIVIDED> view = {
        slot.digit, s_map->entry
    };
    const uint4 *map = (const uint4 *)&maps[slot.map];
    for (uint32_t i = threadIdx.x; i < sizeof *s_map / sizeof *map; i += blockDim.x)
        ((uint4 *)s_map)[i] = map[i];
    __syncthreads();
    return view;
}

/* Launch what is compiled for each kind of digits: call has the kind as a constant. */
template <typename CALL>
static cudaError_t with_digits(enum gs_gpu_digits digits, const CALL &call)
{
    switch (digits) {
    case GS_GPU_LINEAR:
        return call(std::integral_constant<int, GS_GPU_LINEAR>());
    case GS_GPU_MAPPED:
        return call(std::integral_constant<int, GS_GPU_MAPPED>());
    default:
        return call(std::integral_constant<int, GS_GPU_DIVIDED>());
    }
}

/* By a slot's digit, of either kind, and, in that, by its heavy value: the parts of all digits one
 * after the other. The last part, keys of heavy values, need not be moved. */
template <typename DIGITS> struct heavy_view {
    static const bool WAITS = false;
    static const bool PAIRED = true;
    DIGITS digits;
    uint32_t bins;
    const uint32_t *heavy; /* in shared memory */

    template <int ITEMS>
    __device__ __forceinline__ void classify(const uint32_t (&key)[ITEMS],
                                             uint32_t (&bin)[ITEMS]) const
    {
        digits.classify(key, bin);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            /* Any digit, of a key that does not exist. */
            const uint32_t value = heavy[bin[i]];
            bin[i] += (key[i] > value ? bins : 0) + (key[i] == value ? 2 * bins : 0);
        }
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

#endif

/* gpu_views.cuh -- how a key finds its bin: by splitters, a linear digit, a map, and heavy values.
 * SPDX-License-Identifier: MIT
 *
 * A view is what a block needs to find bins, usually in its shared memory. All views have the same
 * members, so that count and scatter are written once. classify() finds the bins of a thread's
 * keys. WAITS: keys of a tile may have to wait, because bins may be uneven, or exempt from moving.
 * PAIRED: each digit has one bin in the first half and one in the second, for keys below and above
 * its heavy value; both together have about as many keys as any other pair, and the heavy value's
 * own keys have no bin.
 */
#ifndef GS_GPU_VIEWS_CUH
#define GS_GPU_VIEWS_CUH

#include "sort/device/kernels/gpu_block.cuh"
#include "sort/device/kernels/gpu_digit.cuh"

#include <type_traits>

/* A tile has so few wider keys that rows are short, and now and then one overflows. */
static const bool ROWS_WAIT = GS_BITS > 32;

/* A tree of splitters, with `levels` full levels. The nodes of level d lie next to each other, from
 * 2^d on, ordered by the reversed path to them: bit k of a node's index in its level tells whether
 * the path turns to the larger side at level k. So a step down adds a constant or nothing. A warp
 * has no bank conflicts in the first six levels, and at most two- or three-way ones below. (A
 * search among sorted splitters would have them at each step.) */

/* The splitter at a node; nodes count from 1. */
static __device__ __forceinline__ uint32_t splitter_of(uint32_t node, uint32_t levels)
{
    const uint32_t level = 31 - (uint32_t)__clz((int)node);
    const uint32_t path = level > 0 ? __brev(node - (1U << level)) >> (32 - level) : 0;
    return ((2 * path + 1) << (levels - 1 - level)) - 1;
}

/* Levels of the tree that tells `bins` bins apart; at least one. */
static __device__ __forceinline__ uint32_t tree_levels(uint32_t bins)
{
    return bit_length(max(bins - 1, 1U));
}

/* Go down the tree with all keys of a thread together. The index counts bytes: a load then takes
 * just a register and a constant offset, and a step three instructions. Many wider keys go in two
 * parts, as there are not registers for all their nodes. */
template <int ITEMS>
static __device__ __forceinline__ void descend(const gs_key *tree, uint32_t levels,
                                               const gs_key (&key)[ITEMS], uint32_t (&bin)[ITEMS])
{
    const uint32_t size = sizeof *tree;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        bin[i] = 0;
    const int part = GS_BITS > 32 && ITEMS > 8 ? ITEMS / 2 : ITEMS;
#pragma unroll
    for (int first = 0; first < ITEMS; first += part)
#pragma unroll
        for (uint32_t level = 0; level < GS_GPU_LEVELS_MAX; level++) {
            if (level >= levels)
                break;
            const char *nodes = (const char *)(tree + (1U << level));
#pragma unroll
            for (int i = first; i < first + part; i++)
                if (*(const gs_key *)(nodes + bin[i]) < key[i])
                    bin[i] += size << level;
        }
    const uint32_t shift = 32 - levels;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        bin[i] = __brev(bin[i] / size) >> shift;
}

/* The cell of a key at that distance from the first splitter, in a guide with halving steps. */
template <bool LOG>
static __device__ __forceinline__ uint32_t cell_of(uint32_t distance, uint32_t shift)
{
    if (!LOG)
        return distance >> shift;
    const uint32_t octave = 31U - (uint32_t)__clz((int)(distance | 1U << shift)) - shift;
    return (octave << shift) + (distance >> octave);
}

/* By splitters, with the tables in shared memory. SEARCH is an enum gs_gpu_search; GS_GPU_STEPS
 * stands for all that take more than one look-up, chosen at run time. They have a view of their
 * own, as their code would cost the callers registers where one look-up is enough. */
template <int SEARCH> struct splitter_view {
    static const bool WAITS = ROWS_WAIT || SEARCH != GS_GPU_GUIDE;
    static const bool PAIRED = false;
    const uint32_t *guide;    /* padded; or the tree, not padded */
    const uint32_t *splitter; /* for steps only; UINT32_MAX after the last */
    uint32_t base, limit, shift, mask, steps, count, search;
#if GS_BITS > 32
    struct gs_gpu_scale scale;
#endif

    template <int ITEMS>
    __device__ __forceinline__ void classify(const gs_key (&key)[ITEMS],
                                             uint32_t (&bin)[ITEMS]) const
    {
#if GS_BITS == 32
        classify_proxies(key, bin);
#else
        if constexpr (SEARCH == GS_GPU_STEPS) {
            descend((const gs_key *)guide, steps, key, bin);
        } else {
            uint32_t proxy[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                proxy[i] = gs_gpu_proxy(scale, key[i]);
            classify_proxies(proxy, bin);
        }
#endif
    }

    template <int ITEMS>
    __device__ __forceinline__ void classify_proxies(const uint32_t (&key)[ITEMS],
                                                     uint32_t (&bin)[ITEMS]) const
    {
        if constexpr (SEARCH == GS_GPU_STEPS) {
#if GS_BITS == 32
            if (search == GS_GPU_TREE)
                descend(guide, steps, key, bin);
            else
                halve(key, bin);
#endif
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
        /* The search may overrun its cell: the splitters after that are above all keys of the
         * cell. */
        for (uint32_t half = 1U << steps >> 1; half != 0; half >>= 1)
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                bin[i] += splitter[min(bin[i] + half - 1, count)] < key[i] ? half : 0;
    }

    /* An entry of the guide. Padded, as keys that follow a pattern, such as interleaved streams or
     * a bit-reversed counter, ask for cells a power of two apart. */
    __device__ __forceinline__ uint32_t entry(uint32_t cell) const
    {
        return guide[gs_gpu_padded(cell)];
    }

    /* From the first splitter; all keys above the last splitter have the same distance. */
    __device__ __forceinline__ uint32_t distance(uint32_t key) const
    {
        return min(max(key, base) - base, limit);
    }

    __device__ __forceinline__ uint32_t look_up(uint32_t key) const
    {
        const uint32_t d = distance(key);
        /* A key above the cell's splitter carries into the bin number. */
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

/* Copy the needed tables to shared memory; a barrier must follow. */
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
    if constexpr (GS_BITS == 32 && SEARCH == GS_GPU_STEPS)
        for (uint32_t i = threadIdx.x; i <= tables->count; i += blockDim.x)
            s_splitter[i] = i < tables->count ? tables->splitter[i] : UINT32_MAX;
#if GS_BITS > 32
    view.scale = tables->scale;
#endif
    return view;
}

/* By a slot's linear digit. Even a key outside the slot's bounds, which only corrupted memory can
 * hold, gets a valid digit, so that nothing is counted or written out of bounds. */
struct digit_view {
    static const bool WAITS = ROWS_WAIT;
    static const bool PAIRED = false;
    struct gs_gpu_digit digit;
    uint32_t bins;

    __device__ __forceinline__ uint32_t of(gs_key key) const
    {
        return min(digit_of(digit, key), bins - 1);
    }

    template <int ITEMS>
    __device__ __forceinline__ void classify(const gs_key (&key)[ITEMS],
                                             uint32_t (&bin)[ITEMS]) const
    {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            bin[i] = of(key[i]);
    }
};

#if GS_BITS > 32
/* By a slot's splitters: a tree of them, as above. */
struct tree_view {
    static const bool WAITS = true;
    static const bool PAIRED = false;
    const gs_key *tree; /* in shared memory */
    uint32_t levels;

    template <int ITEMS>
    __device__ __forceinline__ void classify(const gs_key (&key)[ITEMS],
                                             uint32_t (&bin)[ITEMS]) const
    {
        descend(tree, levels, key, bin);
    }
};

/* Build the tree of a slot's splitters in shared memory; returns its view. */
static __device__ __forceinline__ struct tree_view
load_tree(const struct gs_gpu_slot &slot, const gs_key *splitters, gs_key *s_tree)
{
    const struct tree_view view = {s_tree, tree_levels(slot.bins)};
    const uint32_t count = slot.bins - 1;
    for (uint32_t node = threadIdx.x; node < 1U << view.levels; node += blockDim.x) {
        const uint32_t i = node > 0 ? splitter_of(node, view.levels) : count;
        s_tree[node] = i < count ? splitters[slot.first_digit + i] : GS_KEY_MAX;
    }
    __syncthreads();
    return view;
}
#endif

/* Make a call that is compiled for each kind of digits; it gets the kind as a constant. */
template <typename CALL> static cudaError_t with_digits(enum gs_gpu_digits digits, const CALL &call)
{
#if GS_BITS == 32
    switch (digits) {
    case GS_GPU_LINEAR:
        return call(std::integral_constant<int, GS_GPU_LINEAR>());
    case GS_GPU_MAPPED:
        return call(std::integral_constant<int, GS_GPU_MAPPED>());
    default:
        return call(std::integral_constant<int, GS_GPU_DIVIDED>());
    }
#else
    if (digits == GS_GPU_LINEAR)
        return call(std::integral_constant<int, GS_GPU_LINEAR>());
    return call(std::integral_constant<int, GS_GPU_SPLIT>());
#endif
}

#if GS_BITS == 32
#include "sort/device/kernels/gpu_map_views.cuh"
#endif

#endif

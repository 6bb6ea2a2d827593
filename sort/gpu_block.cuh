/* gpu_block.cuh -- what threads of one block do together: scans, and how a key finds its bin.
 * SPDX-License-Identifier: MIT
 *
 * A scan keeps its partial sums in registers and shuffles; shared memory sees one word a warp, so
 * there is no bank to fight over.
 */
#ifndef GS_GPU_BLOCK_CUH
#define GS_GPU_BLOCK_CUH

#include "sort/gpu_sort.h"

#define GS_ALL_LANES 0xffffffffU

/* Threads that one processor of the architecture compiled for holds at once: launch bounds may not
 * ask for more. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
#define GS_RESIDENT_THREADS 1024
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900
#define GS_RESIDENT_THREADS 1536
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1100
#define GS_RESIDENT_THREADS 1536
#else
#define GS_RESIDENT_THREADS 2048
#endif

/* So many blocks of THREADS threads, or as many as there is room for. */
#define GS_RESIDENT_BLOCKS(blocks, threads)                                                        \
    ((blocks) * (threads) <= GS_RESIDENT_THREADS ? (blocks) : GS_RESIDENT_THREADS / (threads))

static __device__ __forceinline__ uint32_t lane_index()
{
    return threadIdx.x & 31;
}

/* Inclusive sum over the lanes of a warp. */
template <typename N> static __device__ __forceinline__ N scan_warp(N value)
{
#pragma unroll
    for (int step = 1; step < 32; step <<= 1) {
        N below = __shfl_up_sync(GS_ALL_LANES, value, step);
        value += lane_index() >= step ? below : 0;
    }
    return value;
}

/* Exclusive sum over the THREADS of a block; *total is the sum of all. `partial` is shared memory
 * for 33 numbers; may be reused after the next barrier. */
template <int THREADS, typename N>
static __device__ __forceinline__ N scan_block(N value, N *partial, N *total)
{
    const int warps = THREADS / 32;
    N inclusive = scan_warp(value);
    if (lane_index() == 31)
        partial[threadIdx.x / 32] = inclusive;
    __syncthreads();
    if (threadIdx.x < 32) {
        N sum = threadIdx.x < warps ? partial[threadIdx.x] : 0;
        N scanned = scan_warp(sum);
        if (threadIdx.x < warps)
            partial[threadIdx.x] = scanned - sum;
        if (threadIdx.x == 31)
            partial[32] = scanned;
    }
    __syncthreads();
    *total = partial[32];
    return partial[threadIdx.x / 32] + inclusive - value;
}

static __device__ __forceinline__ uint32_t reduce_min_warp(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(GS_ALL_LANES, value);
#else
    for (int step = 16; step > 0; step >>= 1)
        value = min(value, __shfl_xor_sync(GS_ALL_LANES, value, step));
    return value;
#endif
}

static __device__ __forceinline__ uint32_t reduce_max_warp(uint32_t value)
{
    return ~reduce_min_warp(~value);
}

static __device__ __forceinline__ uint32_t reduce_or_warp(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(GS_ALL_LANES, value);
#else
    for (int step = 16; step > 0; step >>= 1)
        value |= __shfl_xor_sync(GS_ALL_LANES, value, step);
    return value;
#endif
}

/* Write a run of equal keys by a block, 16 bytes a thread. */
static __device__ __forceinline__ void write_run(uint32_t *out, uint32_t size, uint32_t value)
{
    const uint32_t head = min((uint32_t)(-(uintptr_t)out / sizeof value % 4), size);
    const uint32_t rows = (size - head) / 4;
    uint4 *row = (uint4 *)(out + head);
    if (threadIdx.x < head)
        out[threadIdx.x] = value;
    for (uint32_t i = threadIdx.x; i < rows; i += blockDim.x)
        row[i] = make_uint4(value, value, value, value);
    for (uint32_t i = head + 4 * rows + threadIdx.x; i < size; i += blockDim.x)
        out[i] = value;
}

/* Lanes of a warp that must agree on a bin to make one lane add for all. */
#define GS_CROWD 12

static __device__ __forceinline__ bool is_crowd(uint32_t bin)
{
    uint32_t agree = __ballot_sync(GS_ALL_LANES, bin == __shfl_sync(GS_ALL_LANES, bin, 0));
    return __popc(agree) >= GS_CROWD;
}

/* In a warp where many lanes share the first lane's bin: rank those by lane, the first lane adds
 * for them. All lanes add, without a branch: who need not to one of s_none, 32 words. A key that
 * does not exist (valid is false) has none before it in its warp that is not there either, or is
 * not to be counted whatever its bin. */
static __device__ __forceinline__ uint32_t rank_crowd(uint32_t *s_count, uint32_t bin, bool valid,
                                                      uint32_t *s_none)
{
    const uint32_t lane = lane_index();
    const uint32_t crowd_bin = __shfl_sync(GS_ALL_LANES, bin, 0);
    const bool member = valid && bin == crowd_bin;
    const uint32_t crowd = __ballot_sync(GS_ALL_LANES, member);
    const bool adds = valid && (lane == 0 || !member);
    const uint32_t first =
        atomicAdd(adds ? &s_count[bin] : &s_none[lane], lane == 0 ? (uint32_t)__popc(crowd) : 1);
    const uint32_t shared = __shfl_sync(GS_ALL_LANES, first, 0);
    return member ? shared + (uint32_t)__popc(crowd & ((1U << lane) - 1)) : first;
}

/* The digit that spreads [low, high] over `bins`. The factor may be a little too small, never too
 * large: no digit reaches bins. */
static __device__ __forceinline__ struct gs_gpu_digit make_digit(uint32_t low, uint32_t high,
                                                                 uint32_t bins)
{
    struct gs_gpu_digit digit;
    uint32_t range = high - low;
    uint32_t stretch = range == 0 ? 31 : (uint32_t)__clz((int)range);
    digit.scale = 1U << stretch;
    digit.offset = 0U - (low << stretch);
    if (range < bins) { /* each key its own: d = key - low */
        digit.factor = 1U << (32 - stretch);
    } else {
        float wide = __uint2float_ru(range << stretch) + (float)digit.scale;
        float factor = __fdividef((float)bins * 4294967296.0F, wide) * (1 - 0x1p-20F);
        digit.factor = __float2uint_rd(factor);
    }
    return digit;
}

/* True if no two values share a digit: it is the value less the least. */
static __device__ __forceinline__ bool digit_is_exact(struct gs_gpu_digit digit)
{
    return (uint64_t)digit.factor * digit.scale >= 1ULL << 32;
}

static __device__ __forceinline__ uint32_t digit_of(struct gs_gpu_digit digit, uint32_t key)
{
    return __umulhi(key * digit.scale + digit.offset, digit.factor);
}

/* The digit of a key, and in the lower half how far into the digit it is. */
static __device__ __forceinline__ uint64_t digit_wide(struct gs_gpu_digit digit, uint32_t key)
{
    return (uint64_t)(key * digit.scale + digit.offset) * digit.factor;
}

/* The least key of a slot with digit d or a larger one, or 2^32 or more if there is none. d > 0: a
 * single digit has no factor. */
static __device__ __forceinline__ uint64_t least_key(struct gs_gpu_digit digit, uint32_t low,
                                                     uint32_t d)
{
    const uint64_t stretched = (((uint64_t)d << 32) + digit.factor - 1) / digit.factor;
    return low + (stretched + digit.scale - 1) / digit.scale;
}

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
    static const bool WAITS = SEARCH != GS_GPU_GUIDE; /* bins may be uneven, or not be moved */
    static const bool DROPS = false;                  /* some keys have no bin */
    const uint32_t *guide;
    const uint32_t *splitter; /* for steps only; GS_KEY_MAX behind the last */
    uint32_t base, limit, shift, mask, steps, count;
    bool log;

    template <int ITEMS>
    __device__ __forceinline__ void classify(const uint32_t (&key)[ITEMS],
                                             uint32_t (&bin)[ITEMS]) const
    {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if constexpr (SEARCH == GS_GPU_GUIDE)
                bin[i] = look_up(key[i]);
            else if constexpr (SEARCH == GS_GPU_GUIDE_PAIRS)
                bin[i] = look_up_pair(key[i]);
            else
                bin[i] = guide[log ? cell_of<true>(key[i], base, limit, shift)
                                   : cell_of<false>(key[i], base, limit, shift)];
        if constexpr (SEARCH == GS_GPU_STEPS) {
            /* It may overrun its cell: splitters behind that are above all keys of the cell. */
            for (uint32_t half = 1U << steps >> 1; half != 0; half >>= 1)
#pragma unroll
                for (int i = 0; i < ITEMS; i++)
                    bin[i] += splitter[min(bin[i] + half - 1, count)] < key[i] ? half : 0;
        }
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

/* By the digits of a slot's cells. */
struct map_view {
    static const bool WAITS = false;
    static const bool DROPS = false;
    struct gs_gpu_digit cell;
    const uint16_t *map; /* in shared memory, but for few keys */

    __device__ __forceinline__ uint32_t of(uint32_t key) const
    {
        return map[min(digit_of(cell, key), GS_GPU_MAP_CELLS - 1U)];
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
    DIGITS digits;
    uint32_t bins;
    const uint32_t *heavy; /* in shared memory */

    template <int ITEMS>
    __device__ __forceinline__ void classify(const uint32_t (&key)[ITEMS],
                                             uint32_t (&bin)[ITEMS]) const
    {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            /* A key that does not exist may have any digit. */
            uint32_t d = digits.of(key[i]);
            uint32_t value = heavy[d];
            bin[i] = d + (key[i] > value ? bins : 0) + (key[i] == value ? 2 * bins : 0);
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

/* Processors of a large GPU: a job's keys are sent for when the one that its block follows begins.
 */
#define GS_AHEAD_WAVE 128

/* Have keys brought into the L2 cache. By one thread; count is a multiple of 4. */
static __device__ __forceinline__ void prefetch_keys(const uint32_t *keys, uint32_t count)
{
#if __CUDA_ARCH__ >= 900
    const uint64_t address = __cvta_generic_to_global(keys) & ~(uint64_t)15;
    const uint32_t bytes = count * (uint32_t)sizeof *keys;
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(address), "r"(bytes));
#else
    (void)keys;
    (void)count;
#endif
}

/* The slot that a tile belongs to, found by all lanes of one warp: 32 probes a step. */
static __device__ __forceinline__ uint32_t find_slot(const struct gs_gpu_slot *slots,
                                                     uint32_t count, uint32_t tile)
{
    uint32_t low = 0;
    while (count > 1) {
        uint32_t step = (count + 31) / 32;
        uint32_t probe = lane_index() * step;
        bool below = probe < count && slots[low + probe].first_tile <= tile;
        uint32_t last = 31 - (uint32_t)__clz((int)__ballot_sync(GS_ALL_LANES, below));
        low += last * step;
        count = min(step, count - last * step);
    }
    return low;
}

/* A page of a buffer, by its number. */
static __device__ __forceinline__ const uint32_t *page_at(const struct gs_gpu_pages &pages,
                                                          const uint32_t *buffer, uint32_t number)
{
    const uint64_t before = number - 1;
    return before < pages.whole ? buffer + before * GS_GPU_PAGE_KEYS
                                : pages.spare + (before - pages.whole) * GS_GPU_PAGE_KEYS;
}

/* Tile k of a slot. */
static __device__ __forceinline__ const uint32_t *tile_at(const struct gs_gpu_pages &pages,
                                                          const uint32_t *buffer,
                                                          const struct gs_gpu_slot &slot,
                                                          uint32_t k)
{
    if (slot.paged)
        return page_at(pages, buffer, pages.page[slot.from + k / GS_GPU_PAGE_TILES]) +
               k % GS_GPU_PAGE_TILES * GS_GPU_TILE_KEYS;
    return buffer + slot.from + (int64_t)k * GS_GPU_TILE_KEYS;
}

/* Bring a tile's slot into shared memory. */
static __device__ __forceinline__ void load_slot(struct gs_gpu_slot *s_slot,
                                                 const struct gs_gpu_slot *slots, uint32_t count,
                                                 uint32_t tile)
{
    if (threadIdx.x < 32) {
        uint32_t index = find_slot(slots, count, tile);
        if (threadIdx.x == 0)
            *s_slot = slots[index];
    }
    __syncthreads();
}

#endif

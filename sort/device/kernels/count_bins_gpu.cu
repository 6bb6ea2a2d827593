/* count_bins_gpu.cu -- how many keys fall into each bin (GPU twin of count_bins.c).
 * SPDX-License-Identifier: MIT
 *
 * Each block counts in shared memory and adds its counters to the global ones at its end. An atomic
 * increment whose result is unused is one instruction that counts all lanes with the same address
 * at once (ATOMS.POPC.INC), so repeated keys cost nothing extra.
 *
 * If the sample was in order, ascending or descending, all keys are compared with their neighbours
 * in the same pass, until one pair of each kind has been seen.
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/kernels/gpu_views.cuh"

enum {
    COUNT_ITEMS = GS_BITS == 128 ? 4 : 8,
    COUNT_BLOCKS = GS_BITS == 32 ? 4 : 2,
    DIGIT_ITEMS = GS_GPU_TILE_KEYS / GS_GPU_TILE_THREADS,
    DIGIT_BLOCKS = GS_BITS == 32 ? 4 : 3
};

/* Compare this thread's keys with their successors: GS_GPU_DESCENT, GS_GPU_ASCENT, both or 0. */
static __device__ uint32_t compare_neighbours(const gs_key *keys, uint64_t n, uint64_t first,
                                              const gs_key (&key)[COUNT_ITEMS],
                                              const struct gs_gpu_door &door)
{
    uint32_t order = 0;
#pragma unroll
    for (int i = 0; i < COUNT_ITEMS; i++) {
        uint64_t next = first + i * GS_GPU_TILE_THREADS + 1;
        if (next < n) {
            gs_key successor = come_in(door, keys[next]);
            order |= key[i] > successor ? GS_GPU_DESCENT : 0;
            order |= key[i] < successor ? GS_GPU_ASCENT : 0;
        }
    }
    return order;
}

/* The least and the largest key that each thread of a block has seen, in shared memory, as only
 * keys that the sample did not expect change them. */
struct seen_bounds {
    gs_key low[GS_GPU_TILE_THREADS];
    gs_key high[GS_GPU_TILE_THREADS];
};

/* Each block strides over the input. s_table: `words` words of table, then a counter per bin. */
template <int SEARCH>
static __device__ __forceinline__ void count_tiles(const gs_key *__restrict__ keys, uint64_t n,
                                                   const struct gs_gpu_tables *__restrict__ tables,
                                                   uint32_t words, struct gs_gpu_state *state,
                                                   uint32_t *s_table, struct seen_bounds *s_seen,
                                                   const struct gs_gpu_door &door)
{
    (void)s_seen;
    uint32_t *s_count = s_table + words;
    const uint32_t t = threadIdx.x;
    const uint32_t stride = GS_GPU_TILE_THREADS * COUNT_ITEMS;
    struct splitter_view<SEARCH> splitters = load_splitters<SEARCH>(tables, s_table);
    const uint32_t bins = tables->count + 1;
    for (uint32_t i = t; i < bins; i += GS_GPU_TILE_THREADS)
        s_count[i] = 0;
    __syncthreads();
    const uint32_t both = GS_GPU_DESCENT | GS_GPU_ASCENT;
    uint32_t order = state->sample_order;
#if GS_BITS > 32
    s_seen->low[t] = splitters.scale.base;
    s_seen->high[t] = splitters.scale.top;
    /* Proxies in between: 1 to this many. */
    const uint32_t inner = max(gs_gpu_proxy(splitters.scale, splitters.scale.top), 1U) - 1;
#endif
    for (uint64_t tile = blockIdx.x * (uint64_t)stride; tile < n;
         tile += gridDim.x * (uint64_t)stride) {
        uint32_t size = (uint32_t)min(n - tile, (uint64_t)stride);
        gs_key key[COUNT_ITEMS];
        uint32_t bin[COUNT_ITEMS];
#pragma unroll
        for (int i = 0; i < COUNT_ITEMS; i++) {
            uint32_t x = i * GS_GPU_TILE_THREADS + t;
            key[i] = x < size ? keys[tile + x] : 0;
        }
        come_in(door, key);
        if (order != both) {
            order |= *(volatile uint32_t *)&state->input_order;
            if (order != both && t < size) {
                /* Keys past the end do not count: none is compared, as its successor is past it. */
                order |= compare_neighbours(keys, n, tile + t, key, door);
                if (order != 0 && order != *(volatile uint32_t *)&state->input_order)
                    atomicOr(&state->input_order, order);
            }
        }
#if GS_BITS == 32
        splitters.classify(key, bin);
#else
        uint32_t proxy[COUNT_ITEMS];
        bool outside = false; /* or in a cell at either end of the scale, as few keys are */
#pragma unroll
        for (int i = 0; i < COUNT_ITEMS; i++) {
            proxy[i] = gs_gpu_proxy(splitters.scale, key[i]);
            outside = outside || proxy[i] - 1 >= inner;
        }
        if constexpr (SEARCH == GS_GPU_STEPS)
            splitters.classify(key, bin);
        else
            splitters.classify_proxies(proxy, bin);
#endif
#pragma unroll
        for (int i = 0; i < COUNT_ITEMS; i++)
            if (i * GS_GPU_TILE_THREADS + t < size)
                atomicAdd(&s_count[bin[i]], 1);
#if GS_BITS > 32
        if (outside) {
#pragma unroll
            for (int i = 0; i < COUNT_ITEMS; i++)
                if (i * GS_GPU_TILE_THREADS + t < size) {
                    s_seen->low[t] = min(s_seen->low[t], key[i]);
                    s_seen->high[t] = max(s_seen->high[t], key[i]);
                }
        }
#endif
    }
#if GS_BITS > 32
    note_bounds(state, {s_seen->low[t], s_seen->high[t]});
#endif
    __syncthreads();
    for (uint32_t i = t; i < bins; i += GS_GPU_TILE_THREADS)
        if (s_count[i] != 0)
            atomicAdd(&state->counts[i], (unsigned long long)s_count[i]);
}

static __global__ void __launch_bounds__(GS_GPU_TILE_THREADS,
                                         GS_RESIDENT_BLOCKS((int)COUNT_BLOCKS, GS_GPU_TILE_THREADS))
    count_bins_kernel(const gs_key *__restrict__ keys, uint64_t n,
                      const struct gs_gpu_tables *__restrict__ tables, uint32_t words,
                      struct gs_gpu_state *state, const __grid_constant__ struct gs_gpu_door door)
{
    after_previous();
#if GS_BITS > 32
    if (state->outcome == GS_GPU_PAGED)
        return;
#endif
    extern __shared__ __align__(16) uint32_t s_table[];
#if GS_BITS == 32
    struct seen_bounds *const s_seen = NULL;
#else
    __shared__ struct seen_bounds s_bounds;
    struct seen_bounds *const s_seen = &s_bounds;
#endif
    switch (tables->search) {
    case GS_GPU_GUIDE:
        count_tiles<GS_GPU_GUIDE>(keys, n, tables, words, state, s_table, s_seen, door);
        break;
#if GS_BITS == 32
    case GS_GPU_GUIDE_PAIRS:
        count_tiles<GS_GPU_GUIDE_PAIRS>(keys, n, tables, words, state, s_table, s_seen, door);
        break;
#endif
    default:
        count_tiles<GS_GPU_STEPS>(keys, n, tables, words, state, s_table, s_seen, door);
        break;
    }
}

/* Count the bins of a tile's keys; in two halves for a PAIRED view, which needs more registers. */
template <typename VIEW>
static __device__ __forceinline__ void count_tile(const gs_key *tile, uint32_t size,
                                                  const VIEW &view, uint32_t *s_count)
{
    const int part = VIEW::PAIRED ? DIGIT_ITEMS / 2 : DIGIT_ITEMS;
#pragma unroll 1
    for (int first = 0; first < DIGIT_ITEMS; first += part) {
        const uint32_t begin = first * GS_GPU_TILE_THREADS + threadIdx.x;
        gs_key key[part];
        uint32_t bin[part];
#pragma unroll
        for (int i = 0; i < part; i++) {
            uint32_t x = i * GS_GPU_TILE_THREADS + begin;
            key[i] = x < size ? tile[x] : 0;
        }
        view.classify(key, bin);
#pragma unroll
        for (int i = 0; i < part; i++)
            if (i * GS_GPU_TILE_THREADS + begin < size)
                atomicAdd(&s_count[bin[i]], 1);
    }
}

#if GS_BITS == 32
#define TILES_PARAMETER
#define TILES_ARGUMENT
#else
#define TILES_PARAMETER , struct gs_gpu_tile *tiles, const uint32_t *slots_now
#define TILES_ARGUMENT  , work->tiles, &work->state->slots[level & 1]

/* Copy the slot of this block's tile into shared memory, note the tile for the scatter, and return
 * it; or NULL, if there are not that many. */
static __device__ __forceinline__ const gs_key *
find_tile(struct gs_gpu_slot *s_slot, const struct gs_gpu_slot *slots, uint32_t count,
          const struct gs_gpu_pages &pages, const gs_key *keys, struct gs_gpu_tile *tiles)
{
    const int64_t NOWHERE = INT64_MIN;
    __shared__ int64_t s_from;
    if (threadIdx.x < 32) {
        const uint32_t index = find_slot(slots, count, blockIdx.x);
        if (threadIdx.x == 0 && count == 0)
            s_from = NOWHERE;
        if (threadIdx.x == 0 && count > 0) {
            *s_slot = slots[index];
            const uint32_t k = blockIdx.x - s_slot->first_tile;
            const uint64_t first = (uint64_t)k * GS_GPU_TILE_KEYS;
            if (first < s_slot->size && s_slot->bins > 0) {
                s_from = tile_at(pages, keys, *s_slot, k) - keys;
                tiles[blockIdx.x] = {
                    s_from, (uint32_t)min(s_slot->size - first, (uint64_t)GS_GPU_TILE_KEYS), index};
            } else {
                s_from = NOWHERE;
            }
        }
    }
    __syncthreads();
    return s_from != NOWHERE ? keys + s_from : NULL;
}
#endif

/* A block counts the digits of one tile of one slot. DIGITS: enum gs_gpu_digits. */
template <int DIGITS>
static __global__ void
__launch_bounds__(GS_GPU_TILE_THREADS, GS_RESIDENT_BLOCKS(DIGITS == GS_GPU_SPLIT ? 2 : DIGIT_BLOCKS,
                                                          GS_GPU_TILE_THREADS))
    count_digits_kernel(const gs_key *__restrict__ keys, const struct gs_gpu_pages pages,
                        const struct gs_gpu_slot *__restrict__ slots, uint32_t slot_count,
                        const struct gs_gpu_state *asked, const gs_key *heavy,
                        const struct gs_gpu_map *maps, unsigned long long *counters TILES_PARAMETER)
{
    after_previous();
    if (asked != NULL) {
        if (is_spare(asked, asked->level_tiles, DIGITS))
            return;
        slot_count = asked->level_slots;
    }
    const uint32_t room =
        GS_BITS == 32 ? GS_GPU_PARTS * GS_GPU_DIGITS_MAX / 2 : (uint32_t)GS_GPU_DIGITS_MAX;
    __shared__ struct gs_gpu_slot s_slot;
    __shared__ uint32_t s_count[room];
#if GS_BITS == 32
    __shared__ gs_key s_heavy[GS_GPU_DIGITS_MAX / 2];
    __shared__ __align__(16) uint8_t s_map[DIGITS != GS_GPU_LINEAR ? sizeof(struct gs_gpu_map) : 1];
#else
    __shared__ gs_key s_tree[DIGITS == GS_GPU_SPLIT ? GS_GPU_DIGITS_MAX : 1];
#endif
    const uint32_t t = threadIdx.x;
    for (uint32_t i = t; i < room; i += GS_GPU_TILE_THREADS)
        s_count[i] = 0;
#if GS_BITS == 32
    load_slot(&s_slot, slots, slot_count, blockIdx.x);
#else
    const uint32_t count = slot_count > 0 ? slot_count : *slots_now;
    const gs_key *tile = find_tile(&s_slot, slots, count, pages, keys, tiles);
    if (tile == NULL)
        return;
#endif
    const uint32_t index = blockIdx.x - s_slot.first_tile;
    const uint32_t size =
        (uint32_t)min(s_slot.size - (uint64_t)index * GS_GPU_TILE_KEYS, (uint64_t)GS_GPU_TILE_KEYS);
#if GS_BITS == 32
    const gs_key *tile = tile_at(pages, keys, s_slot, index);
    const uint32_t counted = s_slot.heavy ? GS_GPU_PARTS * s_slot.bins : s_slot.bins;
    const auto count = [&](const auto &digits) {
        if (s_slot.heavy)
            count_tile(tile, size, load_heavy(s_slot, digits, heavy, s_heavy), s_count);
        else
            count_tile(tile, size, digits, s_count);
    };
    /* Where slots have maps, a slot with a digit for each value still has none. (The scatter need
     * not ask: it returns before it picks a view, as it does not move the keys of such a slot.) */
    if (!s_slot.mapped)
        count(digit_view{s_slot.digit, s_slot.bins});
    else if constexpr (DIGITS != GS_GPU_LINEAR)
        count(load_map<DIGITS == GS_GPU_DIVIDED>(s_slot, maps, (struct gs_gpu_map *)s_map));
#else
    (void)maps;
    const uint32_t counted = s_slot.bins;
    if (!s_slot.mapped)
        count_tile(tile, size, digit_view{s_slot.digit, s_slot.bins}, s_count);
    else if constexpr (DIGITS == GS_GPU_SPLIT)
        count_tile(tile, size, load_tree(s_slot, heavy, s_tree), s_count);
#endif
    __syncthreads();
    counters += (uint64_t)GS_GPU_PARTS * s_slot.first_digit;
    for (uint32_t i = t; i < counted; i += GS_GPU_TILE_THREADS)
        if (s_count[i] != 0)
            atomicAdd(&counters[i], (unsigned long long)s_count[i]);
}

#if GS_BITS == 32
/* The slot of this block's tile. */
static __device__ __forceinline__ struct gs_gpu_slot *slot_of_block(struct gs_gpu_slot *slots,
                                                                    uint32_t slot_count)
{
    __shared__ uint32_t s_index;
    if (threadIdx.x < 32) {
        uint32_t index = find_slot(slots, slot_count, blockIdx.x);
        if (threadIdx.x == 0)
            s_index = index;
    }
    __syncthreads();
    return &slots[s_index];
}

/* A block extends the bounds of one slot by the keys of one tile. */
static __global__ void __launch_bounds__(GS_GPU_TILE_THREADS)
    find_bounds_kernel(const gs_key *__restrict__ keys, struct gs_gpu_slot *slots,
                       uint32_t slot_count)
{
    after_previous();
    struct gs_gpu_slot *slot = slot_of_block(slots, slot_count);
    if (slot->values != 0) /* its values have been counted: done */
        return;
    const uint64_t first = (uint64_t)(blockIdx.x - slot->first_tile) * GS_GPU_TILE_KEYS;
    const uint32_t size = (uint32_t)min(slot->size - first, (uint64_t)GS_GPU_TILE_KEYS);
    const gs_key *tile = keys + slot->from + first;
    struct key_bounds seen = {GS_KEY_MAX, 0};
    extend_bounds(&seen, tile, size);
    const gs_key low = reduce_min_warp(seen.low);
    const gs_key high = reduce_max_warp(seen.high);
    if (lane_index() == 0 && low <= high) {
        atomicMin(&slot->low, low);
        atomicMax(&slot->high, high);
    }
}
#endif

cudaError_t gs_count_bins_gpu(const struct gs_gpu_work *work, const gs_key *keys, uint64_t n,
                              uint32_t bins, unsigned processors, cudaStream_t stream)
{
    const uint64_t stride = GS_GPU_TILE_THREADS * COUNT_ITEMS;
    uint32_t words = gs_gpu_table_words(work, bins, 2 * bins);
    size_t shared = (words + 2 * bins) * sizeof(uint32_t);
    uint64_t blocks = (n + stride - 1) / stride;
    uint64_t resident = COUNT_BLOCKS * (uint64_t)processors;
    blocks = blocks < resident ? blocks : resident;
    blocks = GS_BITS == 32 || blocks < GS_GPU_COUNT_BLOCKS ? blocks : GS_GPU_COUNT_BLOCKS;
    cudaError_t error = cudaFuncSetAttribute(
        count_bins_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess)
        return error;
    return gs_launch_next(count_bins_kernel, (unsigned)blocks, GS_GPU_TILE_THREADS, shared, stream,
                          keys, n, work->tables, words, work->state, work->door);
}

cudaError_t gs_count_digits_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *keys,
                                uint32_t slots, uint32_t tiles, enum gs_gpu_digits digits,
                                cudaStream_t stream)
{
    return with_digits(digits, [&](auto kind) {
        return gs_launch_next(count_digits_kernel<kind>, tiles, GS_GPU_TILE_THREADS, 0, stream,
                              keys, work->pages, work->slots[level & 1], slots, gs_gpu_asked(work),
                              work->heavy, work->maps, work->counters TILES_ARGUMENT);
    });
}

#if GS_BITS == 32
cudaError_t gs_find_bounds_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *keys,
                               uint32_t slots, uint32_t tiles, cudaStream_t stream)
{
    return gs_launch_next(find_bounds_kernel, tiles, GS_GPU_TILE_THREADS, 0, stream, keys,
                          work->slots[level & 1], slots);
}
#endif

/* gpu_block.cuh -- what the threads of a block do together: sum, rank, write runs, find a tile.
 * SPDX-License-Identifier: MIT
 *
 * A scan keeps its partial sums in registers and uses shuffles; only one word per warp goes through
 * shared memory, so there are no bank conflicts.
 */
#ifndef GS_GPU_BLOCK_CUH
#define GS_GPU_BLOCK_CUH

#include "sort/device/kernels/gpu_work.h"
#include "sort/keys/params.h"

#include "common/random.h"

#define GS_ALL_LANES 0xffffffffU

/* Most threads that one multiprocessor of the target architecture holds at once: launch bounds must
 * not ask for more. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
#define GS_RESIDENT_THREADS 1024
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900
#define GS_RESIDENT_THREADS 1536
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1100
#define GS_RESIDENT_THREADS 1536
#else
#define GS_RESIDENT_THREADS 2048
#endif

/* `blocks` blocks of `threads` threads each, or as many as fit. */
#define GS_RESIDENT_BLOCKS(blocks, threads)                                                        \
    ((blocks) * (threads) <= GS_RESIDENT_THREADS ? (blocks) : GS_RESIDENT_THREADS / (threads))

static __device__ __forceinline__ uint32_t lane_index()
{
    return threadIdx.x & 31;
}

/* Bits of a number without its leading zeros; 0 for 0. */
static __device__ __forceinline__ uint32_t bit_length(uint32_t value)
{
    return 32 - (uint32_t)__clz((int)value);
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

/* Exclusive sum over the THREADS threads of a block; *total becomes the sum of all. `partial` is
 * shared memory for 33 numbers, and may be reused after the next barrier. */
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

/* The same for more values than threads, in rounds: `before` has the sum of earlier ones. A barrier
 * comes before the next round. */
template <int THREADS, typename N>
static __device__ __forceinline__ N scan_round(N value, N *partial, N *before)
{
    N sum;
    const N place = *before + scan_block<THREADS>(value, partial, &sum);
    *before += sum;
    return place;
}

/* The key of the lane whose number differs in the bits `lanes`. */
static __device__ __forceinline__ gs_key shuffle_xor(gs_key key, uint32_t lanes)
{
#if GS_BITS <= 64
    return __shfl_xor_sync(GS_ALL_LANES, key, (int)lanes);
#else
    const uint64_t high = __shfl_xor_sync(GS_ALL_LANES, (uint64_t)(key >> 64), (int)lanes);
    const uint64_t low = __shfl_xor_sync(GS_ALL_LANES, (uint64_t)key, (int)lanes);
    return (gs_key)high << 64 | low;
#endif
}

#if GS_BITS == 128
static __device__ __forceinline__ gs_key min(gs_key a, gs_key b)
{
    return b < a ? b : a;
}

static __device__ __forceinline__ gs_key max(gs_key a, gs_key b)
{
    return a < b ? b : a;
}
#endif

#if GS_BITS > 32
static __device__ __forceinline__ gs_key reduce_min_warp(gs_key key)
{
    for (uint32_t lanes = 16; lanes > 0; lanes >>= 1)
        key = min(key, shuffle_xor(key, lanes));
    return key;
}
#endif

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

/* The least and the largest of some keys. */
struct key_bounds {
    gs_key low;
    gs_key high;
};

/* Extend a thread's bounds by its share of a tile's keys. */
static __device__ __forceinline__ void extend_bounds(struct key_bounds *bounds, const gs_key *keys,
                                                     uint32_t size)
{
    const int loads = GS_BITS == 32 ? 8 : 4; /* at once */
#pragma unroll loads
    for (uint32_t x = threadIdx.x; x < size; x += GS_GPU_TILE_THREADS) {
        bounds->low = min(bounds->low, keys[x]);
        bounds->high = max(bounds->high, keys[x]);
    }
}

#if GS_BITS > 32
static __device__ __forceinline__ gs_key reduce_max_warp(gs_key key)
{
    return ~reduce_min_warp((gs_key)~key);
}

/* The bounds of a block's THREADS threads together, for each of them. */
template <int THREADS>
static __device__ __forceinline__ struct key_bounds reduce_bounds(const struct key_bounds &its)
{
    const uint32_t warps = THREADS / 32;
    __shared__ gs_key s_low[warps], s_high[warps];
    const gs_key low = reduce_min_warp(its.low);
    const gs_key high = reduce_max_warp(its.high);
    if (lane_index() == 0) {
        s_low[threadIdx.x / 32] = low;
        s_high[threadIdx.x / 32] = high;
    }
    __syncthreads();
    return {reduce_min_warp(s_low[lane_index() % warps]),
            reduce_max_warp(s_high[lane_index() % warps])};
}

/* Extend the bounds that this block has noted in the state by its threads'. */
static __device__ __forceinline__ void note_bounds(struct gs_gpu_state *state,
                                                   const struct key_bounds &its)
{
    const struct key_bounds seen = reduce_bounds<GS_GPU_TILE_THREADS>(its);
    if (threadIdx.x == 0) {
        state->low[blockIdx.x] = min(state->low[blockIdx.x], seen.low);
        state->high[blockIdx.x] = max(state->high[blockIdx.x], seen.high);
    }
}
#endif

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

/* Write a run of equal keys by a block, 16 bytes per thread. */
static __device__ __forceinline__ void write_run(gs_key *out, uint32_t size, gs_key value)
{
    const uint32_t each = sizeof(uint4) / sizeof value;
    const uint32_t head = min((uint32_t)(-(uintptr_t)out / sizeof value % each), size);
    const uint32_t rows = (size - head) / each;
    uint4 *row = (uint4 *)(out + head);
    union {
        gs_key key[sizeof(uint4) / sizeof(gs_key)];
        uint4 all;
    } copies;
#pragma unroll
    for (uint32_t i = 0; i < each; i++)
        copies.key[i] = value;
    if (threadIdx.x < head)
        out[threadIdx.x] = value;
    for (uint32_t i = threadIdx.x; i < rows; i += blockDim.x)
        row[i] = copies.all;
    for (uint32_t i = head + each * rows + threadIdx.x; i < size; i += blockDim.x)
        out[i] = value;
}

/* From this many lanes of a warp with the same bin on, one lane adds for all of them. */
#define GS_CROWD 12

static __device__ __forceinline__ bool is_crowd(uint32_t bin)
{
    uint32_t agree = __ballot_sync(GS_ALL_LANES, bin == __shfl_sync(GS_ALL_LANES, bin, 0));
    return __popc(agree) >= GS_CROWD;
}

/* For a warp in which many lanes share the first lane's bin: these are ranked by lane, and the
 * first lane adds for all of them. To avoid a branch all lanes add; those that need not add to one
 * of the 32 words of s_none. Keys that are not valid are not counted: they must be the last of
 * their warp, or all keys of their bin. */
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

/* Multiprocessors of a large GPU. A block prefetches the wider keys of the job or tile that is one
 * wave of blocks after its own: this many, times the blocks per multiprocessor. */
#define GS_AHEAD_WAVE 128

/* Prefetch keys into the L2 cache. For one thread to call; their bytes are a multiple of 16. */
static __device__ __forceinline__ void prefetch_keys(const gs_key *keys, uint32_t count)
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

/* Has this block nothing to do? Asked where the host was not told how many blocks there must be,
 * or how digits are found. `count`: of the blocks that have. */
static __device__ __forceinline__ bool is_spare(const struct gs_gpu_state *asked, uint32_t count,
                                                uint32_t digits)
{
    return blockIdx.x >= count || asked->level_kind != digits;
}

/* The slot that a tile belongs to, found by all lanes of a warp together: 32 probes per step. */
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

/* The page of that number, in the buffer or in spare memory. */
static __device__ __forceinline__ const gs_key *page_at(const struct gs_gpu_pages &pages,
                                                        const gs_key *buffer, uint32_t number)
{
    const uint64_t before = number - 1;
    return before < pages.whole ? buffer + before * GS_GPU_PAGE_KEYS
                                : pages.spare + (before - pages.whole) * GS_GPU_PAGE_KEYS;
}

/* Tile k of a slot. */
static __device__ __forceinline__ const gs_key *tile_at(const struct gs_gpu_pages &pages,
                                                        const gs_key *buffer,
                                                        const struct gs_gpu_slot &slot, uint32_t k)
{
    if (slot.paged)
        return page_at(pages, buffer, pages.page[slot.from + k / GS_GPU_PAGE_TILES]) +
               k % GS_GPU_PAGE_TILES * GS_GPU_TILE_KEYS;
    return buffer + slot.from + (int64_t)k * GS_GPU_TILE_KEYS;
}

/* The place of key j of a slot's sample: a random one of the j-th `apart` keys. */
static __device__ __forceinline__ uint32_t sampled_place(uint32_t j, uint32_t apart)
{
    return j * apart + __umulhi((uint32_t)gs_random(GS_SAMPLE_SEED, j), apart);
}

/* Copy a tile's slot into shared memory. */
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

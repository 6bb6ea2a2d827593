/* gpu_crowds.cuh -- bins that a linear digit does not spread: repeated keys, and skew inside a bin.
 * SPDX-License-Identifier: MIT
 *
 * Parts of sort_bins_gpu.cu for one block and keys in its shared memory. A crowd is a group of keys
 * with the same digit that is too large for the windows there.
 */
#ifndef GS_GPU_CROWDS_CUH
#define GS_GPU_CROWDS_CUH

#include "sort/gpu_block.cuh"

enum {
    ITEMS = 16, /* keys of a thread, and of a window */
    RADIX_BITS = 8,
    RADIX = 1 << RADIX_BITS,
    SETTLED = 8,     /* keys of a group that the windows always settle */
    CROWD_VALUES = 6 /* values of a group of more keys than a warp sorts by itself */
};

/* Where a key lies in shared memory: one word of padding for 32. */
static __device__ __forceinline__ uint32_t padded(uint32_t index)
{
    return index + (index >> 5);
}

/* Sort s_keys[first .. end), 32 keys at most, by one warp: a bitonic network over its lanes. */
static __device__ __forceinline__ void sort_warp(uint32_t *s_keys, uint32_t first, uint32_t end)
{
    const uint32_t lane = lane_index();
    uint32_t key = first + lane < end ? s_keys[padded(first + lane)] : GS_KEY_MAX;
    for (uint32_t size = 2; size <= 32; size *= 2)
        for (uint32_t step = size / 2; step > 0; step /= 2) {
            uint32_t other = __shfl_xor_sync(GS_ALL_LANES, key, (int)step);
            bool ascends = (lane & size) == 0;
            bool lower = (lane & step) == 0;
            key = ascends == lower ? min(key, other) : max(key, other);
        }
    if (first + lane < end)
        s_keys[padded(first + lane)] = key;
}

/* Put right what the windows could not: groups of more than SETTLED keys, if no more than a warp
 * sorts at once, or if they hold few values, as repeated keys do. A warp takes a group, finds its
 * values one after the other, the least first, with how often each occurs, a lane keeping each, and
 * writes them as runs. Returns false to all threads if a group has too many values. s_count holds
 * where each digit begins. */
template <int THREADS>
static __device__ __forceinline__ bool settle_crowds(uint32_t *s_keys, const uint32_t *s_count,
                                                     uint32_t size)
{
    const uint32_t capacity = THREADS * ITEMS;
    __shared__ uint32_t s_group[THREADS * ITEMS / (SETTLED + 1)]; /* first << 16 | keys */
    __shared__ uint32_t s_groups;
    if (threadIdx.x == 0)
        s_groups = 0;
    __syncthreads();
    for (uint32_t d = threadIdx.x; d < capacity; d += THREADS) {
        uint32_t first = s_count[d];
        uint32_t keys = (d + 1 < capacity ? s_count[d + 1] : size) - first;
        if (keys > SETTLED)
            s_group[atomicAdd(&s_groups, 1)] = first << 16 | keys;
    }
    __syncthreads();
    bool done = true;
    for (uint32_t g = threadIdx.x / 32; done && g < s_groups; g += THREADS / 32) {
        const uint32_t first = s_group[g] >> 16;
        const uint32_t end = first + (s_group[g] & 0xffff);
        if (end - first <= 32) {
            sort_warp(s_keys, first, end);
            continue;
        }
        uint32_t value = 0; /* this lane's */
        uint32_t times = 0;
        uint32_t settled = 0; /* keys of the values found */
        uint32_t last = 0;
        for (uint32_t v = 0; settled < end - first; v++) {
            uint32_t least = GS_KEY_MAX;
#pragma unroll 4
            for (uint32_t x = first + lane_index(); x < end; x += 32) {
                uint32_t key = s_keys[padded(x)];
                if (v == 0 || key > last)
                    least = min(least, key);
            }
            least = reduce_min_warp(least);
            uint32_t equal = 0;
#pragma unroll 4
            for (uint32_t x = first + lane_index(); x < end; x += 32)
                equal += s_keys[padded(x)] == least;
            for (int step = 16; step > 0; step >>= 1)
                equal += __shfl_xor_sync(GS_ALL_LANES, equal, step);
            if (v == CROWD_VALUES) {
                done = false;
                break;
            }
            if (lane_index() == v) {
                value = least;
                times = equal;
            }
            settled += equal;
            last = least;
        }
        __syncwarp();
        if (!done)
            break;
        uint32_t place = first;
        for (uint32_t v = 0; place < end; v++) {
            uint32_t run = __shfl_sync(GS_ALL_LANES, times, (int)v);
            uint32_t key = __shfl_sync(GS_ALL_LANES, value, (int)v);
            for (uint32_t x = place + lane_index(); x < place + run; x += 32)
                s_keys[padded(x)] = key;
            place += run;
        }
    }
    return __syncthreads_and(done) != 0;
}

/* The general way for bins that the linear digit does not spread. Keys are read anew; only their
 * low `bits` differ after low is taken off. s_count holds a counter for each warp and digit. */
template <int THREADS>
static __device__ __forceinline__ void sort_by_digits(const uint32_t *in, uint32_t *out,
                                                      uint32_t size, uint32_t low, uint32_t bits,
                                                      uint32_t *s_keys, uint32_t *s_count)
{
    __shared__ uint32_t s_partial[33];
    const int warps = THREADS / 32;
    const uint32_t warp = threadIdx.x / 32;
    const uint32_t first = warp * 32 * ITEMS + lane_index();
    uint32_t *s_mine = s_count + warp * RADIX;
    uint32_t key[ITEMS];
    uint32_t rank[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        key[i] = first + 32 * i < size ? in[first + 32 * i] - low : 0;
    for (uint32_t shift = 0; shift < bits; shift += RADIX_BITS) {
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < warps * RADIX; i += THREADS)
            s_count[i] = 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            bool valid = first + 32 * i < size;
            uint32_t lanes = __ballot_sync(GS_ALL_LANES, valid);
            if (valid) {
                uint32_t digit = key[i] >> shift & (RADIX - 1);
                uint32_t peers = __match_any_sync(lanes, digit);
                uint32_t below = (uint32_t)__popc(peers & ((1U << lane_index()) - 1));
                rank[i] = s_mine[digit] + below;
                __syncwarp(lanes);
                if (below == 0)
                    s_mine[digit] += (uint32_t)__popc(peers);
            }
            __syncwarp();
        }
        __syncthreads();
        /* Per digit, then per warp: where its keys begin. */
        uint32_t sum = 0;
        if (threadIdx.x < RADIX)
            for (int w = 0; w < warps; w++)
                sum += s_count[w * RADIX + threadIdx.x];
        uint32_t all;
        uint32_t place = scan_block<THREADS>(sum, s_partial, &all);
        if (threadIdx.x < RADIX)
            for (int w = 0; w < warps; w++) {
                uint32_t count = s_count[w * RADIX + threadIdx.x];
                s_count[w * RADIX + threadIdx.x] = place;
                place += count;
            }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (first + 32 * i < size)
                s_keys[s_mine[key[i] >> shift & (RADIX - 1)] + rank[i]] = key[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (first + 32 * i < size)
                key[i] = s_keys[first + 32 * i];
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (first + 32 * i < size)
            out[first + 32 * i] = key[i] + low;
}

#endif

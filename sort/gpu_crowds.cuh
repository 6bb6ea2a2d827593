/* gpu_crowds.cuh -- bins that a linear digit does not spread: repeated keys, and skew inside a bin.
 * SPDX-License-Identifier: MIT
 *
 * Parts of sort_bins_gpu.cu for one block and keys in its shared memory. A crowd is a group of keys
 * with the same digit that is too large for the windows there.
 *
 * A crowd gets a digit of its own, over its own least and largest key, with as many values as it
 * has keys: its counters are those at its own places. What still shares a digit then is a smaller
 * crowd over a range that is narrower by the crowd's size, so few rounds reach the bottom of any
 * skew; a crowd of equal keys is one at once. Small crowds have a warp each, large ones the block.
 */
#ifndef GS_GPU_CROWDS_CUH
#define GS_GPU_CROWDS_CUH

#include "sort/gpu_block.cuh"

enum {
    ITEMS = 16,        /* keys of a thread, and of a window */
    SETTLED = 8,       /* keys of a group that the windows always settle */
    THREAD_CROWD = 64, /* keys of a crowd that a thread looks at by itself */
    WARP_CROWD = 1024  /* keys of a crowd that a warp takes by itself */
};

/* Where a key lies in shared memory: one word of padding for 32. */
static __device__ __forceinline__ uint32_t padded(uint32_t index)
{
    return index + (index >> 5);
}

/* Crowds to be spread, as first << 16 | keys. */
template <int THREADS> struct crowd_list {
    uint32_t count;
    uint32_t crowd[THREADS * ITEMS / (SETTLED + 1)];

    __device__ __forceinline__ void add(uint32_t first, uint32_t keys)
    {
        if (keys > SETTLED)
            crowd[atomicAdd(&count, 1)] = first << 16 | keys;
    }
};

/* Are s_keys[first .. end) copies of one key? By one thread. */
static __device__ __forceinline__ bool is_one_key(const uint32_t *s_keys, uint32_t first,
                                                  uint32_t end)
{
    const uint32_t last = s_keys[padded(end - 1)];
    while (first < end && s_keys[padded(first)] == last)
        first++;
    return first == end;
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

/* Threads that spread a crowd together: a warp. */
struct warp_team {
    static const uint32_t SIZE = 32;
    __device__ __forceinline__ uint32_t index() const
    {
        return lane_index();
    }
    __device__ __forceinline__ void sync() const
    {
        __syncwarp();
    }
    __device__ __forceinline__ void bounds(uint32_t &low, uint32_t &high) const
    {
        low = reduce_min_warp(low);
        high = reduce_max_warp(high);
    }
    __device__ __forceinline__ uint32_t scan(uint32_t value, uint32_t *sum) const
    {
        uint32_t inclusive = scan_warp(value);
        *sum = __shfl_sync(GS_ALL_LANES, inclusive, 31);
        return inclusive - value;
    }
};

/* Or all of a block. */
template <int THREADS> struct block_team {
    static const uint32_t SIZE = THREADS;
    uint32_t *partial; /* shared memory, 33 words */

    __device__ __forceinline__ uint32_t index() const
    {
        return threadIdx.x;
    }
    __device__ __forceinline__ void sync() const
    {
        __syncthreads();
    }
    __device__ __forceinline__ void bounds(uint32_t &low, uint32_t &high) const
    {
        if (threadIdx.x == 0) {
            partial[0] = GS_KEY_MAX;
            partial[1] = 0;
        }
        __syncthreads();
        low = reduce_min_warp(low);
        high = reduce_max_warp(high);
        if (lane_index() == 0) {
            atomicMin(&partial[0], low);
            atomicMax(&partial[1], high);
        }
        __syncthreads();
        low = partial[0];
        high = partial[1];
        __syncthreads();
    }
    __device__ __forceinline__ uint32_t scan(uint32_t value, uint32_t *sum) const
    {
        uint32_t before = scan_block<THREADS>(value, partial, sum);
        __syncthreads();
        return before;
    }
};

/* Replace a crowd over [low, low + range] by runs of its values. s_own counts each value. */
template <typename TEAM>
static __device__ __forceinline__ void write_values(const TEAM &team, uint32_t *s_keys,
                                                    const uint32_t *s_own, uint32_t first,
                                                    uint32_t low, uint32_t range)
{
    const uint32_t t = team.index();
    uint32_t before = first;
    for (uint32_t round = 0; round <= range; round += TEAM::SIZE) {
        uint32_t count = round + t <= range ? s_own[round + t] : 0;
        uint32_t sum;
        uint32_t place = before + team.scan(count, &sum);
        before += sum;
        const uint32_t alone = min(count, (uint32_t)SETTLED);
        for (uint32_t x = 0; x < alone; x++)
            s_keys[padded(place + x)] = low + round + t;
        /* The rest of longer runs is written by the warp, one after the other. */
        for (uint32_t left = __ballot_sync(GS_ALL_LANES, count > alone); left != 0;
             left &= left - 1) {
            const int lane = __ffs((int)left) - 1;
            const uint32_t start = __shfl_sync(GS_ALL_LANES, place, lane) + SETTLED;
            const uint32_t end = start - SETTLED + __shfl_sync(GS_ALL_LANES, count, lane);
            const uint32_t value = low + round + t - lane_index() + (uint32_t)lane;
            for (uint32_t x = start + lane_index(); x < end; x += 32)
                s_keys[padded(x)] = value;
        }
    }
    team.sync();
}

/* Order the crowd s_keys[first .. first + size) by a digit of its own; what then still shares one
 * goes to `next`. s_count: counters that nobody needs any more. spare: room in device memory for
 * each key at its place. */
template <int THREADS, typename TEAM>
static __device__ __forceinline__ void
spread_crowd(const TEAM &team, uint32_t *s_keys, uint32_t *s_count, uint32_t *spare, uint32_t first,
             uint32_t size, struct crowd_list<THREADS> *next)
{
    const uint32_t t = team.index();
    uint32_t *s_own = s_count + first;
    uint32_t low = GS_KEY_MAX;
    uint32_t high = 0;
#pragma unroll 4
    for (uint32_t x = t; x < size; x += TEAM::SIZE) {
        uint32_t key = s_keys[padded(first + x)];
        low = min(low, key);
        high = max(high, key);
        s_own[x] = 0;
    }
    team.bounds(low, high);
    if (low == high)
        return;
    const struct gs_gpu_digit digit = make_digit(low, high, size);
    team.sync();
#pragma unroll 4
    for (uint32_t x = t; x < size; x += TEAM::SIZE)
        atomicAdd(&s_own[digit_of(digit, s_keys[padded(first + x)])], 1);
    team.sync();
    if (digit_is_exact(digit)) {
        write_values(team, s_keys, s_own, first, low, high - low);
        return;
    }
    uint32_t before = 0;
    for (uint32_t round = 0; round < size; round += TEAM::SIZE) {
        uint32_t count = round + t < size ? s_own[round + t] : 0;
        uint32_t sum;
        uint32_t place = before + team.scan(count, &sum);
        before += sum;
        if (round + t < size)
            s_own[round + t] = place;
        next->add(first + place, count);
    }
    team.sync();
    for (uint32_t round = 0; round < size; round += TEAM::SIZE) {
        bool valid = round + t < size;
        uint32_t key = s_keys[padded(first + (valid ? round + t : 0))];
        uint32_t d = digit_of(digit, key);
        uint32_t place;
        if (is_crowd(d))
            place = rank_crowd(s_own, d, valid);
        else
            place = valid ? atomicAdd(&s_own[d], 1) : 0;
        if (valid)
            spare[first + place] = key;
    }
    team.sync();
#pragma unroll 8
    for (uint32_t x = t; x < size; x += TEAM::SIZE)
        s_keys[padded(first + x)] = spare[first + x];
    team.sync();
}

/* Spread all groups of more than SETTLED keys until the windows can do the rest. s_count holds
 * where each digit begins; its content is lost. A barrier is behind the last change of s_keys. */
template <int THREADS>
static __device__ __forceinline__ void settle_crowds(uint32_t *s_keys, uint32_t *s_count,
                                                     uint32_t *spare, uint32_t size)
{
    const uint32_t capacity = THREADS * ITEMS;
    __shared__ struct crowd_list<THREADS> s_lists[2];
    __shared__ uint32_t s_partial[33];
    if (threadIdx.x < 2)
        s_lists[threadIdx.x].count = 0;
    __syncthreads();
    for (uint32_t d = threadIdx.x; d < capacity; d += THREADS)
        s_lists[1].add(s_count[d], (d + 1 < capacity ? s_count[d + 1] : size) - s_count[d]);
    __syncthreads();
    /* Most crowds are copies of one key, as a rule. A thread sees that sooner than a warp. */
    for (uint32_t c = threadIdx.x; c < s_lists[1].count; c += THREADS) {
        const uint32_t first = s_lists[1].crowd[c] >> 16;
        const uint32_t keys = s_lists[1].crowd[c] & 0xffff;
        if (keys > THREAD_CROWD || !is_one_key(s_keys, first, first + keys))
            s_lists[0].add(first, keys);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        s_lists[1].count = 0;
    __syncthreads();
    const struct block_team<THREADS> block = {
        s_partial
    };
    const struct warp_team warp = {};
    for (uint32_t round = 0; s_lists[round & 1].count > 0; round++) {
        struct crowd_list<THREADS> *list = &s_lists[round & 1];
        struct crowd_list<THREADS> *next = &s_lists[~round & 1];
        const uint32_t crowds = list->count;
        for (uint32_t c = 0; c < crowds; c++) {
            const uint32_t keys = list->crowd[c] & 0xffff;
            if (keys > WARP_CROWD)
                spread_crowd(block, s_keys, s_count, spare, list->crowd[c] >> 16, keys, next);
        }
        for (uint32_t c = threadIdx.x / 32; c < crowds; c += THREADS / 32) {
            const uint32_t first = list->crowd[c] >> 16;
            const uint32_t keys = list->crowd[c] & 0xffff;
            if (keys <= 32)
                sort_warp(s_keys, first, first + keys);
            else if (keys <= WARP_CROWD)
                spread_crowd(warp, s_keys, s_count, spare, first, keys, next);
        }
        __syncthreads();
        if (threadIdx.x == 0)
            list->count = 0; /* the list after the next */
        __syncthreads();
    }
}

#endif

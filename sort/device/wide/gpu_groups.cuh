/* gpu_groups.cuh -- parts of a bin's sort: put keys into groups, and rank each within its group.
 * SPDX-License-Identifier: MIT
 *
 * For one block, and 8- or 16-byte keys in its shared memory.
 */
#ifndef GS_GPU_GROUPS_CUH
#define GS_GPU_GROUPS_CUH

#include "sort/device/kernels/gpu_bitonic.cuh"
#include "sort/device/kernels/gpu_digit.cuh"
#include "sort/keys/fingerprint_term.h"

enum {
    CROWD_LEAST = 48, /* keys of a digit, from which on they are a crowd if they differ */
    CROWD_MOST = 512, /* the most keys between two splitters that are ranked */
    LOOK_MOST = 5,    /* of the keys that looks_even sees, the most in a digit */
    LOOK_REPEATS = 4, /* values repeat if one in so many keys that are seen is one again, */
    LOOK_VALUES = 32  /* but digits tell so few values apart */
};

/* Shared memory of a block that sorts up to KEYS keys, with as many digits. */
template <int KEYS> struct bin_memory {
    static_assert(KEYS < 1 << 16, "a count fits half a word");
    static const uint32_t DIGITS = KEYS;
    gs_key key[KEYS];
    uint32_t count[KEYS / 2 + 4]; /* two counters a word; then where groups begin, and the end */
    uint16_t group[KEYS];         /* of each key, if it is kept; of a crowd's first one, which */

    __device__ __forceinline__ uint32_t begin(uint32_t digit) const
    {
        return ((const uint16_t *)count)[digit];
    }
};

/* Is a key in shared memory less than `key`, or with `ties` equal to it? */
static __device__ __forceinline__ bool is_before(const gs_key *s_key, gs_key key, bool ties)
{
#if GS_BITS == 64
    const gs_key other = *s_key;
    return other < key || (other == key && ties);
#else
    const uint64_t *half = (const uint64_t *)s_key;
    if (half[1] != (uint64_t)(key >> 64)) /* the lower half is seldom needed, and not loaded then */
        return half[1] < (uint64_t)(key >> 64);
    return ties ? half[0] <= (uint64_t)key : half[0] < (uint64_t)key;
#endif
}

/* Groups by a linear digit, one for every key that the block can hold. */
template <int KEYS> struct linear_groups {
    static const bool KEPT = false; /* it is easy to find again */
    struct gs_gpu_digit digit;

    /* Even a key out of bounds, which only corrupted memory can hold, gets a valid digit. */
    __device__ __forceinline__ uint32_t of(gs_key key) const
    {
        return min(digit_of(digit, key), KEYS - 1U);
    }

    /* Are the keys of a group of that size known to be in order? Crowds of keys that differ are not
     * sorted this way. */
    __device__ __forceinline__ bool done(uint32_t group, uint32_t size) const
    {
        (void)group;
        return size >= CROWD_LEAST || digit_is_exact(digit);
    }
};

/* Groups that each thread knows of its keys: digits that are no crowd, and those that divide one.
 */
struct divided_groups {
    static const bool KEPT = true;

    __device__ __forceinline__ bool done(uint32_t group, uint32_t size) const
    {
        (void)group;
        return size >= CROWD_LEAST;
    }
};

/* Groups by SPLITTERS keys of the bin itself, in order: even ones for what lies between two of
 * these, odd ones for what is equal to one. */
template <int SPLITTERS> struct sampled_groups {
    static const bool KEPT = true;
    const gs_key *splitter; /* in shared memory, padded */

    __device__ __forceinline__ uint32_t of(gs_key key) const
    {
        uint32_t below = 0; /* splitters less than the key, without the last */
#pragma unroll
        for (uint32_t half = SPLITTERS / 2; half > 0; half /= 2)
            below += is_before(&splitter[gs_gpu_padded(below + half - 1)], key, false) ? half : 0;
        const bool equal = below < SPLITTERS - 1U && splitter[gs_gpu_padded(below)] == key;
        return 2 * below + equal;
    }

    __device__ __forceinline__ bool done(uint32_t group, uint32_t size) const
    {
        (void)size;
        return group % 2 == 1;
    }
};

/* Sort THREADS keys, one a thread, in shared memory of which `s_runs` has as much room, too: a warp
 * sorts a run of RUN keys, and a key's place is the sum of its ranks in all runs. */
template <int THREADS>
static __device__ __forceinline__ void sort_splitters(gs_key sampled, gs_key *s_runs,
                                                      gs_key *s_splitter)
{
    const uint32_t each = 4;
    const uint32_t run = 32 * each;
    const uint32_t t = threadIdx.x;
    s_runs[t] = sampled;
    __syncthreads();
    if (t < THREADS / each) {
        gs_key key[each];
#pragma unroll
        for (uint32_t i = 0; i < each; i++)
            key[i] = s_runs[t * each + i];
        sort_bitonic_warp(key, 32);
#pragma unroll
        for (uint32_t i = 0; i < each; i++)
            s_runs[t * each + i] = key[i];
    }
    __syncthreads();
    const uint32_t own = t / run;
    const gs_key key = s_runs[t];
    uint32_t place = t % run;
#pragma unroll
    for (uint32_t other = 1; other < THREADS / run; other++) {
        const uint32_t r = (own + other) % (THREADS / run);
        const gs_key *s_run = s_runs + r * run;
        uint32_t before = 0; /* of equal keys, those of lower runs come first */
#pragma unroll
        for (uint32_t half = run; half > 0; half /= 2) {
            const uint32_t probe = before + half - 1;
            if (probe < run && is_before(&s_run[probe], key, r < own))
                before += half;
        }
        place += before;
    }
    s_splitter[gs_gpu_padded(place)] = key;
    __syncthreads();
}

/* Turn counts into the places where groups begin. Returns the largest counts that this thread has
 * read, of even groups in the lower half, and of odd ones. A warp owns a contiguous piece, and
 * reads 8 counters a lane at a time. */
template <int THREADS, int N>
static __device__ __forceinline__ uint32_t scan_counts(uint32_t *s_count)
{
    __shared__ uint32_t s_warp[THREADS / 32];
    const int reads = N / 8;
    const uint32_t lane = lane_index();
    const uint32_t warp = threadIdx.x / 32;
    uint4 *piece = (uint4 *)(s_count + warp * (32 * N / 2)) + lane;
    uint32_t word[reads][4];
    uint32_t first[reads]; /* in this warp's piece */
    uint32_t largest = 0;
    uint32_t before = 0;
#pragma unroll
    for (int r = 0; r < reads; r++) {
        const uint4 words = piece[32 * r];
        word[r][0] = words.x;
        word[r][1] = words.y;
        word[r][2] = words.z;
        word[r][3] = words.w;
        uint32_t sum = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            sum += word[r][i];
            largest = __vmaxu2(largest, word[r][i]);
        }
        sum = (sum & 0xffff) + (sum >> 16);
        const uint32_t scanned = scan_warp(sum);
        first[r] = before + scanned - sum;
        before += __shfl_sync(GS_ALL_LANES, scanned, 31);
    }
    if (lane == 0)
        s_warp[warp] = before;
    __syncthreads();
    /* Each warp sums up the warps before it, which saves a barrier. */
    uint32_t below = lane < warp ? s_warp[lane] : 0;
#pragma unroll
    for (int step = 16; step > 0; step >>= 1)
        below += __shfl_xor_sync(GS_ALL_LANES, below, step);
#pragma unroll
    for (int r = 0; r < reads; r++) {
        uint32_t place = below + first[r];
        uint32_t begin[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint32_t second = place + (word[r][i] & 0xffff);
            begin[i] = place | second << 16;
            place = second + (word[r][i] >> 16);
        }
        piece[32 * r] = make_uint4(begin[0], begin[1], begin[2], begin[3]);
    }
    return largest;
}

/* Put `size` keys of this block into shared memory, by their groups, which are kept beside them if
 * KEPT. Returns the largest counts that this thread has seen, as above. The counters are cleared
 * first: whoever needs them waits before. */
template <bool KEPT, int THREADS, int N>
static __device__ __forceinline__ uint32_t place_keys(struct bin_memory<THREADS * N> *memory,
                                                      const gs_key (&key)[N], uint32_t size,
                                                      const uint32_t (&group)[N])
{
    __shared__ uint32_t s_none[32]; /* counts keys that do not exist */
    const uint32_t t = threadIdx.x;
#pragma unroll
    for (int i = 0; i < N / 8; i++)
        ((uint4 *)memory->count)[i * THREADS + t] = make_uint4(0, 0, 0, 0);
    if (t == 0)
        memory->count[THREADS * N / 2] = size;
    __syncthreads();
    uint32_t place[N]; /* rank << 16 | group */
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (KEPT && i * THREADS >= size)
            break;
        const uint32_t g = group[i];
        const uint32_t shift = (g & 1) * 16;
        const uint32_t counts = atomicAdd(
            i * THREADS + t < size ? &memory->count[g / 2] : &s_none[lane_index()], 1U << shift);
        place[i] = counts >> shift << 16 | g;
    }
    __syncthreads();
    const uint32_t largest = scan_counts<THREADS, N>(memory->count);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
        if (i * THREADS + t < size) {
            const uint32_t x = memory->begin(place[i] & 0xffff) + (place[i] >> 16);
            memory->key[x] = key[i];
            if (KEPT)
                memory->group[x] = (uint16_t)place[i];
        }
    __syncthreads();
    return largest;
}

/* The groups of a thread's keys. */
template <int THREADS, int N, typename GROUPS>
static __device__ __forceinline__ void find_groups(const gs_key (&key)[N], uint32_t size,
                                                   const GROUPS &groups, uint32_t (&group)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (GROUPS::KEPT && i * THREADS >= size)
            break;
        group[i] = groups.of(key[i]);
    }
}

/* Would a linear digit do, by a look at one key a thread? */
template <int THREADS, int N>
static __device__ __forceinline__ bool looks_even(struct bin_memory<THREADS * N> *memory,
                                                  const gs_key *in, uint32_t size,
                                                  const struct linear_groups<THREADS * N> &groups)
{
    const uint32_t t = threadIdx.x;
    if (digit_is_exact(groups.digit))
        return true;
#pragma unroll
    for (int i = 0; i < N / 8; i++)
        ((uint4 *)memory->count)[i * THREADS + t] = make_uint4(0, 0, 0, 0);
    const uint32_t g = groups.of(in[t * size / THREADS]);
    __syncthreads();
    const uint32_t shift = (g & 1) * 16;
    const uint32_t before = atomicAdd(&memory->count[g / 2], 1U << shift) >> shift & 0xffff;
    return __syncthreads_or(before >= LOOK_MOST) == 0;
}

/* Are there many values that repeat, by such a look? For a crowd of these, splitters are better
 * than digits: what is equal to one needs no ranks. */
template <int THREADS, int N>
static __device__ __forceinline__ bool looks_repeated(struct bin_memory<THREADS * N> *memory,
                                                      const gs_key *in, uint32_t size)
{
    const uint32_t t = threadIdx.x;
    uint32_t *s_seen = (uint32_t *)memory->group; /* in each place, a hash that belongs there */
#pragma unroll
    for (int i = 0; i < N / 8; i++)
        ((uint4 *)s_seen)[i * THREADS + t] = make_uint4(0, 0, 0, 0);
    const uint32_t hash = (uint32_t)(gs_term(in[t * size / THREADS]) >> 32) | 1;
    __syncthreads();
    const bool seen = atomicExch(&s_seen[hash / 2 % (THREADS * N / 2)], hash) == hash;
    const uint32_t repeated = (uint32_t)__syncthreads_count(seen);
    return repeated > THREADS / LOOK_REPEATS && repeated < THREADS - LOOK_VALUES;
}

/* The group of the key at x. */
template <int KEYS, typename GROUPS>
static __device__ __forceinline__ uint32_t group_of(const struct bin_memory<KEYS> *memory,
                                                    uint32_t x, gs_key key, const GROUPS &groups)
{
    if constexpr (GROUPS::KEPT)
        return memory->group[x];
    else
        return groups.of(key);
}

/* Is there a crowd? `largest`: from place_keys. */
template <int THREADS, int KEYS, typename GROUPS>
static __device__ __forceinline__ bool has_crowd(const struct bin_memory<KEYS> *memory,
                                                 uint32_t size, uint32_t largest,
                                                 const GROUPS &groups)
{
    if (__syncthreads_or(max(largest & 0xffff, largest >> 16) >= CROWD_LEAST) == 0)
        return false;
    bool mixed = false;
    for (uint32_t x = threadIdx.x; x < size; x += THREADS) {
        const gs_key own = memory->key[x];
        const uint32_t g = group_of(memory, x, own, groups);
        const uint32_t begin = memory->begin(g);
        mixed = mixed || (memory->begin(g + 1) - begin >= CROWD_LEAST && memory->key[begin] != own);
    }
    return __syncthreads_or(mixed) != 0;
}

/* Write the keys that have been placed, each behind the lesser ones of its group, by a door. */
template <int THREADS, int KEYS, typename GROUPS>
static __device__ __forceinline__ void write_ranked(const struct bin_memory<KEYS> *memory,
                                                    uint32_t size, const GROUPS &groups,
                                                    gs_key *out, const struct gs_gpu_door &door)
{
#pragma unroll 4
    for (uint32_t x = threadIdx.x; x < size; x += THREADS) {
        const gs_key own = memory->key[x];
        const uint32_t g = group_of(memory, x, own, groups);
        const uint32_t begin = memory->begin(g);
        const uint32_t end = memory->begin(g + 1);
        uint32_t place = begin;
        if (end - begin == 1 || groups.done(g, end - begin))
            place = x;
        else
            for (uint32_t j = begin; j < end; j++)
                place += is_before(&memory->key[j], own, j < x);
        out[place] = leave(door, own);
    }
}

/* Divide the crowds among keys that linear digits have placed: each gets digits of its own, between
 * its least and largest key, as many as it has keys. Sets the new groups of this thread's keys. */
template <int THREADS, int N>
static __device__ __forceinline__ void
divide_crowds(struct bin_memory<THREADS * N> *memory, uint32_t size,
              const struct linear_groups<THREADS * N> &groups, gs_key (&key)[N],
              uint32_t (&group)[N])
{
    const uint32_t most = THREADS * N / CROWD_LEAST;
    const uint32_t in_crowd = 1 << 16;
    __shared__ struct gs_gpu_digit s_digit[most];
    __shared__ uint32_t s_crowd[most]; /* where it begins << 16 | its keys */
    __shared__ uint32_t s_crowds;
    const uint32_t t = threadIdx.x;
    if (t == 0)
        s_crowds = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++) {
        key[i] = memory->key[min(i * THREADS + t, size - 1)];
        const uint32_t g = groups.of(key[i]);
        const uint32_t begin = memory->begin(g);
        const uint32_t keys = memory->begin(g + 1) - begin;
        group[i] = keys >= CROWD_LEAST ? begin | in_crowd : begin;
        if (i * THREADS + t == begin && keys >= CROWD_LEAST) {
            const uint32_t crowd = atomicAdd(&s_crowds, 1U);
            memory->group[begin] = (uint16_t)crowd;
            s_crowd[crowd] = begin << 16 | keys;
        }
    }
    __syncthreads();
    for (uint32_t crowd = t / 32; crowd < s_crowds; crowd += THREADS / 32) {
        const uint32_t begin = s_crowd[crowd] >> 16;
        const uint32_t keys = s_crowd[crowd] & 0xffff;
        gs_key low = memory->key[begin];
        gs_key high = low;
        for (uint32_t x = lane_index(); x < keys; x += 32) {
            low = min(low, memory->key[begin + x]);
            high = max(high, memory->key[begin + x]);
        }
        low = reduce_min_warp(low);
        high = reduce_max_warp(high);
        if (lane_index() == 0)
            s_digit[crowd] = make_digit(low, high, keys);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
        if (group[i] >= in_crowd) {
            const uint32_t crowd = memory->group[group[i] - in_crowd];
            const uint32_t last = (s_crowd[crowd] & 0xffff) - 1;
            group[i] += min(digit_of(s_digit[crowd], key[i]), last) - in_crowd;
        }
}

#endif

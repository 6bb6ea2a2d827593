/* gpu_crowds_wide.cuh -- parts of a bin's sort: place keys by a digit, rank groups, settle crowds.
 * SPDX-License-Identifier: MIT
 *
 * For one block, and 8- or 16-byte keys in its shared memory.
 */
#ifndef GS_GPU_CROWDS_WIDE_CUH
#define GS_GPU_CROWDS_WIDE_CUH

#include "sort/device/kernels/gpu_bitonic.cuh"
#include "sort/device/kernels/gpu_digit.cuh"

enum {
    CROWD_LEAST = 48, /* keys of one digit, from which on they are a crowd if they differ */
    CROWD_MOST = 256  /* the most that a warp sorts */
};

/* Shared memory of a block that sorts up to KEYS keys, with as many digits. */
template <int KEYS> struct bin_memory {
    static_assert(KEYS < 1 << 16, "a count fits half a word");
    static const uint32_t DIGITS = KEYS;
    gs_key key[KEYS];
    uint32_t count[KEYS / 2 + 4]; /* two counters a word; then where groups begin, and the end */

    __device__ __forceinline__ uint32_t begin(uint32_t digit) const
    {
        return ((const uint16_t *)count)[digit];
    }

    /* Even a key out of bounds, which only corrupted memory can hold, gets a valid digit. */
    static __device__ __forceinline__ uint32_t digit_in(const struct gs_gpu_digit &digit, gs_key of)
    {
        return min(digit_of(digit, of), DIGITS - 1);
    }
};

/* Turn counts into the places where groups begin. Returns the largest count that this thread has
 * read. A warp owns a contiguous piece, and reads 8 counters a lane at a time. */
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
            largest = max(largest, max(word[r][i] & 0xffff, word[r][i] >> 16));
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

/* Put `size` keys of this block into shared memory from `first` on, by their digits. Returns
 * whether there is a crowd. */
template <int THREADS, int N>
static __device__ __forceinline__ bool place_keys(struct bin_memory<THREADS * N> *memory,
                                                  const gs_key (&key)[N], uint32_t first,
                                                  uint32_t size, const struct gs_gpu_digit &digit)
{
    __shared__ uint32_t s_none[32]; /* counts keys that do not exist */
    const uint32_t t = threadIdx.x;
#pragma unroll
    for (int i = 0; i < N / 8; i++)
        ((uint4 *)memory->count)[i * THREADS + t] = make_uint4(0, 0, 0, 0);
    if (t == 0)
        memory->count[THREADS * N / 2] = size;
    __syncthreads();
    uint32_t place[N]; /* rank << 16 | digit */
#pragma unroll
    for (int i = 0; i < N; i++) {
        const uint32_t d = memory->digit_in(digit, key[i]);
        const uint32_t shift = (d & 1) * 16;
        const uint32_t counts = atomicAdd(
            i * THREADS + t < size ? &memory->count[d / 2] : &s_none[lane_index()], 1U << shift);
        place[i] = counts >> shift << 16 | d;
    }
    __syncthreads();
    const uint32_t largest = scan_counts<THREADS, N>(memory->count);
    const bool crowded = __syncthreads_or(largest >= CROWD_LEAST) != 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        if (i * THREADS + t < size)
            memory->key[first + memory->begin(place[i] & 0xffff) + (place[i] >> 16)] = key[i];
    __syncthreads();
    if (!crowded)
        return false;
    bool mixed = false;
    for (uint32_t x = t; x < size; x += THREADS) {
        const gs_key own = memory->key[first + x];
        const uint32_t d = memory->digit_in(digit, own);
        const uint32_t begin = memory->begin(d);
        mixed = mixed ||
                (memory->begin(d + 1) - begin >= CROWD_LEAST && memory->key[first + begin] != own);
    }
    return __syncthreads_or(mixed) != 0;
}

/* Write the keys that have been placed from s_keys on, each behind the lesser ones of its group.
 * Groups from CROWD_LEAST keys on are taken to be in order. */
template <int THREADS, int KEYS>
static __device__ __forceinline__ void write_ranked(const struct bin_memory<KEYS> *memory,
                                                    const gs_key *s_keys, uint32_t size,
                                                    const struct gs_gpu_digit &digit, gs_key *out)
{
    const bool exact = digit_is_exact(digit); /* then keys of a group are equal */
#pragma unroll 4
    for (uint32_t x = threadIdx.x; x < size; x += THREADS) {
        const gs_key own = s_keys[x];
        const uint32_t d = memory->digit_in(digit, own);
        const uint32_t begin = memory->begin(d);
        const uint32_t end = memory->begin(d + 1);
        uint32_t place = begin;
        if (end - begin == 1 || end - begin >= CROWD_LEAST || exact)
            place = x;
        else
            for (uint32_t j = begin; j < end; j++) {
                const gs_key other = s_keys[j];
                place += other < own || (other == own && j < x);
            }
        out[place] = own;
    }
}

/* Sort a crowd by a warp, with EACH keys a lane. */
template <int EACH> static __device__ __forceinline__ void sort_crowd(gs_key *s_keys, uint32_t size)
{
    const uint32_t lane = lane_index();
    gs_key key[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++)
        key[i] = lane * EACH + i < size ? s_keys[lane * EACH + i] : GS_KEY_MAX;
    sort_bitonic_warp(key, 32);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (lane * EACH + i < size)
            s_keys[lane * EACH + i] = key[i];
}

/* The crowds of a bin: begin << 16 | size. Small ones are listed from the front, others from the
 * back. */
template <int KEYS> struct crowd_list {
    static const uint32_t MOST = KEYS / CROWD_LEAST;
    uint32_t crowd[MOST];
    uint32_t small;
    uint32_t large;
};

/* List the crowds, and whatever else is as large; sort the small ones, each by a warp. */
template <int THREADS, int N>
static __device__ __forceinline__ void settle_crowds(const struct bin_memory<THREADS * N> *memory,
                                                     gs_key *s_keys,
                                                     struct crowd_list<THREADS * N> *list)
{
    if (threadIdx.x == 0)
        list->small = list->large = 0;
    __syncthreads();
    for (uint32_t d = threadIdx.x; d < memory->DIGITS; d += THREADS) {
        const uint32_t begin = memory->begin(d);
        const uint32_t size = memory->begin(d + 1) - begin;
        if (size > CROWD_MOST)
            list->crowd[list->MOST - 1 - atomicAdd(&list->large, 1)] = begin << 16 | size;
        else if (size >= CROWD_LEAST)
            list->crowd[atomicAdd(&list->small, 1)] = begin << 16 | size;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x / 32; i < list->small; i += THREADS / 32) {
        gs_key *s_crowd = s_keys + (list->crowd[i] >> 16);
        const uint32_t size = list->crowd[i] & 0xffff;
        if (size <= 64)
            sort_crowd<2>(s_crowd, size);
        else if (size <= 128)
            sort_crowd<4>(s_crowd, size);
        else
            sort_crowd<8>(s_crowd, size);
    }
    __syncthreads();
}

#endif

/* gpu_crowds.cuh -- bins that a linear digit does not spread: repeated keys, and skew inside a bin.
 * SPDX-License-Identifier: MIT
 *
 * Parts of sort_bins_gpu.cu, for one block and keys in its shared memory. A crowd is a group of
 * keys with the same digit that is too large for the windows there. Most crowds are copies of one
 * key; a warp sorts each of the others. If one exceeds what a warp's registers can hold, the digit
 * is useless, and a network sorts the bin in a time that does not depend on the distribution.
 */
#ifndef GS_GPU_CROWDS_CUH
#define GS_GPU_CROWDS_CUH

#include "sort/device/kernels/gpu_bitonic.cuh"

enum {
    ITEMS = 16,      /* keys of a thread, and of a window */
    SETTLED = 8,     /* most keys of a group that the windows always sort */
    CROWD_MOST = 32, /* most keys of a crowd that a warp sorts with one key per lane */
    CROWD_EACH = 8,  /* keys per lane in larger crowds; more would spill */
    CROWD_LARGE = 32 * CROWD_EACH
};

/* Words of shared memory for `keys` keys and one more window. */
static constexpr __host__ __device__ size_t key_words(uint32_t keys)
{
    return gs_gpu_padded(keys + 2 * ITEMS - 1) + 4 & ~(size_t)3;
}

/* Crowds, as first << 16 | keys. */
template <int THREADS> struct crowd_list {
    uint32_t count;
    uint32_t crowd[THREADS * ITEMS / (SETTLED + 1)];

    __device__ __forceinline__ void add(uint32_t first, uint32_t keys)
    {
        if (keys > SETTLED)
            crowd[atomicAdd(&count, 1)] = first << 16 | keys;
    }
};

/* Are s_keys[first .. end) copies of one key? Called by one thread. */
static __device__ __forceinline__ bool is_one_key(const uint32_t *s_keys, uint32_t first,
                                                  uint32_t end)
{
    const uint32_t last = s_keys[gs_gpu_padded(end - 1)];
    while (first < end && s_keys[gs_gpu_padded(first)] == last)
        first++;
    return first == end;
}

/* The same, by a warp, for many keys. */
static __device__ __forceinline__ bool is_one_key_warp(const uint32_t *s_keys, uint32_t first,
                                                       uint32_t end)
{
    const uint32_t last = s_keys[gs_gpu_padded(end - 1)];
    bool same = true;
    for (uint32_t x = first + lane_index(); x < end && same; x += 32)
        same = s_keys[gs_gpu_padded(x)] == last;
    return __all_sync(GS_ALL_LANES, same) != 0;
}

/* Sort s_keys[first .. end), at most 32 keys, by one warp: a bitonic network over its lanes, with
 * all steps unrolled. With the loops of sort_bitonic_warp, 2^22 keys of a grid take 1.10 times as
 * long. */
static __device__ __forceinline__ void sort_warp(uint32_t *s_keys, uint32_t first, uint32_t end)
{
    const uint32_t lane = lane_index();
    uint32_t key = first + lane < end ? s_keys[gs_gpu_padded(first + lane)] : GS_KEY_MAX;
    for (uint32_t size = 2; size <= 32; size *= 2)
        for (uint32_t step = size / 2; step > 0; step /= 2) {
            uint32_t other = __shfl_xor_sync(GS_ALL_LANES, key, (int)step);
            bool ascends = (lane & size) == 0;
            bool lower = (lane & step) == 0;
            key = ascends == lower ? min(key, other) : max(key, other);
        }
    if (first + lane < end)
        s_keys[gs_gpu_padded(first + lane)] = key;
}

/* The same for up to CROWD_LARGE keys, CROWD_EACH consecutive keys per lane. */
static __device__ __forceinline__ void sort_crowd_warp(uint32_t *s_keys, uint32_t first,
                                                       uint32_t keys)
{
    const uint32_t mine = lane_index() * CROWD_EACH;
    uint32_t lanes = 2 * CROWD_MOST / CROWD_EACH; /* at least: there are over CROWD_MOST keys */
    while (lanes * CROWD_EACH < keys)
        lanes *= 2;
    uint32_t key[CROWD_EACH];
#pragma unroll
    for (int i = 0; i < CROWD_EACH; i++)
        key[i] = mine + i < keys ? s_keys[gs_gpu_padded(first + mine + i)] : GS_KEY_MAX;
    sort_bitonic_warp(key, lanes);
#pragma unroll
    for (int i = 0; i < CROWD_EACH; i++)
        if (mine + i < keys)
            s_keys[gs_gpu_padded(first + mine + i)] = key[i];
}

/* Sort all groups of more than SETTLED keys. LARGE: some may have more than CROWD_MOST keys; then
 * returns false, in all threads of the block, if one of more than CROWD_LARGE has several values.
 * s_count holds where each digit begins. s_lists: two lists. A barrier follows the last change of
 * s_keys. */
template <int THREADS, bool LARGE>
static __device__ __forceinline__ bool settle_crowds(uint32_t *s_keys, const uint32_t *s_count,
                                                     uint32_t digits, uint32_t size,
                                                     struct crowd_list<THREADS> *s_lists)
{
    if (threadIdx.x < 2)
        s_lists[threadIdx.x].count = 0;
    __syncthreads();
    for (uint32_t d = threadIdx.x; d < digits; d += THREADS)
        s_lists[1].add(s_count[d], (d + 1 < digits ? s_count[d + 1] : size) - s_count[d]);
    __syncthreads();
    /* Most crowds are copies of one key, which a thread finds out sooner than a warp. */
    for (uint32_t c = threadIdx.x; c < s_lists[1].count; c += THREADS) {
        const uint32_t first = s_lists[1].crowd[c] >> 16;
        const uint32_t keys = s_lists[1].crowd[c] & 0xffff;
        if ((LARGE && keys > CROWD_MOST) || !is_one_key(s_keys, first, first + keys))
            s_lists[0].add(first, keys);
    }
    __syncthreads();
    const uint32_t crowds = s_lists[0].count;
    bool settled = true;
    for (uint32_t c = threadIdx.x / 32; c < crowds; c += THREADS / 32) {
        const uint32_t first = s_lists[0].crowd[c] >> 16;
        const uint32_t keys = s_lists[0].crowd[c] & 0xffff;
        if (!LARGE || keys <= CROWD_MOST)
            sort_warp(s_keys, first, first + keys);
        else if (!is_one_key_warp(s_keys, first, first + keys)) {
            if (keys > CROWD_LARGE)
                settled = false;
            else
                sort_crowd_warp(s_keys, first, keys);
        }
    }
    if (LARGE)
        return __syncthreads_and(settled) != 0;
    __syncthreads();
    return true;
}

/* Sort in[0 .. size) to out, which may be the same, by a network over as many threads as needed. */
template <int THREADS>
static __device__ __forceinline__ void sort_network_block(const uint32_t *in, uint32_t *out,
                                                          uint32_t size, uint32_t *s_keys)
{
    const uint32_t t = threadIdx.x;
    uint32_t threads = 32;
    while (threads * ITEMS < size)
        threads *= 2;
    uint32_t key[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const uint32_t x = i * threads + t;
        key[i] = t < threads && x < size ? in[x] : GS_KEY_MAX;
    }
    sort_bitonic(key, s_keys, threads);
    __syncthreads(); /* all have read the last step's keys */
    if (t < threads) {
        uint32_t *window = s_keys + gs_gpu_padded(t * ITEMS);
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            window[i] = key[i];
    }
    __syncthreads();
    for (uint32_t x = t; x < size; x += THREADS)
        out[x] = s_keys[gs_gpu_padded(x)];
}

#endif

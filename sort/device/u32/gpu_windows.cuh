/* gpu_windows.cuh -- from a bin's digit counters to its keys in order: scan, sort groups, write.
 * SPDX-License-Identifier: MIT
 *
 * Parts of sort_bins_gpu.cu and gpu_hard.cuh, for one block and keys in its shared memory.
 */
#ifndef GS_GPU_WINDOWS_CUH
#define GS_GPU_WINDOWS_CUH

#include "sort/device/u32/gpu_crowds.cuh"
#include "sort/device/u32/gpu_network.cuh"

enum { HALF = ITEMS / 2 };

/* Counters per thread. Large bins more often have a group that is too large, which costs more than
 * the other half of the counters. */
template <int THREADS> static constexpr __host__ __device__ int counts_of()
{
    return THREADS * ITEMS == GS_GPU_SMALL_KEYS ? (int)HALF : ITEMS;
}

/* The position of counter d, if counters are dispersed: its bank then depends on bits 9 to 11 of d,
 * too. Keys that follow a pattern ask for counters a power of two apart, where each counter stands
 * for one value. Four consecutive counters stay consecutive. */
static __device__ __forceinline__ uint32_t disperse(uint32_t d)
{
    return d ^ (d >> 7 & 28);
}

/* An exclusive scan of the counters, in place. A warp owns a contiguous piece and reads it 16 bytes
 * per lane. `dispersed`: counter d is at disperse(d). The sums of two reads share a register, as no
 * sum within a warp's piece, nor the block's, reaches 2^16. Returns the largest counter that this
 * thread has read; the atomic adds could not tell that without waiting for their results. */
template <int THREADS, int COUNTS>
static __device__ __forceinline__ uint32_t scan_counters(uint32_t *s_count, bool dispersed)
{
    static_assert(THREADS * ITEMS < 1 << 16, "sums fit half a register");
    __shared__ uint32_t s_warp[32];
    const int warps = THREADS / 32;
    const uint32_t warp = threadIdx.x / 32;
    const uint32_t lane = lane_index() ^ (dispersed ? warp * COUNTS / 16 & 7 : 0);
    uint4 *piece = (uint4 *)(s_count + warp * 32 * COUNTS) + lane;
    uint32_t largest = 0;
    uint32_t sum[COUNTS / 4];
    uint4 counts[COUNTS / 4];
#pragma unroll
    for (int i = 0; i < COUNTS / 4; i++) {
        const uint4 count = counts[i] = piece[32 * i];
        sum[i] = count.x + count.y + count.z + count.w;
        largest = max(max(largest, count.x), max(max(count.y, count.z), count.w));
    }
    uint32_t before = 0; /* sum of this warp's earlier reads */
    uint32_t start[COUNTS / 4];
#pragma unroll
    for (int i = 0; i < COUNTS / 4; i += 2) {
        uint32_t both = scan_warp(sum[i] | sum[i + 1] << 16);
        uint32_t all = __shfl_sync(GS_ALL_LANES, both, 31);
        start[i] = before + (both & 0xffff) - sum[i];
        start[i + 1] = before + (all & 0xffff) + (both >> 16) - sum[i + 1];
        before += (all & 0xffff) + (all >> 16);
    }
    if (lane_index() == 0)
        s_warp[warp] = before;
    __syncthreads();
    /* Each warp sums up the warps before it, which saves a second barrier. */
    uint32_t below = lane_index() < warps && lane_index() < warp ? s_warp[lane_index()] : 0;
#pragma unroll
    for (int step = 16; step > 0; step >>= 1)
        below += __shfl_xor_sync(GS_ALL_LANES, below, step);
#pragma unroll
    for (int i = 0; i < COUNTS / 4; i++) {
        /* Read again where holding all would take too many registers. */
        const uint4 count = COUNTS < ITEMS ? counts[i] : piece[32 * i];
        uint4 place;
        place.x = below + start[i];
        place.y = place.x + count.x;
        place.z = place.y + count.y;
        place.w = place.z + count.z;
        piece[32 * i] = place;
    }
    return largest;
}

/* Sort groups of up to 8 keys: s_keys[0 .. keys) are in place except for the order within
 * groups. */
static __device__ __forceinline__ void settle_groups(uint32_t *s_keys, uint32_t keys)
{
    const uint32_t first = threadIdx.x * ITEMS;
    const bool mine = first < keys;
    uint32_t *window = s_keys + gs_gpu_padded(first);
    uint32_t *next = s_keys + gs_gpu_padded(first + ITEMS);
    uint32_t key[ITEMS];
    if (mine) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            key[i] = window[i];
        sort_network<0, ITEMS>(key);
        /* The lower half is for the thread below, which merges it and writes the result. */
#pragma unroll
        for (int i = 0; i < HALF; i++)
            window[i] = key[i];
    }
    __syncthreads();
    if (mine) {
#pragma unroll
        for (int i = 0; i < HALF; i++) {
            key[i] = key[i + HALF];
            key[i + HALF] = next[i];
        }
        merge_network<0, ITEMS, 1>(key);
#pragma unroll
        for (int i = 0; i < HALF; i++) {
            window[i + HALF] = key[i];
            next[i] = key[i + HALF];
        }
    }
    __syncthreads();
}

/* Write sorted keys from shared memory; key i of a thread exists if i * THREADS < rest. */
template <int THREADS>
static __device__ __forceinline__ void write_keys(uint32_t *out, const uint32_t *s_keys, int rest)
{
    const uint32_t t = threadIdx.x;
    const uint32_t *s_mine = s_keys + gs_gpu_padded(t);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (i * THREADS < rest)
            out[i * THREADS + t] = s_mine[gs_gpu_padded(i * THREADS)];
}

#endif

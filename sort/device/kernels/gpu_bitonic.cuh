/* gpu_bitonic.cuh -- a bitonic sorting network over the threads of a block.
 * SPDX-License-Identifier: MIT
 *
 * The form of the network in which all comparisons point upwards: the first step of each merge
 * compares x with its mirror image. A thread holds KEYS consecutive keys, a power of two: strides
 * below KEYS stay in its registers, strides below 32 KEYS are shuffles, larger ones go through
 * shared memory. [Batcher 1968]
 */
#ifndef GS_GPU_BITONIC_CUH
#define GS_GPU_BITONIC_CUH

#include "sort/device/kernels/gpu_block.cuh"

enum { BITONIC_KEYS = 8 }; /* of a thread, by default */

/* Compare a key of this thread with one of its partner thread, and keep the lesser if this is the
 * lower thread, else the larger. */
static __device__ __forceinline__ gs_key keep(gs_key mine, gs_key other, bool lower)
{
    return lower ? min(mine, other) : max(mine, other);
}

/* One step within a thread: stride STRIDE, or with MIRROR the mirrored first step of a merge of 2 *
 * STRIDE keys. */
template <int STRIDE, bool MIRROR, int KEYS>
static __device__ __forceinline__ void step_registers(gs_key (&key)[KEYS])
{
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        const int other = MIRROR ? i ^ (2 * STRIDE - 1) : i ^ STRIDE;
        if (i < other) {
            gs_key least = min(key[i], key[other]);
            key[other] = max(key[i], key[other]);
            key[i] = least;
        }
    }
}

/* The strides from STRIDE, below KEYS, down to 1. */
template <int STRIDE, int KEYS>
static __device__ __forceinline__ void finish_registers(gs_key (&key)[KEYS])
{
    if constexpr (STRIDE > 0) {
        step_registers<STRIDE, false>(key);
        finish_registers<STRIDE / 2>(key);
    }
}

/* Sort each SIZE consecutive keys of a thread. */
template <int SIZE, int KEYS>
static __device__ __forceinline__ void sort_registers(gs_key (&key)[KEYS])
{
    if constexpr (SIZE > 1) {
        sort_registers<SIZE / 2>(key);
        step_registers<SIZE / 2, true>(key);
        finish_registers<SIZE / 4>(key);
    }
}

/* One step between lanes, whose numbers differ in the bits `lanes`. */
template <bool MIRROR, int KEYS>
static __device__ __forceinline__ void step_lanes(gs_key (&key)[KEYS], uint32_t lanes, bool lower)
{
    gs_key other[KEYS];
#pragma unroll
    for (int i = 0; i < KEYS; i++)
        other[i] = shuffle_xor(key[MIRROR ? KEYS - 1 - i : i], lanes);
#pragma unroll
    for (int i = 0; i < KEYS; i++)
        key[i] = keep(key[i], other[i], lower);
}

/* One step between warps: threads whose numbers differ in `bits`. */
template <bool MIRROR, int KEYS>
static __device__ __forceinline__ void step_block(gs_key (&key)[KEYS], gs_key *s_keys,
                                                  uint32_t threads, uint32_t bits, bool lower)
{
    const uint32_t t = threadIdx.x;
    __syncthreads(); /* the step before has been read */
    if (t < threads) {
#pragma unroll
        for (int i = 0; i < KEYS; i++)
            s_keys[i * threads + t] = key[i];
    }
    __syncthreads();
    if (t < threads) {
#pragma unroll
        for (int i = 0; i < KEYS; i++) {
            const int from = MIRROR ? KEYS - 1 - i : i;
            key[i] = keep(key[i], s_keys[from * threads + (t ^ bits)], lower);
        }
    }
}

/* The strides from `lanes` lanes, 16 at most, down to 1 key. */
template <int KEYS>
static __device__ __forceinline__ void finish_lanes(gs_key (&key)[KEYS], uint32_t lanes)
{
#pragma unroll 1
    for (uint32_t stride = lanes; stride > 0; stride /= 2)
        step_lanes<false>(key, stride, (threadIdx.x & stride) == 0);
    finish_registers<KEYS / 2>(key);
}

/* Sort the keys of the first `lanes` lanes of a warp, a power of two; the result runs lane by
 * lane. */
template <int KEYS>
static __device__ __forceinline__ void sort_bitonic_warp(gs_key (&key)[KEYS], uint32_t lanes)
{
    sort_registers<KEYS>(key);
    /* Merge runs of `half` lanes. */
#pragma unroll 1
    for (uint32_t half = 1; half < lanes; half *= 2) {
        step_lanes<true>(key, 2 * half - 1, (threadIdx.x & half) == 0);
        finish_lanes(key, half / 2);
    }
}

/* The same for the first `threads` threads of a block. If these are more than a warp, all threads
 * of the block must call this. s_keys: shared memory for the keys. */
template <int KEYS>
static __device__ __forceinline__ void sort_bitonic(gs_key (&key)[KEYS], gs_key *s_keys,
                                                    uint32_t threads)
{
    const uint32_t t = threadIdx.x;
    sort_bitonic_warp(key, min(threads, 32U));
#pragma unroll 1
    for (uint32_t half = 32; half < threads; half *= 2) {
        step_block<true>(key, s_keys, threads, 2 * half - 1, (t & half) == 0);
#pragma unroll 1
        for (uint32_t stride = half / 2; stride >= 32; stride /= 2)
            step_block<false>(key, s_keys, threads, stride, (t & stride) == 0);
        finish_lanes(key, 16);
    }
}

#endif

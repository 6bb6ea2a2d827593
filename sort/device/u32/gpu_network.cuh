/* gpu_network.cuh -- Batcher's odd-even merge sort on registers.
 * SPDX-License-Identifier: MIT
 *
 * All indices are template parameters, so that no array ends up in local memory.
 * [Knuth, TAOCP 3, 5.3.4: 63 comparators for 16 keys, 25 to merge 8 with 8]
 */
#ifndef GS_GPU_NETWORK_CUH
#define GS_GPU_NETWORK_CUH

#include <stdint.h>

static __device__ __forceinline__ void compare_exchange(uint32_t &a, uint32_t &b)
{
    uint32_t less = min(a, b);
    b = max(a, b);
    a = less;
}

/* Merge the sorted halves of key[FIRST], key[FIRST + STEP], ... (COUNT positions in all). */
template <int FIRST, int COUNT, int STEP, int SIZE>
static __device__ __forceinline__ void merge_network(uint32_t (&key)[SIZE])
{
    if constexpr (2 * STEP < COUNT) {
        merge_network<FIRST, COUNT, 2 * STEP>(key);
        merge_network<FIRST + STEP, COUNT, 2 * STEP>(key);
#pragma unroll
        for (int i = FIRST + STEP; i + STEP < FIRST + COUNT; i += 2 * STEP)
            compare_exchange(key[i], key[i + STEP]);
    } else {
        compare_exchange(key[FIRST], key[FIRST + STEP]);
    }
}

template <int FIRST, int COUNT, int SIZE>
static __device__ __forceinline__ void sort_network(uint32_t (&key)[SIZE])
{
    if constexpr (COUNT > 1) {
        sort_network<FIRST, COUNT / 2>(key);
        sort_network<FIRST + COUNT / 2, COUNT / 2>(key);
        merge_network<FIRST, COUNT, 1>(key);
    }
}

#endif

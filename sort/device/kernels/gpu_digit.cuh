/* gpu_digit.cuh -- linear digits: make one, find a key's digit, and the least key with a digit.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_DIGIT_CUH
#define GS_GPU_DIGIT_CUH

#include "sort/device/kernels/gpu_sort.h"

/* The digit that spreads [low, high] over `bins`. The factor may be slightly too small, never too
 * large, so that no digit reaches bins. */
static __device__ __forceinline__ struct gs_gpu_digit make_digit(uint32_t low, uint32_t high,
                                                                 uint32_t bins)
{
    struct gs_gpu_digit digit;
    uint32_t range = high - low;
    uint32_t stretch = range == 0 ? 31 : (uint32_t)__clz((int)range);
    digit.scale = 1U << stretch;
    digit.offset = 0U - (low << stretch);
    if (range < bins) { /* one digit per value: d = key - low */
        digit.factor = 1U << (32 - stretch);
    } else {
        float wide = __uint2float_ru(range << stretch) + (float)digit.scale;
        float factor = __fdividef((float)bins * 4294967296.0F, wide) * (1 - 0x1p-20F);
        digit.factor = __float2uint_rd(factor);
    }
    return digit;
}

/* True if no two values share a digit, so that a digit is the key less the least key. */
static __device__ __forceinline__ bool digit_is_exact(struct gs_gpu_digit digit)
{
    return (uint64_t)digit.factor * digit.scale >= 1ULL << 32;
}

static __device__ __forceinline__ uint32_t digit_of(struct gs_gpu_digit digit, uint32_t key)
{
    return __umulhi(key * digit.scale + digit.offset, digit.factor);
}

/* The digit in the upper half and, in the lower, the key's fraction within it. Takes two
 * registers. */
static __device__ __forceinline__ uint64_t digit_wide(struct gs_gpu_digit digit, uint32_t key)
{
    return (uint64_t)(key * digit.scale + digit.offset) * digit.factor;
}

/* The least key of a slot for which digit_wide() is at least `wide`, or 2^32 or more if there is
 * none. wide > 0: of a single digit the factor may be 0. */
static __device__ __forceinline__ uint64_t least_key_wide(struct gs_gpu_digit digit, uint32_t low,
                                                          uint64_t wide)
{
    const uint64_t stretched = (wide + digit.factor - 1) / digit.factor;
    return low + (stretched + digit.scale - 1) / digit.scale;
}

/* The same for a digit_of() of at least d > 0. */
static __device__ __forceinline__ uint64_t least_key(struct gs_gpu_digit digit, uint32_t low,
                                                     uint32_t d)
{
    return least_key_wide(digit, low, (uint64_t)d << 32);
}

#endif

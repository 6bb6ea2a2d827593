/* gpu_digit.cuh -- linear digits: make one, find a key's, and the least key of one.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_DIGIT_CUH
#define GS_GPU_DIGIT_CUH

#include "sort/gpu_sort.h"

/* The digit that spreads [low, high] over `bins`. The factor may be a little too small, never too
 * large: no digit reaches bins. */
static __device__ __forceinline__ struct gs_gpu_digit make_digit(uint32_t low, uint32_t high,
                                                                 uint32_t bins)
{
    struct gs_gpu_digit digit;
    uint32_t range = high - low;
    uint32_t stretch = range == 0 ? 31 : (uint32_t)__clz((int)range);
    digit.scale = 1U << stretch;
    digit.offset = 0U - (low << stretch);
    if (range < bins) { /* each key its own: d = key - low */
        digit.factor = 1U << (32 - stretch);
    } else {
        float wide = __uint2float_ru(range << stretch) + (float)digit.scale;
        float factor = __fdividef((float)bins * 4294967296.0F, wide) * (1 - 0x1p-20F);
        digit.factor = __float2uint_rd(factor);
    }
    return digit;
}

/* True if no two values share a digit: it is the value less the least. */
static __device__ __forceinline__ bool digit_is_exact(struct gs_gpu_digit digit)
{
    return (uint64_t)digit.factor * digit.scale >= 1ULL << 32;
}

static __device__ __forceinline__ uint32_t digit_of(struct gs_gpu_digit digit, uint32_t key)
{
    return __umulhi(key * digit.scale + digit.offset, digit.factor);
}

/* The same, and in the lower half how far into the digit the key is; takes two registers. */
static __device__ __forceinline__ uint64_t digit_wide(struct gs_gpu_digit digit, uint32_t key)
{
    return (uint64_t)(key * digit.scale + digit.offset) * digit.factor;
}

/* The least key of a slot for which digit_wide() is that or more, or 2^32 or more if there is none.
 * wide > 0: a single digit has no factor. */
static __device__ __forceinline__ uint64_t least_key_wide(struct gs_gpu_digit digit, uint32_t low,
                                                          uint64_t wide)
{
    const uint64_t stretched = (wide + digit.factor - 1) / digit.factor;
    return low + (stretched + digit.scale - 1) / digit.scale;
}

/* The same for digit d > 0. */
static __device__ __forceinline__ uint64_t least_key(struct gs_gpu_digit digit, uint32_t low,
                                                     uint32_t d)
{
    return least_key_wide(digit, low, (uint64_t)d << 32);
}

#endif

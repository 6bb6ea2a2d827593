/* gpu_digit.cuh -- linear digits: make one, find a key's digit, and the least key with a digit.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_DIGIT_CUH
#define GS_GPU_DIGIT_CUH

#include "sort/device/kernels/gpu_work.h"

/* The digit that spreads [low, high] over `bins`. The factor may be slightly too small, never too
 * large, so that no digit reaches bins. */
#if GS_BITS == 32
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
#else
static __device__ __forceinline__ struct gs_gpu_digit make_digit(gs_key low, gs_key high,
                                                                 uint32_t bins)
{
    const struct gs_gpu_scale scale = gs_gpu_scale(low, high, 32);
    const uint32_t range = (uint32_t)((high - low) >> scale.shift);
    struct gs_gpu_digit digit;
    digit.shift = scale.shift;
    digit.base = low;
    if (range < bins) { /* one digit per value: hi32((d + 1) * (2^32 - 1)) = d */
        digit.factor = UINT32_MAX;
        digit.base = low - 1;
    } else {
        float wide = __uint2float_ru(range) + 1;
        float factor = __fdividef((float)bins * 4294967296.0F, wide) * (1 - 0x1p-20F);
        digit.factor = __float2uint_rd(factor);
    }
    return digit;
}
#endif

/* The part of a key that its digit depends on. */
static __device__ __forceinline__ uint32_t digit_input(const struct gs_gpu_digit &digit, gs_key key)
{
#if GS_BITS == 32
    return key * digit.scale + digit.offset;
#else
    return (uint32_t)((key - digit.base) >> digit.shift);
#endif
}

/* True if no two values share a digit, so that a digit is the key less the least key. */
static __device__ __forceinline__ bool digit_is_exact(struct gs_gpu_digit digit)
{
#if GS_BITS == 32
    return (uint64_t)digit.factor * digit.scale >= 1ULL << 32;
#else
    return digit.factor == UINT32_MAX;
#endif
}

static __device__ __forceinline__ uint32_t digit_of(struct gs_gpu_digit digit, gs_key key)
{
    return __umulhi(digit_input(digit, key), digit.factor);
}

/* The digit in the upper half and, in the lower, the key's fraction within it. Takes two
 * registers. */
static __device__ __forceinline__ uint64_t digit_wide(struct gs_gpu_digit digit, gs_key key)
{
    return (uint64_t)digit_input(digit, key) * digit.factor;
}

#if GS_BITS == 32
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
#else
/* The least shifted distance from the base of a digit of at least d > 0, where values share digits;
 * 2^32 or more if there is none. */
static __device__ __forceinline__ uint64_t least_distance(struct gs_gpu_digit digit, uint32_t d)
{
    return (((uint64_t)d << 32) + digit.factor - 1) / digit.factor;
}
#endif

#endif

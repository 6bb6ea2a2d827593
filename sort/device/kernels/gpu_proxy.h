/* gpu_proxy.h -- 32 bits of an element that order it: by these, elements of any width find bins.
 * SPDX-License-Identifier: MIT
 *
 * A proxy is an element's distance from a least one, without the bits that do not fit: it never
 * falls as elements rise. So bins by proxies are in order, and all that finds bins (guide, tree,
 * linear digits) is made for 32 bits. Where that tells too few elements apart, bins are found by
 * whole splitters instead. Of 32 bits, an element is its own proxy.
 */
#ifndef GS_GPU_PROXY_H
#define GS_GPU_PROXY_H

#include "common/formats/keys.h"
#include "common/random.h" /* GS_HOST_DEVICE */

#include <stdbool.h>

#if GS_BITS > 32
struct gs_gpu_scale {
    gs_key base; /* lesser elements have proxy 0, too */
    gs_key top;  /* the largest element for which the shift was chosen */
    uint32_t shift;
};

/* Bits of a number without its leading zeros; 0 for 0. */
GS_HOST_DEVICE static inline uint32_t gs_gpu_bits(gs_key number)
{
#ifdef __CUDA_ARCH__
    const bool upper = GS_BITS > 64 && number >> (GS_BITS - 64) != 0;
    const uint64_t word = (uint64_t)(upper ? number >> (GS_BITS - 64) : number);
    return (upper ? GS_BITS : 64) - (uint32_t)__clzll((long long)word);
#else
    return number == 0 ? 0 : GS_BITS - gs_key_clz(number);
#endif
}

/* The scale on which low .. high have proxies below 2^bits. */
GS_HOST_DEVICE static inline struct gs_gpu_scale gs_gpu_scale(gs_key low, gs_key high,
                                                              uint32_t bits)
{
    const uint32_t length = gs_gpu_bits(high - low);
    struct gs_gpu_scale scale;
    scale.base = low;
    scale.top = high;
    scale.shift = length > bits ? length - bits : 0;
    return scale;
}

GS_HOST_DEVICE static inline uint32_t gs_gpu_proxy(struct gs_gpu_scale scale, gs_key key)
{
    const gs_key distance = (key > scale.base ? key - scale.base : 0) >> scale.shift;
    return distance >> 32 != 0 ? UINT32_MAX : (uint32_t)distance;
}

/* The least element of that distance from the base: of a proxy, or of 2^32. It may exceed all. */
GS_HOST_DEVICE static inline gs_key gs_gpu_least(struct gs_gpu_scale scale, uint64_t proxy)
{
    return scale.base + ((gs_key)proxy << scale.shift);
}
#endif

#endif

/* sample_position.h -- where in the input each key of the sample comes from.
 * SPDX-License-Identifier: MIT
 *
 * Sample i comes from a random position of [i n / S, (i + 1) n / S): as well spread as equidistant
 * positions, but periodic input cannot hide from it. The positions depend on n and the seed alone,
 * so the same input gives the same sample on every device.
 */
#ifndef GS_SAMPLE_POSITION_H
#define GS_SAMPLE_POSITION_H

#include "common/random.h"

/* The position of sample i of `samples` from n keys, samples <= n. */
GS_HOST_DEVICE static inline uint64_t gs_sample_position(uint64_t i, uint64_t samples, uint64_t n,
                                                         uint64_t seed)
{
    /* i * n would overflow from 2^40 keys on; whole and fractional part by themselves do not. */
    uint64_t whole = n / samples;
    uint64_t rest = n % samples;
    uint64_t begin = i * whole + i * rest / samples;
    uint64_t end = (i + 1) * whole + (i + 1) * rest / samples;
    return begin + gs_random(seed, i) % (end - begin);
}

#endif

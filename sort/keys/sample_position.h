/* sample_position.h -- the position in the input of each key of the sample.
 * SPDX-License-Identifier: MIT
 *
 * Sample i of S comes from a random position of [i n / S, (i + 1) n / S): as well spread as
 * equidistant positions, but periodic input cannot hide from it. Positions depend only on n, S and
 * the seed, so the same input gives the same sample on every device.
 */
#ifndef GS_SAMPLE_POSITION_H
#define GS_SAMPLE_POSITION_H

#include "common/random.h"

/* The position of sample i of `samples` from n keys, samples <= n and <= 2^32. The only division is
 * of n by samples, which a compiler moves out of a loop over i: three divisions per sample took as
 * long as all the rest. */
GS_HOST_DEVICE static inline uint64_t gs_sample_position(uint64_t i, uint64_t samples, uint64_t n,
                                                         uint64_t seed)
{
    /* n / samples in fixed point, in units of 2^-32 keys, rounded up so that the last stratum ends
     * at n. The whole part is kept separately, since i * n would overflow from 2^40 keys on. */
    uint64_t whole = n / samples;
    uint64_t part = ((n % samples << 32) + samples - 1) / samples;
    uint64_t begin = i * whole + (i * part >> 32);
    uint64_t end = (i + 1) * whole + ((i + 1) * part >> 32);
    uint64_t width = end - begin;
    uint64_t draw = gs_random(seed, i) >> 32; /* below 2^32; add draw * width / 2^32 */
    return begin + draw * (width >> 32) + (draw * (uint32_t)width >> 32);
}

#endif

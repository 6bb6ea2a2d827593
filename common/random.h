/* random.h -- counter-based random numbers: the same value for (seed, index) on host and device.
 * SPDX-License-Identifier: MIT
 *
 * The mixer is SplitMix64's finalizer [Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, 2014]. No state: any index can be drawn at any time by any thread.
 */
#ifndef GS_RANDOM_H
#define GS_RANDOM_H

#include <stdint.h>

#ifdef __CUDACC__
#define GS_HOST_DEVICE __host__ __device__
#else
#define GS_HOST_DEVICE
#endif

/* 64 well-mixed bits for (seed, index). */
GS_HOST_DEVICE static inline uint64_t gs_random(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * 0xd1342543de82ef95U + (index + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

#endif

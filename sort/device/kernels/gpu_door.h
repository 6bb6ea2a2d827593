/* gpu_door.h -- records that become elements where level 1 loads them, and records where the sort
 * stores them: without passes of their own (codec_gpu.cu).
 * SPDX-License-Identifier: MIT
 *
 * A door is what of a codec a few instructions do: of records of 8 bytes, their bytes in another
 * order, and bits that are inverted, of floats and dates by their sign. All zero, it leaves keys
 * alone. device_codec.c makes it of a codec. Elements of other widths have no door.
 */
#ifndef GS_GPU_DOOR_H
#define GS_GPU_DOOR_H

#include "common/formats/keys.h"

struct gs_gpu_door {
    uint32_t there; /* whether records are not the elements */
#if GS_BITS == 64
    uint32_t picks;              /* whether bytes come in another order, */
    uint32_t load[2], store[2];  /* which __byte_perm has for either half */
    uint32_t signs;              /* whether the sign of a record tells which bits are inverted, */
    uint64_t flips, if_negative; /* and which, in any case and then, */
    uint64_t add;                /* and what is added next */
#endif
};

#ifdef __CUDACC__

/* A key at a door: a record comes in as its element, or an element leaves as its record. */
#if GS_BITS == 64
static __device__ __forceinline__ gs_key permute_key(const uint32_t (&halves)[2], gs_key key)
{
    const uint32_t low = (uint32_t)key;
    const uint32_t high = (uint32_t)(key >> 32);
    return (gs_key)__byte_perm(low, high, halves[1]) << 32 | __byte_perm(low, high, halves[0]);
}

/* Invert bits of a key, more of them if a number is negative. */
static __device__ __forceinline__ gs_key flip_key(const struct gs_gpu_door &door, gs_key key,
                                                  gs_key number)
{
    const uint32_t sign = (uint32_t)((int32_t)(number >> 32) >> 31);
    const uint32_t low = (uint32_t)door.flips ^ (sign & (uint32_t)door.if_negative);
    const uint32_t high =
        (uint32_t)(door.flips >> 32) ^ (sign & (uint32_t)(door.if_negative >> 32));
    return key ^ ((gs_key)high << 32 | low);
}
#endif

/* The branches are the same for all threads: one for several keys. */
template <int N>
static __device__ __forceinline__ void come_in(const struct gs_gpu_door &door, gs_key (&key)[N])
{
#if GS_BITS == 64
    if (!door.there)
        return;
    if (door.picks)
#pragma unroll
        for (int i = 0; i < N; i++)
            key[i] = permute_key(door.load, key[i]);
    if (door.signs)
#pragma unroll
        for (int i = 0; i < N; i++)
            key[i] = flip_key(door, key[i], key[i]) + door.add;
    else
#pragma unroll
        for (int i = 0; i < N; i++)
            key[i] ^= door.flips;
#else
    (void)door;
    (void)key;
#endif
}

static __device__ __forceinline__ gs_key come_in(const struct gs_gpu_door &door, gs_key key)
{
    gs_key one[1] = {key};
    come_in(door, one);
    return one[0];
}

static __device__ __forceinline__ gs_key leave(const struct gs_gpu_door &door, gs_key key)
{
#if GS_BITS == 64
    if (!door.there)
        return key;
    if (door.signs) { /* the sign of the record, from that of the element */
        key -= door.add;
        key = flip_key(door, key, key ^ door.flips);
    } else {
        key ^= door.flips;
    }
    return permute_key(door.store, key); /* here, to ask whether to would take as long */
#else
    (void)door;
    return key;
#endif
}

#endif

#endif

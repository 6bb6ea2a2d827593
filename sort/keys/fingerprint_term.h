/* fingerprint_term.h -- what a key adds to a fingerprint, on the host and on the device.
 * SPDX-License-Identifier: MIT
 *
 * The term of a key of 32 bits is two 32-bit mixes side by side, and terms add up modulo 2^64. Each
 * mix is a permutation of the keys (an odd multiplication, a shifted xor, another multiplication,
 * another xor), so a single changed key always changes the sum. Both share the first
 * multiplication. The second multiplications are needed to detect that bit 31 rose in one key and
 * fell in another. All are of 32 bits, since those are what vector units have.
 */
#ifndef GS_FINGERPRINT_TERM_H
#define GS_FINGERPRINT_TERM_H

#include "common/formats/keys.h"
#include "common/random.h" /* GS_HOST_DEVICE */

#if GS_KEY_BITS == 32

/* What both halves share. */
GS_HOST_DEVICE static inline uint32_t gs_term_mixed(gs_key key)
{
    uint32_t mixed = (key ^ 0x5bd1e995U) * 0x9e3779b1U; /* xor: key 0 is no term of 0 */
    return mixed ^ mixed >> 15;
}

GS_HOST_DEVICE static inline uint32_t gs_term_low(uint32_t mixed)
{
    uint32_t low = mixed * 0xc2b2ae3dU;
    return low ^ low >> 16;
}

GS_HOST_DEVICE static inline uint32_t gs_term_high(uint32_t mixed)
{
    uint32_t high = mixed * 0x27d4eb2fU;
    return high ^ high >> 13;
}

GS_HOST_DEVICE static inline uint64_t gs_term(gs_key key)
{
    const uint32_t mixed = gs_term_mixed(key);
    return gs_term_low(mixed) + ((uint64_t)gs_term_high(mixed) << 32);
}

#else

/* A permutation of 64 bits: two odd multiplications between shifted xors. */
GS_HOST_DEVICE static inline uint64_t gs_term_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

/* Of 128 bits, the lower half is mixed with what became of the upper one. */
GS_HOST_DEVICE static inline uint64_t gs_term(gs_key key)
{
    uint64_t term = (uint64_t)key ^ 0x5bd1e9955bd1e995U; /* key 0 is no term of 0 */
#if GS_KEY_BITS == 128
    term ^= gs_term_mix((uint64_t)(key >> 64) + 0x9e3779b97f4a7c15U);
#endif
    return gs_term_mix(term);
}
#endif

#endif

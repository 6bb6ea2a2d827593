/* fingerprint.c -- a sum of mixed keys that tells multisets apart.
 * SPDX-License-Identifier: MIT
 *
 * The term of a key of 32 bits is two 32-bit mixes side by side, and terms add up modulo 2^64. Each
 * mix is a permutation of the keys (an odd multiplication, a shifted xor, another multiplication,
 * another xor), so a single changed key always changes the sum. Both share the first
 * multiplication, and the two halves are summed separately, so that only one is widened: this takes
 * a third less time. The second multiplications are needed to detect that bit 31 rose in one key
 * and fell in another. All are of 32 bits, since those are what vector units have.
 */
#include "sort/keys/vectors.h"
#include "sort/keys/fingerprint.h"

#if GS_KEY_BITS == 32
GS_CLONES uint64_t gs_fingerprint(const gs_key *keys, uint64_t count)
{
    uint64_t low_sum = 0;
    uint32_t high_sum = 0; /* its carries would be beyond bit 63 */
    for (uint64_t i = 0; i < count; i++) {
        uint32_t mixed = (keys[i] ^ 0x5bd1e995U) * 0x9e3779b1U; /* xor: key 0 is no term of 0 */
        mixed ^= mixed >> 15;
        uint32_t low = mixed * 0xc2b2ae3dU;
        uint32_t high = mixed * 0x27d4eb2fU;
        low_sum += low ^ low >> 16;
        high_sum += high ^ high >> 13;
    }
    return low_sum + ((uint64_t)high_sum << 32);
}

#else

/* A permutation of 64 bits: two odd multiplications between shifted xors. */
static inline uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

/* Of 128 bits, the lower half is mixed with what became of the upper one. */
GS_CLONES uint64_t gs_fingerprint(const gs_key *keys, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t term = (uint64_t)keys[i] ^ 0x5bd1e9955bd1e995U; /* key 0 is no term of 0 */
#if GS_KEY_BITS == 128
        term ^= mix((uint64_t)(keys[i] >> 64) + 0x9e3779b97f4a7c15U);
#endif
        sum += mix(term);
    }
    return sum;
}
#endif

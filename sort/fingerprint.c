/* fingerprint.c -- a sum of mixed keys that tells multisets apart.
 * SPDX-License-Identifier: MIT
 *
 * Two independent 32-bit mixes of each key make its 64-bit term; terms add up modulo 2^64. Each mix
 * is a permutation of the keys (an odd multiplication, a shifted xor, an odd multiplication), so a
 * single changed key always changes the sum. 32-bit multiplications are what vector units have.
 */
#include "sort/clones.h"
#include "sort/gsort.h"

GS_CLONES uint64_t gs_fingerprint(const gs_key *keys, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t low = keys[i] * 0x9e3779b1U;
        uint32_t high = (keys[i] ^ 0x5bd1e995U) * 0x85ebca77U;
        low = (low ^ (low >> 15)) * 0xc2b2ae3dU;
        high = (high ^ (high >> 13)) * 0x27d4eb2fU;
        low ^= low >> 16;
        high ^= high >> 16;
        sum += (uint64_t)high << 32 | low;
    }
    return sum;
}

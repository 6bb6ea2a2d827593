/* fingerprint.c -- a sum of mixed keys that tells multisets apart.
 * SPDX-License-Identifier: MIT
 *
 * A key's term is two 32-bit mixes side by side, and terms add up modulo 2^64. Each mix is a
 * permutation of the keys (an odd multiplication, a shifted xor, another multiplication, another
 * xor), so a single changed key always changes the sum. Both share the first multiplication, and
 * the two halves are summed separately, so that only one is widened: this takes a third less time.
 * The second multiplications are needed to detect that bit 31 rose in one key and fell in another.
 * All are of 32 bits, since those are what vector units have.
 */
#include "sort/keys/vectors.h"
#include "sort/types/types.h"
#include "sort/keys/fingerprint.h"

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

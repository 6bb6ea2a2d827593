/* test_fingerprint.c -- the fingerprint ignores the order of keys and notices every other change.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/fingerprint.h"
#include "sort/keys/order.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>

int main(void)
{
    enum { N = 10007 };
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    uint64_t all = gs_fingerprint(keys, N);
    CHECK_EQUAL(gs_fingerprint(keys, 0), 0);
    for (uint64_t cut = 0; cut <= N; cut = cut * 3 + 1)
        CHECK_EQUAL(gs_fingerprint(keys, cut) + gs_fingerprint(keys + cut, N - cut), all);
    gs_order_reverse(keys, N);
    CHECK_EQUAL(gs_fingerprint(keys, N), all);
    uint64_t count = N;
    gs_key *sorted = sample_sorted(keys, &count, false, false);
    CHECK_EQUAL(gs_fingerprint(sorted, N), all);

    /* It notices a flipped bit, a missing key, and a key that replaces its neighbour. */
    for (uint64_t i = 0; i < N; i += 101) {
        for (unsigned bit = 0; bit < GS_KEY_BITS; bit++) {
            keys[i] ^= (gs_key)1 << bit;
            CHECK(gs_fingerprint(keys, N) != all);
            keys[i] ^= (gs_key)1 << bit;
        }
    }
    CHECK(gs_fingerprint(keys, N - 1) != all);
    for (uint64_t i = 1; i < N; i += 77) {
        gs_key kept = keys[i];
        keys[i] = keys[i - 1];
        CHECK(gs_fingerprint(keys, N) != all);
        keys[i] = kept;
    }
    /* It notices what a plain sum would not: +1 in one key, -1 in another. */
    for (uint64_t i = 1; i < N; i += 77) {
        keys[i]++;
        keys[i - 1]--;
        CHECK(gs_fingerprint(keys, N) != all);
        keys[i]--;
        keys[i - 1]++;
    }
    /* Keys of value 0 count, too: their number changes it. */
    gs_key zeros[3] = {0, 0, 0};
    CHECK(gs_fingerprint(zeros, 1) != 0);
    CHECK(gs_fingerprint(zeros, 2) != gs_fingerprint(zeros, 1));
    CHECK(gs_fingerprint(zeros, 2) != gs_fingerprint(zeros, 3));
    free(keys);
    free(sorted);
    return check_failures();
}

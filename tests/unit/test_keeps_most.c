/* test_keeps_most.c -- an estimate from samples: would most keys stay if duplicates were dropped?
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/keeps_most.h"
#include "common/random.h"
#include "sort/keys/params.h"
#include "tests/unit/check.h"

#include <stdlib.h>

enum { N = 3 << 20 };

/* The estimate for n keys in two spans. */
static bool ask(const gs_key *keys, uint64_t n)
{
    const struct gs_span spans[] = {{keys, n / 3, "a"}, {keys + n / 3, n - n / 3, "b"}};
    struct gs_tiles tiles;
    struct gs_error err;
    if (gs_tiles_make(&tiles, spans, 2, &err) != GS_OK)
        abort();
    bool most = gs_keeps_most(&tiles, 2);
    gs_tiles_free(&tiles);
    return most;
}

int main(void)
{
    gs_key *keys = malloc(N * sizeof *keys);
    if (keys == NULL)
        abort();
    for (uint64_t i = 0; i < N; i++)
        keys[i] = (gs_key)gs_random(1, i);
    CHECK(ask(keys, N));
    CHECK(!ask(keys, GS_FEW_KEYS - 1)); /* too few to estimate */
    CHECK(!ask(keys, 0));
    for (uint64_t i = 0; i < N / 6; i++) /* five sixths stay */
        keys[N / 2 + i] = keys[i];
    CHECK(ask(keys, N));
    for (uint64_t i = 0; i < N; i++) /* a tenth stays, all values equally frequent */
        keys[i] = (gs_key)gs_random(2, gs_random(3, i) % (N / 10));
    CHECK(!ask(keys, N));
    for (uint64_t i = 0; i < N; i++) /* a third stays: the others are 7, or 0 and 1 */
        keys[i] =
            i % 3 == 0 ? (gs_key)gs_random(4, i) : (gs_key)(i % 3 == 1 ? 7 : gs_random(5, i) % 2);
    CHECK(!ask(keys, N));
    for (uint64_t i = 0; i < N; i++) /* two thirds stay: the others are 7 */
        keys[i] = i % 3 == 0 ? 7 : (gs_key)gs_random(6, i);
    CHECK(ask(keys, N));
    for (uint64_t i = 0; i < N; i++) /* a third stays: each key thrice, side by side */
        keys[i] = (gs_key)(i / 3);
    CHECK(!ask(keys, N));
    free(keys);
    return check_failures();
}

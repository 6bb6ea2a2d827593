/* test_sort_equal.c -- keys of one value except a few: as many as are placed singly, or one more.
 * SPDX-License-Identifier: MIT
 */
#include "sort/ways/sort_equal.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"
#include "tests/unit/sort_ways.h"
#include "sort/keys/fingerprint.h"
#include "sort/sorter/sorter.h"

enum { N = 3 * GS_TILE_KEYS + 77, LOOKED_AT = 4096 };

static gs_key keys[N], got[N];

/* Sort N keys of `value`, except for `others` of them, from `least` on; none of these is among the
 * keys where order is looked for first. */
static void check(gs_key value, uint64_t others, gs_key least)
{
    for (uint64_t i = 0; i < N; i++)
        keys[i] = value;
    for (uint64_t i = 0; i < others; i++)
        keys[LOOKED_AT + 1 + i * ((N - LOOKED_AT) / (others + 1))] =
            least + (gs_key)(gs_random(5, i) % (2 * others));
    struct gs_span span = {keys, N, "keys"};
    check_sort_ways(&span, 1, keys, N, got, 2);
    struct gs_options options = {.threads = 2, .verify = true};
    struct gs_sink sink = {.memory = got};
    struct gs_stats stats = {0};
    struct gs_error err = {.status = GS_OK};
    CHECK(gs_sort(&options, &span, 1, &sink, NULL, &stats, &err) == GS_OK);
    CHECK(stats.fingerprint == gs_fingerprint(keys, N));
    uint64_t equal = 0;
    for (uint64_t i = 0; i < N; i++)
        equal += keys[i] == value;
    CHECK(strcmp(stats.order, equal == N ? "sorted" : "none") == 0);
    if (equal < N && N - equal <= GS_OTHERS_MAX)
        CHECK_EQUAL(stats.equality_keys, equal);
}

int main(void)
{
    static const uint64_t counts[] = {0, 1, 2, 17, GS_OTHERS_MAX, GS_OTHERS_MAX + 1, N / 64};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint64_t others = counts[i];
        check(1000000, others, 1000000 - (gs_key)others); /* on both sides */
        check(1000000, others, 1000001);
        check(1000000, others, 0);
        check(0, others, 1);
        check(GS_KEY_MAX, others, 0);
    }
    return check_failures();
}

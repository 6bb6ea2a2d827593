/* test_large_bins.c -- bins above the in-cache sort's capacity, sorted correctly by one thread.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/bin/cache_sort.h"
#include "sort/run/plan.h"
#include "tests/unit/check.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/order.h"
#include "sort/sorter/sorter.h"

#include <stdlib.h>
#include <string.h>

enum kind { UNIFORM, SQUARES, CROWDED, KINDS };

static gs_key draw_key(enum kind kind, uint64_t i)
{
    const uint64_t random = gs_random(kind, i);
    const uint64_t key = random >> 32;
    switch (kind) {
    case SQUARES:
        return (gs_key)(key * key >> 32);
    case CROWDED: /* half of the keys have a thousand values, so many are equal */
        return random % 2 == 0 ? (gs_key)(key % 1000 + 12345) : (gs_key)key;
    default:
        return (gs_key)key;
    }
}

/* With so few bins asked for, each is larger than most methods take: the output must be right. */
static void test_sort(enum kind kind)
{
    enum { N = 1 << 25, BINS = 48 };
    const struct gs_options options = {.device = GS_DEVICE_CPU, .threads = 1, .bins = BINS};
    struct gs_plan plan;
    gs_plan_make(&plan, &options, N);
    gs_key *in = malloc(N * sizeof *in);
    gs_key *out = malloc(N * sizeof *out);
    if (in == NULL || out == NULL)
        abort();
    for (uint64_t i = 0; i < N; i++)
        in[i] = draw_key(kind, i);
    memset(out, 0xa5, N * sizeof *out);
    struct gs_error err = {.status = GS_OK};
    struct gs_span span = {.keys = in, .count = N, .name = "memory"};
    struct gs_sink sink = {.memory = out};
    struct gs_stats stats = {0};
    CHECK(gs_sort(&options, &span, 1, &sink, NULL, &stats, &err) == GS_OK);
    CHECK(stats.largest_bin > GS_CACHE_SORT_CAPACITY);
    CHECK(stats.largest_bin <= plan.bin_keys_max || kind != UNIFORM);
    CHECK_EQUAL(gs_first_disorder(&options, out, N, NULL), N);
    CHECK_EQUAL(gs_fingerprint(out, N), gs_fingerprint(in, N));
    free(out);
    free(in);
}

int main(void)
{
    for (enum kind kind = 0; kind < KINDS; kind++)
        test_sort(kind);
    return check_failures();
}

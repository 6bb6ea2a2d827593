/* test_cache_sort_capacity.c -- large bins: how large, in how much memory, and sorted.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/cache_sort.h"
#include "sort/cache_sort_capacity.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

static struct gs_plan make_plan(uint64_t count, unsigned threads, uint64_t bins)
{
    const struct gs_options options = {.threads = threads, .bins = bins};
    struct gs_plan plan;
    gs_plan_make(&plan, &options, count, threads);
    return plan;
}

/* Small inputs have what they had; of large ones no bin is much of a thread's share, and scratch is
 * a small part of the keys. */
static void test_sizes(void)
{
    for (unsigned log2 = 17; log2 < 36; log2++)
        for (unsigned threads = 1; threads <= 64; threads *= 4) {
            const struct gs_plan plan = make_plan((uint64_t)1 << log2, threads, 0);
            const uint64_t keys = gs_capacity_keys(&plan);
            const size_t scratch = gs_capacity_scratch(&plan);
            CHECK(keys >= GS_CACHE_SORT_CAPACITY && keys <= GS_CACHE_SORT_LARGE);
            CHECK(keys == GS_CACHE_SORT_CAPACITY || keys <= plan.count / plan.threads / 32);
            CHECK(scratch >= GS_CACHE_SORT_SCRATCH);
            CHECK(log2 >= 28 || scratch == GS_CACHE_SORT_SCRATCH);
            CHECK(scratch == GS_CACHE_SORT_SCRATCH || scratch <= gs_cache_sort_runs_scratch(keys));
        }
}

/* Random keys: splitters of equally wide bins. */
static struct gs_splitters make_even(uint32_t bits)
{
    struct gs_splitters splitters = {
        .count = (1U << bits) - 1, .guide = GS_GUIDE_EVEN, .shift = GS_KEY_BITS - bits};
    for (uint32_t i = 0; i < 2 * GS_SPLITTERS_MAX; i++)
        splitters.splitter[i] = i < splitters.count ? ((i + 1) << splitters.shift) - 1 : GS_KEY_MAX;
    return splitters;
}

/* Bins are twice as wide, or as they were. */
static void check_widened(uint32_t bits, uint64_t count, bool wanted)
{
    static struct gs_splitters splitters;
    static struct gs_splitters expected;
    const struct gs_plan plan = make_plan(count, 4, 0);
    splitters = make_even(bits);
    expected = make_even(wanted && gs_cache_sort_takes_large() ? bits - 1 : bits);
    gs_capacity_widen(&splitters, &plan);
    CHECK_EQUAL(splitters.count, expected.count);
    CHECK_EQUAL(splitters.shift, expected.shift);
    CHECK(splitters.guide == GS_GUIDE_EVEN);
    CHECK(memcmp(splitters.splitter, expected.splitter, sizeof expected.splitter) == 0);
}

static void test_widen(void)
{
    check_widened(12, (uint64_t)1 << 30, true);
    check_widened(12, (uint64_t)1 << 32, true);
    check_widened(12, (uint64_t)1 << 33, false); /* they would be too large */
    check_widened(11, (uint64_t)1 << 29, false); /* few enough */
    static struct gs_splitters other;
    other = make_even(12);
    other.guide = GS_GUIDE_TOP;
    const struct gs_plan plan = make_plan((uint64_t)1 << 30, 4, 0);
    gs_capacity_widen(&other, &plan);
    CHECK_EQUAL(other.count, (1U << 12) - 1);
}

enum kind { UNIFORM, SQUARES, CROWDED, KINDS };

static gs_key draw_key(enum kind kind, uint64_t i)
{
    const uint64_t random = gs_random(kind, i);
    const uint64_t key = random >> 32;
    switch (kind) {
    case SQUARES:
        return (gs_key)(key * key >> 32);
    case CROWDED: /* half of them among a thousand values, so many are equal */
        return random % 2 == 0 ? (gs_key)(key % 1000 + 12345) : (gs_key)key;
    default:
        return (gs_key)key;
    }
}

/* Bins of more keys than GS_CACHE_SORT_CAPACITY, which one thread sorts whole. */
static void test_sort(enum kind kind)
{
    enum { N = 1 << 25, BINS = 48 };
    const struct gs_options options = {.device = GS_DEVICE_CPU, .threads = 1, .bins = BINS};
    const struct gs_plan plan = make_plan(N, 1, BINS);
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
    CHECK(stats.largest_bin <= gs_capacity_keys(&plan) || kind != UNIFORM);
    CHECK_EQUAL(gs_first_disorder(&options, out, N, NULL), N);
    CHECK_EQUAL(gs_fingerprint(out, N), gs_fingerprint(in, N));
    free(out);
    free(in);
}

int main(void)
{
    test_sizes();
    test_widen();
    for (enum kind kind = 0; kind < KINDS; kind++)
        test_sort(kind);
    return check_failures();
}

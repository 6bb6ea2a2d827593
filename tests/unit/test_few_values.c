/* test_few_values.c -- keys of few values are counted, and the few others among them are not lost.
 * SPDX-License-Identifier: MIT
 */
#include "sort/ways/few_values.h"
#include "sort/keys/fingerprint.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"
#include "tests/unit/sort_ways.h"

enum { N = 200003, SAMPLES = 1024, LOOKED_AT = 4096 };

static gs_key keys[N], got[N];

/* Find the values of a sample of keys[]. */
static struct gs_few_values find(void)
{
    struct gs_few_values few;
    gs_key sample[SAMPLES];
    for (uint64_t i = 0; i < SAMPLES; i++)
        sample[i] = keys[i * (N / SAMPLES)];
    qsort(sample, SAMPLES, sizeof *sample, sample_compare);
    gs_few_values_find(&few, sample, SAMPLES, N);
    return few;
}

/* Fill keys[] with `values` values in each of `ranges` ranges, from `first` on, `apart` apart. */
static void fill(uint32_t ranges, uint32_t values, gs_key first, gs_key apart)
{
    for (uint64_t i = 0; i < N; i++) {
        uint64_t r = gs_random(23, i);
        keys[i] = first + (gs_key)(r % ranges) * apart + (gs_key)((r >> 32) % values);
    }
}

/* Sort keys[] in all ways; returns the number of keys that were counted, not sorted by bins. */
static uint64_t check_sort(void)
{
    struct gs_span span = {keys, N, "keys"};
    struct gs_options options = {.threads = 2, .verify = true};
    struct gs_sink sink = {.memory = got};
    struct gs_stats stats = {0};
    struct gs_error err = {.status = GS_OK};
    check_sort_ways(&span, 1, keys, N, got, 2);
    CHECK(gs_sort(&options, &span, 1, &sink, NULL, &stats, &err) == GS_OK);
    CHECK(stats.fingerprint == gs_fingerprint(keys, N));
    uint64_t equal = 0;
    for (uint64_t i = 0; i < N; i++)
        equal += keys[i] == keys[0];
    CHECK(strcmp(stats.order, equal == N ? "sorted" : "none") == 0);
    return stats.equality_keys;
}

/* Keys of keys[] become others, evenly spread, but none of the first ones. */
static void put_others(uint64_t others, gs_key least)
{
    for (uint64_t i = 0; i < others; i++)
        keys[LOOKED_AT + 1 + i * ((N - LOOKED_AT) / (others + 1))] =
            least + (gs_key)(gs_random(5, i) % (2 * others));
}

/* Check that wanted ranges are found, which hold all keys, and that the sort is right. */
static void check_ranges(uint32_t wanted)
{
    const struct gs_few_values few = find();
    CHECK_EQUAL(few.values == 0 ? 0 : few.ranges, wanted);
    for (uint64_t i = 0; few.values > 0 && i < N; i++) {
        uint32_t r = 0;
        while (r < few.ranges && keys[i] - few.low[r] > few.width[r])
            r++;
        if (!CHECK(r < few.ranges))
            break;
    }
    uint64_t counted = check_sort();
    CHECK(wanted == 0 || counted == N);
}

static void test_ranges(void)
{
    fill(1, 1000, 0, 0);
    check_ranges(1);
    fill(1, 1000, GS_KEY_MAX - 999, 0);
    check_ranges(1);
    fill(1, 100, 123456789, 0);
    check_ranges(1);
    fill(2, 1024, 0, GS_KEY_MAX - 1023);
    check_ranges(2);
    fill(4, 300, 1000, 1000000);
    check_ranges(4);
    fill(5, 300, 1000, 1000000);
    check_ranges(0); /* too many ranges */
    fill(1, 60000, 0, 0);
    check_ranges(0); /* too many values */
    fill(1, 1, 0, 0);
    for (uint64_t i = 0; i < N; i++) /* one range as wide as all keys */
        keys[i] = (gs_key)gs_random(7, i) * ((gs_key)1 << (GS_KEY_BITS - 32));
    check_ranges(0);
}

/* Values that each key is compared with: as many as are allowed, and one more. */
static void test_values(void)
{
    fill(GS_VALUES_COMPARED, 1, 5, GS_KEY_MAX / GS_VALUES_COMPARED);
    check_ranges(GS_VALUES_COMPARED);
    fill(GS_VALUES_COMPARED + 1, 1, 5, GS_KEY_MAX / (GS_VALUES_COMPARED + 1) - 9);
    check_ranges(0);
    fill(1, 2, GS_KEY_MAX - 1, 0);
    check_ranges(2);
    fill(GS_VALUES_COMPARED, 1, 5, GS_KEY_MAX / GS_VALUES_COMPARED);
    keys[0] = 7; /* only once in the sample */
    check_ranges(0);
}

/* Among keys of one value, of some, and of ranges are others: as many as are put aside, or one
 * more. */
static void test_others(void)
{
    static const uint64_t counts[] = {0, 1, 2, 17, GS_OTHERS_MAX, GS_OTHERS_MAX + 1, N / 64};
    static const gs_key values[] = {0, 1000000, GS_KEY_MAX};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t v = 0; v < 3; v++) {
            if (v != c % 3 && !check_expensive())
                continue;
            if ((counts[c] == 1 || counts[c] == 2) && !check_thorough())
                continue; /* as 17 */
            const gs_key leasts[] = {0, 1000001, 1000000 - (gs_key)counts[c]};
            const gs_key value = values[v];
            fill(1, 1, value, 0);
            put_others(counts[c], leasts[(v + c) % 3]);
            uint64_t equal = 0;
            for (uint64_t i = 0; i < N; i++)
                equal += keys[i] == value;
            uint64_t counted = check_sort();
            CHECK(N - equal > GS_OTHERS_MAX || counted == N);
        }
    for (uint64_t count = GS_OTHERS_MAX; count <= GS_OTHERS_MAX + 1; count++) {
        fill(3, 1, 77, 1000000007);
        put_others(count, 500);
        check_sort();
        fill(2, 200, 1000, 1000000007);
        put_others(count, 5000000);
        check_sort();
    }
    fill(2, 200, 1000, 1000000007); /* at either end, and between the ranges */
    keys[0] = 0;
    keys[N / 2] = 500000000;
    keys[N - 1] = GS_KEY_MAX;
    CHECK_EQUAL(check_sort(), N);
}

int main(void)
{
    test_ranges();
    test_values();
    test_others();
    return check_failures();
}

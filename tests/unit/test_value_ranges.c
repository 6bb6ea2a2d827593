/* test_value_ranges.c -- keys in ranges of few values are counted; others among them are not lost.
 * SPDX-License-Identifier: MIT
 */
#include "sort/ways/value_ranges.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"
#include "tests/unit/sort_ways.h"

enum { N = 200003, SAMPLES = 1024 };

static gs_key keys[N], got[N];

/* Find the ranges of a sample of keys[]. */
static void find(struct gs_value_ranges *ranges)
{
    gs_key sample[SAMPLES];
    for (uint64_t i = 0; i < SAMPLES; i++)
        sample[i] = keys[i * (N / SAMPLES)];
    qsort(sample, SAMPLES, sizeof *sample, sample_compare);
    gs_value_ranges_find(ranges, sample, SAMPLES, N);
}

/* Fill keys[] with `values` values in each of `ranges` ranges, from `first` on, `apart` apart. */
static void fill(uint32_t ranges, uint32_t values, gs_key first, gs_key apart)
{
    for (uint64_t i = 0; i < N; i++) {
        uint64_t r = gs_random(23, i);
        keys[i] = first + (gs_key)(r % ranges) * apart + (gs_key)((r >> 32) % values);
    }
}

static void check_sort(void)
{
    struct gs_span span = {keys, N, "keys"};
    check_sort_ways(&span, 1, keys, N, got, 2);
}

/* Check that wanted_ranges ranges are found, which hold all keys, and that the sort is right. */
static void check(uint32_t wanted_ranges)
{
    struct gs_value_ranges ranges;
    find(&ranges);
    CHECK_EQUAL(ranges.count, wanted_ranges);
    for (uint64_t i = 0; ranges.count > 0 && i < N; i++) {
        uint32_t r = 0;
        while (r < ranges.count && keys[i] - ranges.low[r] > ranges.width[r])
            r++;
        if (!CHECK(r < ranges.count))
            break;
    }
    check_sort();
}

int main(void)
{
    fill(1, 1000, 0, 0);
    check(1);
    fill(1, 1000, GS_KEY_MAX - 999, 0);
    check(1);
    fill(1, 100, 123456789, 0);
    check(1);
    fill(2, 1024, 0, GS_KEY_MAX - 1023);
    check(2);
    fill(4, 300, 1000, 1000000);
    check(4);
    fill(5, 300, 1000, 1000000);
    check(0); /* too many ranges */
    fill(1, 2, 9, 0);
    check(0); /* too few values: equality bins do */
    fill(1, 60000, 0, 0);
    check(0); /* too many values */
    fill(1, 1000, 1000, 0);
    keys[N - 1] = GS_KEY_MAX; /* keys that the sample does not show */
    keys[N / 2] = 0;
    check_sort();
    fill(1, 2, 9, 0); /* the same for equality bins: another value at the end */
    keys[N - 1] = GS_KEY_MAX;
    check_sort();
    keys[0] = 0; /* ... and at the beginning */
    check_sort();
    return check_failures();
}

/* test_prefix_sum.c -- an offset is the sum of the counts before it, from either end.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/cpu/prefix_sum.h"
#include "tests/unit/check.h"

enum { BINS_MAX = 9000 };

static uint64_t counts[BINS_MAX];
static uint64_t offsets[BINS_MAX + 1];

static void check_scan(uint32_t bins)
{
    gs_prefix_sum_scan(counts, offsets, bins, false);
    uint64_t sum = 0;
    for (uint32_t bin = 0; bin < bins; bin++) {
        CHECK_EQUAL(offsets[bin], sum);
        sum += counts[bin];
    }
    gs_prefix_sum_scan(counts, offsets, bins, true);
    sum = 0;
    for (uint32_t bin = bins; bin-- > 0;) {
        CHECK_EQUAL(offsets[bin], sum);
        sum += counts[bin];
    }
}

int main(void)
{
    static const uint32_t sizes[] = {1,   2,   3,    31,   32,   33,      255,
                                     256, 257, 1000, 4096, 8191, BINS_MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (uint32_t bin = 0; bin < sizes[s]; bin++)
            counts[bin] = gs_random(s, bin) % 5 == 0 ? 0 : gs_random(s, bin) % 100000;
        check_scan(sizes[s]);
    }
    /* Sums that need more than 32 bits. */
    for (uint32_t bin = 0; bin < 100; bin++)
        counts[bin] = UINT64_C(5000000000) + bin;
    check_scan(100);
    return check_failures();
}

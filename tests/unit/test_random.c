/* test_random.c -- random numbers never change between versions, and are evenly distributed.
 * SPDX-License-Identifier: MIT
 *
 * The values are part of the program's behaviour: samples and generated files depend on them.
 */
#include "common/random.h"
#include "tests/unit/check.h"

int main(void)
{
    /* SplitMix64's published first outputs for the seed 0. */
    CHECK_EQUAL(gs_random(0, 0), UINT64_C(0xe220a8397b1dcdaf));
    CHECK_EQUAL(gs_random(0, 1), UINT64_C(0x6e789e6aa1b965f4));
    CHECK_EQUAL(gs_random(0, 2), UINT64_C(0x06c45d188009454f));

    enum { DRAWS = 100000 };
    unsigned ones[64] = {0};
    unsigned cells[256] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t r = gs_random(1, i);
        for (unsigned bit = 0; bit < 64; bit++)
            ones[bit] += (unsigned)(r >> bit & 1);
        cells[r >> 56]++;
    }
    for (unsigned bit = 0; bit < 64; bit++)
        CHECK(ones[bit] > DRAWS / 2 - 1000 && ones[bit] < DRAWS / 2 + 1000);
    for (unsigned cell = 0; cell < 256; cell++)
        CHECK(cells[cell] > 300 && cells[cell] < 490);
    CHECK(gs_random(1, 5) != gs_random(2, 5));
    return check_failures();
}

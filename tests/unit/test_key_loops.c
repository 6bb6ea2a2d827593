/* test_key_loops.c -- keys are counted and filled, and nothing beside them is touched.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/key_loops.h"
#include "tests/unit/check.h"

#include <string.h>

enum { PAD = 20 };

/* A fill writes its keys and none beside them, wherever it begins: vector stores need alignment. */
static void test_fill(void)
{
    gs_key to[200 + 2 * PAD];
    for (uint32_t skew = 0; skew < 8; skew++)
        for (uint32_t count = 0; count < 150; count++)
            for (int past_cache = 0; past_cache < 2; past_cache++) {
                memset(to, 0, sizeof to);
                gs_fill(to + PAD + skew, 7, count, past_cache == 1);
                bool good = true;
                for (uint32_t i = 0; i < 200 + 2 * PAD; i++) {
                    bool inside = i >= PAD + skew && i < PAD + skew + count;
                    good &= to[i] == (inside ? 7 : 0);
                }
                CHECK(good);
            }
}

/* Keys behind the count are not counted: the last vector is partial. */
static void test_count(void)
{
    gs_key from[200];
    for (uint32_t i = 0; i < 200; i++)
        from[i] = i + 1;
    CHECK_EQUAL(gs_count_equal(from, 200, 200), 1);
    CHECK_EQUAL(gs_count_equal(from, 199, 200), 0);
}

int main(void)
{
    test_fill();
    test_count();
    return check_failures();
}

/* test_pace.c -- writes go where they have been faster of late, and a little later look again.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/pace.h"
#include "tests/unit/check.h"

#define MIB ((uint64_t)1 << 20)

static void book(struct gs_pace *pace, bool direct, unsigned mib, uint64_t ns_each)
{
    for (unsigned i = 0; i < mib; i++)
        gs_pace_book(pace, direct, MIB, ns_each);
}

/* At first, and as long as pages come at once, writes go through the page cache. */
static void test_fast_pages(void)
{
    struct gs_pace pace = {0};
    CHECK(!gs_pace_chooses_direct(&pace, GS_DIRECT_AUTO, 1));
    book(&pace, false, 1000, 350000);
    CHECK(!gs_pace_chooses_direct(&pace, GS_DIRECT_AUTO, 1));
    book(&pace, false, 1, 6000000); /* one wait of 6 ms */
    CHECK(!gs_pace_chooses_direct(&pace, GS_DIRECT_AUTO, 1));
}

/* Pages that come slowly are left alone, for a while, if the disk is faster. */
static void test_slow_pages(void)
{
    struct gs_pace pace = {0};
    book(&pace, false, 200, 4000000);
    CHECK(gs_pace_chooses_direct(&pace, GS_DIRECT_AUTO, 2));
    book(&pace, true, 200, 1000000);
    CHECK(gs_pace_chooses_direct(&pace, GS_DIRECT_AUTO, 2));
    book(&pace, true, 4000, 1000000);
    CHECK(!gs_pace_chooses_direct(&pace, GS_DIRECT_AUTO, 2));
}

/* A disk that is slower still is found out by its first write. */
static void test_slow_disk(void)
{
    struct gs_pace pace = {0};
    book(&pace, false, 200, 4000000);
    book(&pace, true, 1, 10000000);
    CHECK(!gs_pace_chooses_direct(&pace, GS_DIRECT_AUTO, 1));
    book(&pace, false, 1, 0);
    gs_pace_book(&pace, true, 0, 1);
}

/* What the user says holds, whatever was measured. */
static void test_user(void)
{
    struct gs_pace pace = {0};
    CHECK(gs_pace_chooses_direct(&pace, GS_DIRECT_ALWAYS, 2));
    book(&pace, false, 200, 90000000);
    CHECK(!gs_pace_chooses_direct(&pace, GS_DIRECT_NEVER, 1));
}

int main(void)
{
    test_fast_pages();
    test_slow_pages();
    test_slow_disk();
    test_user();
    return check_failures();
}

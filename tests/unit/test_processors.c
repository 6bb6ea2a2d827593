/* test_processors.c -- processors that this process may run on are counted once and remembered.
 * SPDX-License-Identifier: MIT
 */
#include "common/memory/processors.h"
#include "tests/unit/check.h"

#include <sched.h>

int main(void)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (!CHECK(sched_getaffinity(0, sizeof all, &all) == 0))
        return 1;
    size_t processor = 0;
    while (!CPU_ISSET(processor, &all))
        processor++;
    CPU_SET(processor, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK_EQUAL(gs_processors(), 1);
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
    CHECK_EQUAL(gs_processors(), 1);
    return check_failures();
}

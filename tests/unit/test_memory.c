/* test_memory.c -- pages are zeroed and may be none; what is available is no more than there is.
 * SPDX-License-Identifier: MIT
 */
#include "common/memory.h"
#include "tests/unit/check.h"

#include <sys/resource.h>

int main(void)
{
    for (size_t bytes = 0; bytes < (size_t)64 << 20; bytes = bytes * 5 + 1) {
        unsigned char *pages = gs_pages_alloc(bytes);
        if (!CHECK(pages != NULL))
            return 1;
        size_t zeros = 0;
        while (zeros < bytes && pages[zeros] == 0)
            pages[zeros++] = 1;
        CHECK_EQUAL(zeros, bytes);
        gs_pages_free(pages, bytes);
    }
    gs_pages_free(NULL, 0);
    CHECK(gs_pages_alloc(SIZE_MAX / 2) == NULL);
    uint64_t total = gs_memory_total();
    uint64_t available = gs_memory_available();
    CHECK(total > 1 << 20);
    CHECK(available > 0 && available <= total);

#ifndef __SANITIZE_ADDRESS__ /* which has terabytes mapped already */
    struct rlimit limit = {.rlim_cur = 1 << 30, .rlim_max = RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK(gs_memory_available() <= 1 << 30);
#endif
    return check_failures();
}

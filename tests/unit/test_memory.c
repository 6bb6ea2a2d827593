/* test_memory.c -- pages are zeroed, copies exact, and no more memory is available than there is.
 * SPDX-License-Identifier: MIT
 */
#include "common/memory/memory.h"
#include "tests/unit/check.h"

#include <string.h>
#include <sys/resource.h>

/* A non-temporal copy writes its bytes and none beside them, at any alignment and length. */
static void check_copies(void)
{
    enum { SIZE = 300, PAD = 32 };
    unsigned char from[SIZE];
    unsigned char to[SIZE + 2 * PAD];
    for (size_t i = 0; i < SIZE; i++)
        from[i] = (unsigned char)(i % 251 + 1);
    for (size_t skew = 0; skew < PAD; skew++)
        for (size_t bytes = 0; bytes < SIZE - PAD; bytes++) {
            memset(to, 0, sizeof to);
            gs_copy_past_cache(to + PAD + skew, from + skew % 5, bytes);
            bool good = true;
            for (size_t i = 0; i < sizeof to; i++) {
                bool inside = i >= PAD + skew && i < PAD + skew + bytes;
                good &= to[i] == (inside ? from[i - PAD - skew + skew % 5] : 0);
            }
            CHECK(good);
        }
}

int main(void)
{
    check_copies();
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

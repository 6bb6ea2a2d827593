/* check.h -- checks for the unit tests: a failed check says where it is, and the test goes on.
 * SPDX-License-Identifier: MIT
 *
 * A test's main() ends with `return check_failures();`.
 */
#ifndef GS_CHECK_H
#define GS_CHECK_H

#include "common/formats/keys.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failed;

static inline bool check_that(bool holds, const char *text, const char *file, int line)
{
    if (!holds) {
        check_failed++;
        fprintf(stderr, "%s:%d: not so: %s\n", file, line, text);
    }
    return holds;
}

static inline bool check_equal(uint64_t got, uint64_t wanted, const char *text, const char *file,
                               int line)
{
    if (got != wanted) {
        check_failed++;
        fprintf(stderr, "%s:%d: %s is %" PRIu64 ", wanted %" PRIu64 "\n", file, line, text, got,
                wanted);
    }
    return got == wanted;
}

/* CHECK takes a condition, CHECK_EQUAL two unsigned numbers. Both return whether it holds. */
#define CHECK(condition)         check_that((condition), #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(got, wanted) check_equal((got), (wanted), #got, __FILE__, __LINE__)

/* Are the long tests wanted, too? Without them, make check takes minutes less. */
static inline bool check_expensive(void)
{
    const char *wanted = getenv("GSORT_EXPENSIVE");
    return wanted != NULL && strcmp(wanted, "1") == 0;
}

/* Are cases wanted that differ little from one width of keys to another? Keys of 32 bits have them
 * in any case, wider ones only in the long tests. */
static inline bool check_thorough(void)
{
    return GS_KEY_BITS == 32 || check_expensive();
}

/* The exit status for main(): 1 if any check failed. */
static inline int check_failures(void)
{
    return check_failed != 0;
}

#endif

/* test_library_sorter_use.c -- the sorter refuses wrong use, and keeps to its memory limit.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gsort.h"

#include "common/random.h"
#include "tests/unit/check.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const directories[] = {"/tmp"};

static void check_refused(enum gsort_status got, const struct gsort_error *error, const char *line)
{
    CHECK_EQUAL(got, GSORT_USAGE);
    if (!CHECK(strcmp(error->line, line) == 0))
        fprintf(stderr, "%s\n", error->line);
}

/* Wrong use is refused in a line, and harms nothing. */
static void test_wrong_use(void)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse("u32", NULL);
    struct gsort_format *other = gsort_format_parse("u64", NULL);
    const struct gsort_format *const orders[] = {format, other};
    const uint32_t keys[] = {3, 1, 2};
    struct gsort_options options = GSORT_OPTIONS_INIT;
    const void *batch;
    uint64_t count;
    CHECK(gsort_sorter_open(orders, 0, NULL, 0, NULL, &error) == NULL);
    check_refused(error.status, &error, "a sorter needs an order at least");
    CHECK(gsort_sorter_open(orders, 2, NULL, 0, NULL, &error) == NULL);
    check_refused(error.status, &error,
                  "orders of the same records: those of order 1 have 8 bytes, not 4");
    options.threads = 1000000;
    CHECK(gsort_sorter_open(orders, 1, NULL, 0, &options, &error) == NULL);
    CHECK_EQUAL(error.status, GSORT_USAGE);
    struct gsort_sorter *sorter = gsort_sorter_open(orders, 1, NULL, 0, NULL, &error);
    check_refused(gsort_sorter_pull(sorter, 0, &batch, &count, &error), &error,
                  "the sorter is not finished: nothing can be pulled");
    CHECK_EQUAL(gsort_sorter_push(sorter, NULL, 3, &error), GSORT_USAGE);
    CHECK_EQUAL(gsort_sorter_push(sorter, keys, 3, &error), GSORT_OK);
    CHECK_EQUAL(gsort_sorter_push(sorter, NULL, 0, &error), GSORT_OK);
    CHECK_EQUAL(gsort_sorter_finish(sorter, &error), GSORT_OK);
    check_refused(gsort_sorter_push(sorter, keys, 3, &error), &error,
                  "the sorter is finished: nothing can be pushed");
    check_refused(gsort_sorter_finish(sorter, &error), &error, "the sorter is finished already");
    check_refused(gsort_sorter_pull(sorter, 1, &batch, &count, &error), &error,
                  "order 1: the sorter has 1, counted from 0");
    CHECK_EQUAL(gsort_sorter_pull(sorter, 0, &batch, &count, &error), GSORT_OK);
    CHECK_EQUAL(count, 3);
    CHECK(memcmp(batch, (uint32_t[]){1, 2, 3}, 12) == 0);
    CHECK_EQUAL(gsort_sorter_pull(sorter, 0, &batch, &count, &error), GSORT_OK);
    CHECK_EQUAL(count, 0);
    CHECK_EQUAL(gsort_sorter_pull(sorter, 0, &batch, &count, &error), GSORT_OK);
    CHECK_EQUAL(count, 0);
    gsort_sorter_free(sorter);
    gsort_sorter_free(NULL);
    gsort_format_free(format);
    gsort_format_free(other);
}

/* The limit is one for all memory: of 100 MiB that are pushed, 32 at most are there at once (and
 * code, stacks, tables). */
static void test_limit(const char *text, int order_count)
{
    enum { LIMIT = 32, BATCHES = 100 };
    int status = 1;
    fflush(stderr);
    const pid_t child = fork();
    if (child == 0) {
        struct rusage before, after;
        struct gsort_options options = GSORT_OPTIONS_INIT;
        struct gsort_format *format = gsort_format_parse(text, NULL);
        const struct gsort_format *const orders[] = {format, format};
        static uint64_t rows[(1 << 20) / 8 / 3 * 3];
        const size_t count = sizeof rows / gsort_format_record_bytes(format);
        const void *batch;
        uint64_t got = 1;
        options.memory_bytes = (uint64_t)LIMIT << 20;
        options.threads = 2;
        memset(rows, 1, sizeof rows);
        getrusage(RUSAGE_SELF, &before);
        struct gsort_sorter *sorter =
            gsort_sorter_open(orders, (size_t)order_count, directories, 1, &options, NULL);
        for (uint64_t i = 0; i < BATCHES; i++) {
            for (size_t k = 0; k < sizeof rows / 8; k++)
                rows[k] = gs_random(i, k);
            CHECK_EQUAL(gsort_sorter_push(sorter, rows, count, NULL), GSORT_OK);
        }
        CHECK_EQUAL(gsort_sorter_finish(sorter, NULL), GSORT_OK);
        for (int i = 0; i < order_count; i++)
            for (got = 1; got > 0;)
                CHECK_EQUAL(gsort_sorter_pull(sorter, (size_t)i, &batch, &got, NULL), GSORT_OK);
        gsort_sorter_free(sorter);
        getrusage(RUSAGE_SELF, &after);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what was freed */
        if (!CHECK(after.ru_maxrss - before.ru_maxrss <= (LIMIT + 12) << 10))
            fprintf(stderr, "%s: %ld KiB\n", text, after.ru_maxrss - before.ru_maxrss);
#endif
        _exit(check_failures());
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
    test_limit("u64", 1);
    test_limit("R24 k8:u64r k0:u64 s", 1);
    test_limit("R24 k8:u64r k0:u64 s", 2);
    test_wrong_use();
    return check_failures();
}

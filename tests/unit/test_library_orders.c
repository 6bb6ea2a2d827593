/* test_library_orders.c -- rows in temporary files, written once, pulled in many orders.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gsort.h"

#include "common/random.h"
#include "tests/unit/check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { NUMBERS = 3, ORDERS_MAX = 12 };

static const char *const here[] = {"/tmp"};

/* Of a comparison: the order's number, */
static size_t order_now;
static size_t numbers_compared; /* and after so many numbers of a row, it is that of its bytes */

static bool is_reversed(size_t order)
{
    return order / NUMBERS % 2 == 1;
}

/* Orders differ in the number that is compared first, and in their direction. */
static int compare(const void *a, const void *b)
{
    for (size_t i = 0; i < numbers_compared; i++) {
        const size_t at = (order_now + i) % NUMBERS * 8;
        uint64_t x, y;
        memcpy(&x, (const char *)a + at, 8);
        memcpy(&y, (const char *)b + at, 8);
        if (x != y)
            return (x > y) == is_reversed(order_now) ? -1 : 1;
    }
    return is_reversed(order_now) ? memcmp(b, a, NUMBERS * 8) : memcmp(a, b, NUMBERS * 8);
}

static bool is_same_key(const char *a, const char *b)
{
    return memcmp(a + order_now % NUMBERS * 8, b + order_now % NUMBERS * 8, 8) == 0;
}

/* Bytes that this process has written. */
static uint64_t written(void)
{
    uint64_t bytes = 0;
    char line[64];
    FILE *file = fopen("/proc/self/io", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "wchar: ", 7) == 0)
            bytes = strtoull(line + 7, NULL, 10);
    if (file != NULL)
        fclose(file);
    return bytes;
}

/* Rows of record_bytes, in the order, of which one of each key is kept if unique. */
static void check_order(struct gsort_sorter *sorter, size_t order, char *rows, uint64_t count,
                        size_t record_bytes, bool unique)
{
    const void *batch;
    uint64_t here_count, at = 0;
    bool same = true;
    order_now = order;
    qsort(rows, count, record_bytes, compare);
    do {
        CHECK_EQUAL(gsort_sorter_pull(sorter, order, &batch, &here_count, NULL), GSORT_OK);
        for (uint64_t i = 0; i < here_count && same; i++) {
            same = at < count && memcmp((const char *)batch + i * record_bytes,
                                        rows + at * record_bytes, record_bytes) == 0;
            for (at++; unique && at < count &&
                       is_same_key(rows + at * record_bytes, rows + (at - 1) * record_bytes);)
                at++;
        }
    } while (here_count > 0);
    CHECK(same);
    CHECK_EQUAL(at, count);
}

/* most: so many times all rows are written. values: that numbers have, but for the last one. */
static void check_orders(size_t order_count, size_t record_bytes, uint64_t count, uint64_t values,
                         bool unique, double most)
{
    struct gsort_format *formats[ORDERS_MAX];
    const struct gsort_format *orders[ORDERS_MAX];
    struct gsort_options options = GSORT_OPTIONS_INIT;
    char *rows = calloc(count, record_bytes);
    if (rows == NULL)
        abort();
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t row[NUMBERS] = {gs_random(1, i) % values, gs_random(2, i) % values,
                                       gs_random(3, i)};
        memcpy(rows + i * record_bytes, row, sizeof row);
    }
    numbers_compared = unique ? 1 : NUMBERS;
    options.memory_bytes = 1; /* the least */
    options.flags = unique ? GSORT_UNIQUE : 0;
    options.threads = 2;
    for (size_t i = 0; i < order_count; i++) {
        char text[64];
        int length = snprintf(text, sizeof text, "R%zu ", record_bytes);
        for (size_t k = 0; k < numbers_compared; k++)
            length += snprintf(text + length, sizeof text - (size_t)length, "k%zu:u64 ",
                               (i + k) % NUMBERS * 8);
        snprintf(text + length, sizeof text - (size_t)length, "%s", is_reversed(i) ? "r" : "");
        orders[i] = formats[i] = gsort_format_parse(text, NULL);
    }
    const uint64_t before = written();
    struct gsort_sorter *sorter = gsort_sorter_open(orders, order_count, here, 1, &options, NULL);
    for (uint64_t i = 0, push = count / 20; i < count; i += push)
        CHECK_EQUAL(gsort_sorter_push(sorter, rows + i * record_bytes,
                                      count - i < push ? count - i : push, NULL),
                    GSORT_OK);
    CHECK_EQUAL(gsort_sorter_finish(sorter, NULL), GSORT_OK);
    for (size_t i = order_count; i-- > 0;)
        check_order(sorter, i, rows, count, record_bytes, unique);
    gsort_sorter_free(sorter);
    const double times = (double)(written() - before) / (double)(count * record_bytes);
    CHECK(times > 0.9 && times < most);
    for (size_t i = 0; i < order_count; i++)
        gsort_format_free(formats[i]);
    free(rows);
}

/* Files may not grow so far: an error in one line, which all later calls repeat. */
static void test_no_room(void)
{
    struct gsort_format *format = gsort_format_parse("R24 k0:u64", NULL);
    const struct gsort_format *const orders[] = {format, format};
    struct gsort_options options = GSORT_OPTIONS_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    enum { ROWS = 20000, PUSHES = 20 };
    static char rows[ROWS * 24];
    const void *batch;
    uint64_t count;
    struct rlimit limit;
    int pushes = 0;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 2 << 20;
    setrlimit(RLIMIT_FSIZE, &limit);
    options.memory_bytes = 1;
    struct gsort_sorter *sorter = gsort_sorter_open(orders, 2, here, 1, &options, NULL);
    while (pushes < PUSHES && gsort_sorter_push(sorter, rows, ROWS, &error) == GSORT_OK)
        pushes++;
    CHECK(pushes > 0 && pushes < PUSHES);
    CHECK_EQUAL(error.status, GSORT_OUTPUT);
    CHECK(strncmp(error.line, "/tmp: ", 6) == 0);
    CHECK_EQUAL(gsort_sorter_finish(sorter, NULL), GSORT_OUTPUT);
    CHECK_EQUAL(gsort_sorter_pull(sorter, 0, &batch, &count, NULL), GSORT_OUTPUT);
    gsort_sorter_free(sorter);
    limit.rlim_cur = before;
    setrlimit(RLIMIT_FSIZE, &limit);
    gsort_format_free(format);
}

int main(void)
{
    for (int unique = 0; unique < 2; unique++) {
        check_orders(2, 24, 200000, 1 << 30, unique, 1.1);
        check_orders(3, 24, 200000, 100, unique, 1.1);
        check_orders(3, 4000, 2000, 1 << 30, unique, 1.1);
        check_orders(2, 65536, 700, 1 << 30, unique, 1.1);
    }
    /* There are not as many cells: each order is written again. */
    check_orders(ORDERS_MAX, 24, 200000, 1000, false, 14);
    test_no_room();
    return check_failures();
}

/* test_record_verify.c -- verifying a file of records notices each way in which it can be wrong.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/types/record_order.h"
#include "sort/sort.h"
#include "tests/unit/check.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 40, COUNT = 20000, HEAD = 7 };

static unsigned char records[COUNT][BYTES];
static unsigned char sorted[COUNT][BYTES];

static struct gs_format format;
static struct gs_record_order order;
static struct gs_options options;

static void make_options(void)
{
    struct gs_format_options given = {.record = "40", .keys = {"3:u16be"}, .key_count = 1};
    struct gs_error err = {.status = GS_OK};
    CHECK_EQUAL(gs_format_parse(&format, &given, &err), GS_OK);
    format.stable = true;
    gs_record_order_init(&order, &format);
    options = (struct gs_options){
        .verify = true, .key_bytes = 16, .format = &format, .records = &order, .threads = 2};
}

/* Verify a file that has these bytes behind HEAD others. */
static enum gs_status verify(const void *bytes, size_t size, struct gs_stats *stats,
                             struct gs_error *err)
{
    const int fd = memfd_create("output", 0);
    *err = (struct gs_error){.status = GS_OK};
    if (!CHECK(fd >= 0))
        return GS_ERR_INTERNAL;
    CHECK(pwrite(fd, bytes, size, HEAD) == (ssize_t)size);
    const enum gs_status st = gs_verify_file(&options, fd, HEAD, stats, "out", err);
    close(fd);
    return st;
}

static void check_wrong(const void *bytes, size_t size, struct gs_stats stats, const char *text)
{
    struct gs_error err;
    CHECK_EQUAL(verify(bytes, size, &stats, &err), GS_ERR_VERIFY);
    if (!CHECK(strstr(err.text, text) != NULL))
        fprintf(stderr, "%s, wanted: %s\n", err.text, text);
}

static void swap(size_t i, size_t j)
{
    unsigned char kept[BYTES];
    memcpy(kept, sorted[i], BYTES);
    memcpy(sorted[i], sorted[j], BYTES);
    memcpy(sorted[j], kept, BYTES);
}

int main(void)
{
    struct gs_error err = {.status = GS_OK};
    unsigned char kept[BYTES];
    struct gs_stats stats;
    struct gs_sink sink = {.memory = sorted};
    const struct gs_span span = {.keys = records, .count = COUNT, .name = "in"};
    make_options();
    for (size_t i = 0; i < COUNT; i++)
        for (size_t b = 0; b < BYTES; b += 8) {
            const uint64_t random = gs_random(i, b);
            memcpy(records[i] + b, &random, 8);
        }
    memset(records[7] + 3, 0, 2); /* two of the least key */
    memset(records[8] + 3, 0, 2);
    CHECK_EQUAL(gs_width(&options)->sort(&options, &span, 1, &sink, NULL, &stats, &err), GS_OK);

    CHECK_EQUAL(verify(sorted, sizeof sorted, &stats, &err), GS_OK);
    CHECK(stats.summary.known);
    CHECK(stats.summary.duplicates > 1000 && stats.summary.duplicates < 5000);

    check_wrong(sorted, sizeof sorted - 1, stats, "too short");
    for (size_t b = 0; b < BYTES; b++) { /* any byte of any record counts, in any bit */
        const size_t i = gs_random(b, 1) % COUNT;
        const unsigned char bit = (unsigned char)(1U << gs_random(b, 2) % 8);
        sorted[i][b] ^= bit;
        check_wrong(sorted, sizeof sorted, stats, b == 3 || b == 4 ? "out" : "does not");
        sorted[i][b] ^= bit;
    }
    memcpy(kept, sorted[1], BYTES);
    memcpy(sorted[1], sorted[0], BYTES); /* of the same key */
    check_wrong(sorted, sizeof sorted, stats, "does not hold");
    memcpy(sorted[1], kept, BYTES);
    swap(0, COUNT - 1);
    check_wrong(sorted, sizeof sorted, stats, "output record 1 is out of order");
    swap(0, COUNT - 1);
    for (size_t i = 0; i < COUNT; i += 997) {
        swap(i, COUNT / 2);
        check_wrong(sorted, sizeof sorted, stats, "is out of order");
        swap(i, COUNT / 2);
    }
    CHECK_EQUAL(verify(sorted, sizeof sorted, &stats, &err), GS_OK);
    return check_failures();
}

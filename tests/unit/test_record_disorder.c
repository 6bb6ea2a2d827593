/* test_record_disorder.c -- which record is the first out of order, where words tie all the time?
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/sort.h"
#include "sort/types/calls.h"
#include "sort/types/record_order.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 6, COUNT = 120, RUNS = 300 };

typedef uint64_t record[FIELDS];

/* Keys, by the fields that they are. */
static const struct keys {
    const char *text[FIELDS];
    uint32_t count;
    bool big, descends; /* u64be; every second one descends */
} all_keys[] = {
    {{"0:u64"}, 1, false, false},
    {{"0:u64be", "8:u64ber"}, 2, true, true},
    {{"0:u64", "8:u64", "16:u64"}, 3, false, false},
    {{"0:u64", "8:u64r", "16:u64", "24:u64r"}, 4, false, true},
    {{"0:u64", "8:u64", "16:u64", "24:u64", "32:u64"}, 5, false, false},
    {{"0:u16", "8:u16r", "16:u16"}, 3, false, true}, /* words that are not plain */
};

static const struct keys *keys;
static bool reverse;

static int compare_fields(const uint64_t *a, const uint64_t *b)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        const uint64_t of_a = keys->big ? __builtin_bswap64(a[i]) : a[i];
        const uint64_t of_b = keys->big ? __builtin_bswap64(b[i]) : b[i];
        if (of_a != of_b)
            return (of_a < of_b) == (keys->descends && i % 2 == 1) ? 1 : -1;
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    int sign = compare_fields(a, b);
    if (sign == 0)
        sign = memcmp(a, b, sizeof(record));
    return reverse ? -sign : sign;
}

/* Some records in order, of so many values each, and in every second run one that is changed. */
static void make_records(record *records, uint64_t run, uint64_t values)
{
    for (uint64_t i = 0; i < COUNT * FIELDS; i++) {
        const uint64_t value = gs_random(run, i) % values;
        records[i / FIELDS][i % FIELDS] = keys->big ? __builtin_bswap64(value) : value;
    }
    qsort(records, COUNT, sizeof *records, compare);
    uint64_t *changed = records[gs_random(run, COUNT * FIELDS) % COUNT];
    if (run % 2 == 1)
        changed[gs_random(run, COUNT * FIELDS + 1) % FIELDS] =
            keys->big ? __builtin_bswap64(values) : values;
}

static void test_look(struct gs_options *options, record *records, bool previous)
{
    struct gs_look look;
    const uint64_t from = previous ? 1 : 0;
    uint64_t bad = COUNT - from, duplicates = 0;
    for (uint64_t i = 1; i < COUNT && bad == COUNT - from; i++) {
        const bool same = compare_fields(records[i - 1], records[i]) == 0;
        if (compare(records[i - 1], records[i]) > 0 || (same && options->unique))
            bad = i - from;
        else
            duplicates += same;
    }
    gs_width(options)->look(options, records + from, COUNT - from, previous ? records : NULL,
                            &look);
    CHECK_EQUAL(look.bad, bad);
    if (bad == COUNT - from)
        CHECK_EQUAL(look.duplicates, duplicates);
    CHECK_EQUAL(gs_width(options)->first_disorder(options, records + from, COUNT - from,
                                                  previous ? records : NULL),
                bad);
}

int main(void)
{
    static record records[COUNT];
    for (size_t k = 0; k < sizeof all_keys / sizeof *all_keys; k++) {
        struct gs_format_options given = {.record = "48", .key_count = all_keys[k].count};
        struct gs_format format;
        struct gs_record_order order;
        struct gs_error err = {.status = GS_OK};
        keys = &all_keys[k];
        memcpy(given.keys, keys->text, keys->count * sizeof *keys->text);
        CHECK_EQUAL(gs_format_parse(&format, &given, &err), GS_OK);
        gs_record_order_init(&order, &format);
        for (uint64_t run = 0; run < RUNS; run++) {
            struct gs_options options = {
                .key_bytes = 16, .format = &format, .records = &order, .threads = 1};
            options.reverse = reverse = run / 2 % 2 == 1;
            options.unique = run / 4 % 4 == 3;
            make_records(records, run, 2 + run / 16 % 3 * 20);
            test_look(&options, records, run / 8 % 2 == 1);
        }
    }
    return check_failures();
}

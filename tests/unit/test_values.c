/* test_values.c -- records of one and two bytes, sorted by counting: as by comparing.
 * SPDX-License-Identifier: MIT
 */
#include "sort/types/values.h"

#include "common/random.h"
#include "tests/unit/check.h"
#include "tests/unit/typed_keys.h"

#include <stdlib.h>

enum { RECORDS = 20011 };

static struct gs_format format;
static struct gs_values values;

static int compare(const void *a, const void *b)
{
    const int order = compare_records(&format, a, b);
    return format.reverse ? -order : order;
}

/* Sort by comparing; of equal keys the first if unique. Returns how many are left. */
static size_t sort_plainly(unsigned char *records, size_t count, bool unique)
{
    const size_t bytes = format.record_bytes;
    size_t kept = 0;
    qsort(records, count, bytes, compare);
    for (size_t i = 0; i < count; i++) {
        bool same = unique && kept > 0;
        for (uint32_t k = 0; same && k < format.key_count; k++)
            same = compare_keys(&format.keys[k].type,
                                records + (kept - 1) * bytes + format.keys[k].offset,
                                records + i * bytes + format.keys[k].offset) == 0;
        if (!same)
            memmove(records + kept++ * bytes, records + i * bytes, bytes);
    }
    return kept;
}

/* Count in two blocks, and write in parts of odd sizes. */
static void check_sort(size_t count, int threads, bool unique, uint32_t mask)
{
    static unsigned char records[2 * RECORDS + 8];
    static unsigned char sorted[2 * RECORDS + 8];
    static uint64_t counts[GS_VALUES_MAX];
    const size_t bytes = format.record_bytes;
    const size_t half = count / 3;
    for (size_t i = 0; i < count * bytes; i++)
        records[i] = (unsigned char)(gs_random(count, i) & mask);
    memset(counts, 0, sizeof counts);
    CHECK(gs_values_count(records, half, (uint32_t)bytes, threads, counts, NULL) == GS_OK);
    CHECK(gs_values_count(records + half * bytes, count - half, (uint32_t)bytes, threads, counts,
                          NULL) == GS_OK);
    gs_values_arrange(&values, &format, unique, counts);
    const size_t kept = sort_plainly(records, count, unique);
    if (!CHECK_EQUAL(values.starts[values.count], kept))
        return;
    memset(sorted, 0x5a, sizeof sorted);
    for (size_t at = 0, part; at < kept; at += part) {
        part = 1 + at % 777;
        part = part < kept - at ? part : kept - at;
        gs_values_write(&values, at, part, sorted + at * bytes);
    }
    CHECK(memcmp(records, sorted, kept * bytes) == 0);
    CHECK(sorted[kept * bytes] == 0x5a);
}

static void test_sorts(void)
{
    static const size_t counts[] = {0, 1, 5, RECORDS};
    for (int t = 0; t < ALL_TYPES; t++) {
        const struct gs_key_type type = type_of(all_types[t]);
        for (int way = 0; type.bytes <= 2 && way < 8; way++) {
            format = gs_format_of(type);
            format.reverse = (way & 1) != 0;
            format.keys[0].descending = (way & 4) != 0;
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
                check_sort(counts[i], 1 + way % 3, (way & 2) != 0, i % 2 == 0 ? 0xff : 0x81);
        }
    }
}

/* A key of one byte, and another byte behind or in front of it. */
static void test_payload(void)
{
    for (int way = 0; way < 8; way++) {
        format = (struct gs_format){.record_bytes = 2, .key_count = 1, .reverse = way % 2 == 1};
        format.keys[0] = (struct gs_key_field){
            .offset = (uint32_t)way / 4, .type = type_of("i8"), .descending = false};
        CHECK(gs_format_finish(&format, NULL) == GS_OK);
        check_sort(RECORDS, 2, way / 2 % 2 == 1, 0xff);
    }
}

int main(void)
{
    test_sorts();
    test_payload();
    return check_failures();
}

/* test_values.c -- the values of records of one and two bytes are counted, whatever their number.
 * SPDX-License-Identifier: MIT
 */
#include "sort/types/values.h"

#include "common/random.h"
#include "tests/unit/check.h"

#include <string.h>

enum { RECORDS = 20011 };

/* Count in two blocks, and one by one. */
static void check_count(size_t count, size_t bytes, int threads, uint32_t mask)
{
    static unsigned char records[2 * RECORDS];
    static uint64_t counts[GS_VALUES_MAX], expected[GS_VALUES_MAX];
    const size_t half = count / 3;
    memset(counts, 0, sizeof counts);
    memset(expected, 0, sizeof expected);
    for (size_t i = 0; i < count * bytes; i++)
        records[i] = (unsigned char)(gs_random(count, i) & mask);
    for (size_t i = 0; i < count * bytes; i += bytes)
        expected[records[i] | (bytes == 2 ? records[i + 1] << 8 : 0)]++;
    CHECK(gs_values_count(records, half, (uint32_t)bytes, threads, counts, NULL) == GS_OK);
    CHECK(gs_values_count(records + half * bytes, count - half, (uint32_t)bytes, threads, counts,
                          NULL) == GS_OK);
    CHECK(memcmp(counts, expected, sizeof counts) == 0);
}

int main(void)
{
    static const size_t counts[] = {0, 1, 2, 5, 7, RECORDS};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int way = 0; way < 12; way++)
            check_count(counts[i], 1 + (size_t)way % 2, 1 + way / 2 % 3, way < 6 ? 0xff : 0x81);
    return check_failures();
}

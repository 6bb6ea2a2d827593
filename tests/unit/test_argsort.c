/* test_argsort.c -- keys of 8 bytes that tags' steps are chosen for by a sample, and others beside.
 * SPDX-License-Identifier: MIT
 *
 * Most inputs have a few keys that a sample is not likely to see. Orders are told from the keys'
 * values.
 */
#include "sort/gsort.h"

#include "common/random.h"
#include "tests/unit/check.h"
#include "tests/unit/typed_keys.h"

#include <stdlib.h>

enum { COUNT = 20000, RECORD = 24, AT = 8, OUTLIERS = 8, FILLS = 5 };

enum input { EQUAL, TWO, FEW, NARROW, CLOSE, LEAST, GREATEST, UNIT, SIGNED, SMALL, ANY, INPUTS };

static const uint64_t specials[] = {
    0,
    1,
    UINT64_C(1000),
    UINT64_C(0x000fffffffffffff), /* the greatest float that is not normal */
    UINT64_C(0x3ff0000000000000), /* 1 */
    UINT64_C(0x7fefffffffffffff), /* the greatest float, infinity, NaNs */
    UINT64_C(0x7ff0000000000000),
    UINT64_C(0x7ff0000000000001),
    UINT64_C(0x7fffffffffffffff),
    UINT64_C(0x8000000000000000), /* -0, -1, minus infinity, NaNs with a sign */
    UINT64_C(0xbff0000000000000),
    UINT64_C(0xfff0000000000000),
    UINT64_C(0xfff8000000000000),
    UINT64_C(0xffffffffffffffff),
};
enum { SPECIALS = sizeof specials / sizeof *specials };

static uint64_t key_of(enum input input, uint64_t i)
{
    const uint64_t random = gs_random(input, i);
    const uint64_t middle = UINT64_C(0x4123456789000000);
    const double unit = (double)(random >> 11) / 9007199254740992.0;
    const double number = (random & 1) != 0 ? -unit : unit;
    uint64_t bits;
    switch (input) {
    case EQUAL:
        return middle;
    case TWO:
        return middle + (random & 1);
    case FEW:
        return random % 1000;
    case NARROW:
        return middle + random % COUNT;
    case CLOSE:
        return middle + random % (UINT64_C(1) << 50);
    case LEAST:
        return random % 100000;
    case GREATEST:
        return UINT64_MAX - random % 100000;
    case SMALL:
        return random >> (random % 64);
    case UNIT:
        memcpy(&bits, &unit, sizeof bits);
        return bits;
    case SIGNED:
        memcpy(&bits, &number, sizeof bits);
        return bits;
    default:
        return random;
    }
}

/* Records of the input; without outliers, or with some of special values, or around the others. */
static void fill(unsigned char (*records)[RECORD], const struct gs_key_type *type, enum input input,
                 unsigned outliers)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t b = 0; b < RECORD; b++)
            records[i][b] = (unsigned char)(gs_random(INPUTS, i) >> (b % 8 * 8));
        write_bits(type, records[i] + AT, key_of(input, i));
    }
    for (uint32_t i = 0; outliers > 0 && i < OUTLIERS; i++) {
        const uint64_t random = gs_random(INPUTS + FILLS * (uint64_t)input + outliers, i);
        const uint64_t around = key_of(input, i) ^ UINT64_C(1) << (random >> 8 & 63);
        write_bits(type, records[random % COUNT] + AT,
                   outliers % 2 != 0 ? specials[(random >> 32) % SPECIALS] : around);
    }
}

/* Are positions those of records in order, and of equal keys as they came? Then none is twice. */
static bool are_positions(const struct gs_key_type *type, bool reverse,
                          unsigned char (*records)[RECORD], const uint32_t *positions)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        if (positions[i] >= COUNT)
            return false;
        if (i == 0)
            continue;
        const int sign =
            compare_keys(type, records[positions[i - 1]] + AT, records[positions[i]] + AT);
        if (sign == 0 ? positions[i - 1] >= positions[i] : (sign > 0) != reverse)
            return false;
    }
    return true;
}

/* The first record of each key, by these positions. */
static uint64_t first_records(const struct gs_key_type *type, unsigned char (*records)[RECORD],
                              const uint32_t *positions, unsigned char (*firsts)[RECORD])
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        if (count == 0 ||
            compare_keys(type, firsts[count - 1] + AT, records[positions[i]] + AT) != 0)
            memcpy(firsts[count++], records[positions[i]], RECORD);
    return count;
}

static void check_input(const char *name, bool reverse, enum input input, unsigned outliers)
{
    static unsigned char records[COUNT][RECORD], unique[COUNT][RECORD], firsts[COUNT][RECORD];
    static unsigned char keys[COUNT][8];
    static uint32_t positions[COUNT], key_positions[COUNT];
    struct gsort_options options = GSORT_OPTIONS_INIT;
    const struct gs_key_type type = type_of(name);
    const int failed = check_failed;
    uint64_t kept = 0;
    char text[64];
    fill(records, &type, input, outliers);
    for (uint32_t i = 0; i < COUNT; i++)
        memcpy(keys[i], records[i] + AT, sizeof keys[i]);
    snprintf(text, sizeof text, "%s%s", name, reverse ? " r" : "");
    struct gsort_format *of_keys = gsort_format_parse(text, NULL);
    snprintf(text, sizeof text, "R%d k%d:%s s%s", RECORD, AT, name, reverse ? " r" : "");
    struct gsort_format *of_records = gsort_format_parse(text, NULL);
    if (!CHECK(of_keys != NULL && of_records != NULL))
        return;
    CHECK_EQUAL(gsort_argsort(of_keys, keys, key_positions, 4, COUNT, NULL, NULL), GSORT_OK);
    CHECK_EQUAL(gsort_argsort(of_records, records, positions, 4, COUNT, NULL, NULL), GSORT_OK);
    CHECK(are_positions(&type, reverse, records, positions));
    CHECK(memcmp(positions, key_positions, sizeof positions) == 0);
    options.flags = GSORT_UNIQUE;
    CHECK_EQUAL(gsort_sort(of_records, records, unique, COUNT, &options, &kept, NULL), GSORT_OK);
    CHECK_EQUAL(kept, first_records(&type, records, positions, firsts));
    CHECK(memcmp(unique, firsts, kept * RECORD) == 0);
    if (check_failed != failed)
        fprintf(stderr, "%s: input %d, outliers %u\n", text, (int)input, outliers);
    gsort_format_free(of_keys);
    gsort_format_free(of_records);
}

int main(void)
{
    static const char *const types[] = {"u64", "i64be", "f64"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int input = 0; input < INPUTS; input++)
            for (unsigned outliers = 0; outliers < FILLS; outliers++)
                check_input(types[t], (outliers / 2 + t + (unsigned)input) % 2 != 0,
                            (enum input)input, outliers);
    return check_failures();
}

/* test_library_arrays.c -- gsort_sort and gsort_argsort: in place, into another array, refusals.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gsort.h"

#include "common/random.h"
#include "tests/unit/check.h"
#include "tests/unit/typed_keys.h"

#include <stdlib.h>

static const struct gsort_options all_of_them = GSORT_OPTIONS_INIT;
static struct gs_format order; /* what `compare` compares by */

static int compare(const void *a, const void *b)
{
    const int sign = compare_records(&order, a, b);
    return order.reverse ? -sign : sign;
}

/* Have two records the same keys? */
static bool same_keys(const unsigned char *a, const unsigned char *b)
{
    for (uint32_t k = 0; k < order.key_count; k++)
        if (compare_keys(&order.keys[k].type, a + order.keys[k].offset, b + order.keys[k].offset) !=
            0)
            return false;
    return true;
}

static uint64_t drop_duplicates(unsigned char *records, uint64_t count, size_t bytes)
{
    uint64_t kept = count > 0;
    for (uint64_t i = 1; i < count; i++)
        if (!same_keys(records + (kept - 1) * bytes, records + i * bytes))
            memmove(records + kept++ * bytes, records + i * bytes, bytes);
    return kept;
}

enum input { RANDOM, FEW, EQUAL, NEARLY_EQUAL, ORDERED, REVERSED, TWO_RUNS, INPUTS };

static void fill(enum input input, unsigned char *records, uint64_t count, size_t bytes)
{
    static const unsigned char masks[INPUTS] = {255, 1, 0, 0, 255, 255, 255};
    for (uint64_t i = 0; i < count * bytes; i++)
        records[i] = (unsigned char)(gs_random(input, i) & masks[input]);
    if (input == NEARLY_EQUAL && count > 0)
        memset(records + count / 2 * bytes, 1, bytes);
    const uint64_t half = input == TWO_RUNS ? count / 2 : 0;
    if (input < ORDERED)
        return;
    qsort(records, half, bytes, compare);
    qsort(records + half * bytes, count - half, bytes, compare);
    for (uint64_t i = 0; input == REVERSED && i < count / 2; i++)
        for (size_t b = 0; b < bytes; b++) {
            unsigned char *left = records + i * bytes + b;
            unsigned char *right = records + (count - 1 - i) * bytes + b;
            const unsigned char byte = *left;
            *left = *right;
            *right = byte;
        }
}

/* Sort into another array, and in place, there aligned and not. */
static void check_ways(const struct gsort_format *format, const unsigned char *records,
                       const unsigned char *expected, uint64_t count, uint64_t wanted,
                       const struct gsort_options *options)
{
    const size_t bytes = gsort_format_record_bytes(format);
    unsigned char *sorted = malloc(count * bytes + 2);
    struct gsort_error error = GSORT_ERROR_INIT;
    uint64_t kept = count;
    if (sorted == NULL)
        abort();
    for (int skew = 0; skew < 2; skew++) {
        CHECK_EQUAL(gsort_sort(format, records, sorted + skew, count, options, &kept, &error), 0);
        CHECK_EQUAL(kept, wanted);
        CHECK(memcmp(sorted + skew, expected, wanted * bytes) == 0);
        memcpy(sorted + skew, records, count * bytes);
        CHECK_EQUAL(gsort_sort(format, sorted + skew, sorted + skew, count, options, &kept, &error),
                    0);
        CHECK_EQUAL(kept, wanted);
        CHECK(memcmp(sorted + skew, expected, wanted * bytes) == 0);
    }
    free(sorted);
}

/* With all records, and with one of each key. */
static void check_sort(const struct gsort_format *format, enum input input, uint64_t count)
{
    const size_t bytes = gsort_format_record_bytes(format);
    const int failed = check_failed;
    struct gsort_options options = all_of_them;
    unsigned char *records = malloc(count * bytes + 1);
    unsigned char *expected = malloc(count * bytes + 1);
    if (records == NULL || expected == NULL)
        abort();
    options.threads = 3;
    fill(input, records, count, bytes);
    memcpy(expected, records, count * bytes);
    qsort(expected, count, bytes, compare);
    check_ways(format, records, expected, count, count, &options);
    options.flags = GSORT_UNIQUE;
    check_ways(format, records, expected, count, drop_duplicates(expected, count, bytes), &options);
    if (check_failed != failed)
        fprintf(stderr, "input %d of %" PRIu64 " records of %zu bytes\n", (int)input, count, bytes);
    free(records);
    free(expected);
}

static void check_format(const char *text, struct gs_format parsed, bool large)
{
    static const uint64_t counts[] = {0, 1, 2, 1000, 9000, 70000};
    const size_t sizes = sizeof counts / sizeof *counts - !large;
    struct gsort_format *format = gsort_format_parse(text, NULL);
    order = parsed;
    if (!CHECK(format != NULL))
        return;
    for (size_t i = 0; i < sizes; i++)
        for (int input = 0; input < INPUTS; input++)
            check_sort(format, (enum input)input, counts[i]);
    gsort_format_free(format);
}

/* Every kind of format: plain elements, by a codec, of another size, records by their tags. */
static void test_sort(void)
{
    static const char *const texts[] = {
        "u32", "f64 r", "u64be", "u8", "R12 k4:u64r", "u128", "R24 k8:u64r k0:u64"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gs_format format;
        CHECK_EQUAL(gs_format_parse_words(&format, texts[i], NULL), GS_OK);
        check_format(texts[i], format, i < 2 || check_expensive());
    }
}

/* Records of equal keys stay in the order of the input, in place, too. */
static void test_stable(void)
{
    enum { COUNT = 30000 };
    static uint32_t records[COUNT][2];
    struct gsort_format *format = gsort_format_parse("R8 k0:u32 s", NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        records[i][0] = (uint32_t)gs_random(1, i) % 7;
        records[i][1] = COUNT - i;
    }
    CHECK_EQUAL(gsort_sort(format, records, records, COUNT, NULL, NULL, NULL), GSORT_OK);
    bool good = true;
    for (uint32_t i = 1; i < COUNT; i++)
        good &= records[i - 1][0] < records[i][0] ||
                (records[i - 1][0] == records[i][0] && records[i - 1][1] > records[i][1]);
    CHECK(good);
    gsort_format_free(format);
}

static void test_argsort(void)
{
    enum { COUNT = 40000 };
    static double keys[COUNT];
    static uint64_t indices[COUNT];
    static uint32_t narrow[COUNT];
    struct gsort_format *format = gsort_format_parse("f64", NULL);
    for (uint32_t i = 0; i < COUNT; i++)
        keys[i] = (double)(gs_random(2, i) % 1000) - 500;
    CHECK_EQUAL(gsort_argsort(format, keys, indices, 8, COUNT, NULL, NULL), GSORT_OK);
    CHECK_EQUAL(gsort_argsort(format, keys, narrow, 4, COUNT, NULL, NULL), GSORT_OK);
    bool good = true;
    for (uint32_t i = 0; i < COUNT; i++) {
        good &= indices[i] < COUNT && narrow[i] == indices[i];
        good = good && (i == 0 || keys[indices[i - 1]] < keys[indices[i]] ||
                        (keys[indices[i - 1]] == keys[indices[i]] && indices[i - 1] < indices[i]));
    }
    CHECK(good);
    CHECK_EQUAL(gsort_argsort(format, keys, narrow, 2, COUNT, NULL, NULL), GSORT_USAGE);
    gsort_format_free(format);
}

static void test_refusals(void)
{
    static uint32_t keys[1000];
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse("u32", &error);
    struct gsort_options options = GSORT_OPTIONS_INIT;
    CHECK_EQUAL(gsort_sort(format, keys, keys + 1, 999, NULL, NULL, &error), GSORT_USAGE);
    CHECK(strcmp(error.line, "the arrays overlap: sort in place, or into another array") == 0);
    CHECK_EQUAL(gsort_sort(format, keys + 1, keys, 999, NULL, NULL, &error), GSORT_USAGE);
    CHECK_EQUAL(gsort_sort(format, keys, keys + 500, 500, NULL, NULL, &error), GSORT_OK);
    CHECK_EQUAL(error.status, GSORT_OK);
    CHECK(error.line[0] == '\0');
    CHECK_EQUAL(gsort_argsort(format, keys, keys, 4, 1000, NULL, &error), GSORT_USAGE);
    CHECK_EQUAL(gsort_sort(format, NULL, keys, 1, NULL, NULL, &error), GSORT_USAGE);
    CHECK_EQUAL(gsort_sort(format, NULL, NULL, 0, NULL, NULL, &error), GSORT_OK);
    options.memory_bytes = 1000;
    CHECK_EQUAL(gsort_sort(format, keys, keys, 1000, &options, NULL, &error), GSORT_MEMORY);
    options = all_of_them;
    options.flags = 1U << 31;
    CHECK_EQUAL(gsort_sort(format, keys, keys, 1000, &options, NULL, &error), GSORT_USAGE);
    options = all_of_them;
    options.size = 0;
    CHECK_EQUAL(gsort_sort(format, keys, keys, 1000, &options, NULL, &error), GSORT_USAGE);
    gsort_format_free(format);
}

/* A program that was compiled with a later header, and one that has less room for the line. */
static void test_sizes(void)
{
    struct {
        struct gsort_options known;
        uint64_t later;
    } options = {GSORT_OPTIONS_INIT, 0};
    struct gsort_error error = GSORT_ERROR_INIT;
    uint32_t keys[2] = {2, 1};
    struct gsort_format *format = gsort_format_parse("u32", NULL);
    options.known.size = sizeof options;
    CHECK_EQUAL(gsort_sort(format, keys, keys, 2, &options.known, NULL, NULL), GSORT_OK);
    options.later = 1;
    error.size = offsetof(struct gsort_error, line) + 8;
    error.line[8] = 'x';
    CHECK_EQUAL(gsort_sort(format, keys, keys, 2, &options.known, NULL, &error), GSORT_USAGE);
    CHECK(memcmp(error.line, "struct \0x", 9) == 0);
    gsort_format_free(format);
}

static void check_words(const char *text, const char *described)
{
    char words[64];
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse(text, &error);
    if (described == NULL) {
        CHECK(format == NULL && error.status == GSORT_USAGE && error.line[0] != '\0');
        return;
    }
    if (!CHECK(format != NULL))
        return;
    CHECK_EQUAL(gsort_format_describe(format, words, sizeof words), strlen(described));
    CHECK(strcmp(words, described) == 0);
    CHECK_EQUAL(gsort_format_describe(format, words, 3), strlen(described));
    CHECK(strlen(words) <= 2);
    gsort_format_free(format);
}

static void test_words(void)
{
    check_words("", "u32");
    check_words("f64", "f64");
    check_words(" -t i16be  -r ", "i16be r");
    check_words("R24 k8:u64r k0:u64 s", "R24 k8:u64r k0:u64 s");
    check_words("-R 24 -k 8:u64r -k 0:u64 -s", "R24 k8:u64r k0:u64 s");
    check_words("u64,u32r", "R12 k0:u64 k8:u32r");
    check_words("R100", "b100");
    check_words("R8 kzorder(0:i32,4:i32)", "R8 kzorder(0:i32,4:i32)");
    check_words("f65", NULL);
    check_words("R24 k", NULL);
    check_words("R24 k20:u64", NULL);
    check_words("u32 u64", NULL);
    check_words("q", NULL);
}

int main(void)
{
    test_words();
    test_sort();
    test_stable();
    test_argsort();
    test_refusals();
    test_sizes();
    return check_failures();
}

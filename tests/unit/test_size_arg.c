/* test_size_arg.c -- sizes and counts on the command line: what sort(1) accepts, nothing else.
 * SPDX-License-Identifier: MIT
 */
#include "cli/size_arg.h"
#include "tests/unit/check.h"

#include <string.h>

#define TOTAL UINT64_C(1000000000)

static void accepts(const char *text, uint64_t wanted)
{
    struct gs_error err = {.status = GS_OK};
    uint64_t bytes = 0;
    if (!CHECK(gs_size_arg_parse("-S", text, TOTAL, &bytes, &err) == GS_OK) ||
        !CHECK_EQUAL(bytes, wanted))
        fprintf(stderr, "size \"%s\": %s\n", text, err.text);
}

static void refuses(const char *text)
{
    struct gs_error err = {.status = GS_OK};
    uint64_t bytes = 0;
    if (!CHECK(gs_size_arg_parse("-S", text, TOTAL, &bytes, &err) == GS_ERR_USAGE) ||
        !CHECK(err.text[0] != '\0' && strchr(err.text, '\n') == NULL))
        fprintf(stderr, "size \"%s\" gave %" PRIu64 "\n", text, bytes);
}

/* Sizes mean what they mean to sort(1), up to 64 bits; anything else is refused in one line. */
static void test_sizes(void)
{
    const uint64_t k = 1024;
    accepts("1", k);
    accepts("1b", 1);
    accepts("4096b", 4096);
    accepts("1k", k);
    accepts("1K", k);
    accepts("3m", 3 * k * k);
    accepts("3M", 3 * k * k);
    accepts("2g", 2 * k * k * k);
    accepts("2G", 2 * k * k * k);
    accepts("1T", k * k * k * k);
    accepts("1P", k * k * k * k * k);
    accepts("15E", 15 * k * k * k * k * k * k);
    accepts("007b", 7);
    accepts("18446744073709551615b", UINT64_MAX);
    accepts("25%", TOTAL / 4);
    accepts("100%", TOTAL);
    accepts("4GiB", 4 * k * k * k);
    accepts("4gib", 4 * k * k * k);
    accepts("1GB", 1000 * 1000 * 1000);
    accepts("1gb", 1000 * 1000 * 1000);
    accepts("20kB", 20000);
    accepts("12B", 12);
    accepts("0.5G", k * k * k / 2);
    accepts("1.5", k + k / 2);
    accepts(".5G", k * k * k / 2);
    accepts("2.25M", 9 * k * k / 4);
    accepts("1.5GB", 1500 * 1000 * 1000);
    accepts("0.5%", TOTAL / 200);
    accepts("12.5%", TOTAL / 8);

    refuses("");
    refuses("x");
    refuses("1x");
    refuses("1kk");
    refuses("1.G");
    refuses(".");
    refuses(".G");
    refuses("1.5.5G");
    refuses("1Gi");
    refuses("1GBB");
    refuses("1iB");
    refuses("1B1");
    refuses("-1");
    refuses("+");
    refuses("1 ");
    refuses("0x10");
    refuses("1e3");
    refuses("%");
    refuses("-5%");
    refuses("5%%");
    refuses("101%");
    refuses("100.1%");
    refuses("16E");
    refuses("1Z");
    refuses("1Y");
    refuses("18446744073709551616b");
    refuses("18446744073709551615");
    refuses("99999999999999999999999");
    refuses("99999999999999999999%");
}

/* A percentage needs a total: of 0 bytes it is refused, of 2^60 it is exact. */
static void test_percent_of_nothing(void)
{
    struct gs_error err = {.status = GS_OK};
    uint64_t bytes = 0;
    CHECK(gs_size_arg_parse("-S", "50%", 0, &bytes, &err) == GS_ERR_USAGE);
    struct gs_error none = {.status = GS_OK};
    CHECK(gs_size_arg_parse("-S", "50%", (uint64_t)1 << 60, &bytes, &none) == GS_OK);
    CHECK(bytes == (uint64_t)1 << 59);
}

/* There is no more than all of it. */
static void test_percents(void)
{
    struct gs_error err = {.status = GS_OK};
    uint64_t bytes = 0;
    CHECK(gs_size_arg_parse("-S", "100%", UINT64_MAX, &bytes, &err) == GS_OK);
    CHECK(bytes == UINT64_MAX);
    CHECK(gs_size_arg_parse("-S", "18446744073709551615%", 1, &bytes, &err) == GS_ERR_USAGE);
    struct gs_error beyond = {.status = GS_OK};
    CHECK(gs_size_arg_parse("-S", "101%", 100, &bytes, &beyond) == GS_ERR_USAGE);
    CHECK(strstr(beyond.text, "'101%' is more than 100%") != NULL);
}

static bool count_is(const char *text, uint64_t least, uint64_t most, uint64_t wanted)
{
    struct gs_error err = {.status = GS_OK};
    uint64_t count = 0;
    return gs_count_arg_parse("--bins", text, least, most, &count, &err) == GS_OK &&
           count == wanted;
}

static bool count_refused(const char *text, uint64_t least, uint64_t most)
{
    struct gs_error err = {.status = GS_OK};
    uint64_t count = 0;
    return gs_count_arg_parse("--bins", text, least, most, &count, &err) == GS_ERR_USAGE &&
           strstr(err.text, "--bins") != NULL;
}

/* Counts are plain decimal numbers within their limits; errors name the option. */
static void test_counts(void)
{
    CHECK(count_is("1", 1, 10, 1));
    CHECK(count_is("10", 1, 10, 10));
    CHECK(count_is("18446744073709551615", 0, UINT64_MAX, UINT64_MAX));
    CHECK(count_refused("0", 1, 10));
    CHECK(count_refused("11", 1, 10));
    CHECK(count_refused("", 1, 10));
    CHECK(count_refused("x", 1, 10));
    CHECK(count_refused("1x", 1, 10));
    CHECK(count_refused("1k", 1, 10000));
    CHECK(count_refused(" 1", 1, 10));
    CHECK(count_refused("1 ", 1, 10));
    CHECK(count_refused("-1", 0, UINT64_MAX));
    CHECK(count_refused("+1", 0, UINT64_MAX));
    CHECK(count_refused("18446744073709551616", 0, UINT64_MAX));
}

int main(void)
{
    test_sizes();
    test_percent_of_nothing();
    test_percents();
    test_counts();
    return check_failures();
}

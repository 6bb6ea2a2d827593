/* test_order.c -- order, first disorder, duplicates and reversal, at the edges of blocks and tiles.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/order.h"
#include "sort/keys/params.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>

enum { N = 17 * GS_TILE_KEYS + 5 }; /* enough for several threads to look for disorder */

static const uint64_t places[] = {1,
                                  2,
                                  7,
                                  15,
                                  16,
                                  17,
                                  4095,
                                  4096,
                                  4097,
                                  8192,
                                  GS_TILE_KEYS - 1,
                                  GS_TILE_KEYS,
                                  GS_TILE_KEYS + 1,
                                  2 * GS_TILE_KEYS,
                                  N - 1};
#define PLACES (sizeof places / sizeof places[0])

/* Ascending keys with gaps of ten. */
static gs_key *make_ascending(void)
{
    gs_key *keys = malloc(N * sizeof *keys);
    if (keys == NULL)
        abort();
    for (gs_key i = 0; i < N; i++)
        keys[i] = 100 + 10 * i;
    return keys;
}

/* The first key out of order is found wherever it is, by any number of threads: check and verify
 * report its place. */
static void test_first_disorder(void)
{
    gs_key *keys = make_ascending();
    for (unsigned threads = 0; threads <= 3; threads++) {
        struct gs_options up = {.threads = threads};
        struct gs_options strict = {.threads = threads, .unique = true};
        struct gs_options down = {.threads = threads, .reverse = true};
        CHECK_EQUAL(gs_first_disorder(&up, keys, N, NULL), N);
        CHECK_EQUAL(gs_first_disorder(&strict, keys, N, NULL), N);
        CHECK_EQUAL(gs_first_disorder(&down, keys, N, NULL), 1);
        for (size_t p = 0; p < PLACES; p++) {
            uint64_t at = places[p];
            gs_key kept = keys[at];
            keys[at] = 5;
            CHECK_EQUAL(gs_first_disorder(&up, keys, N, NULL), at);
            CHECK_EQUAL(gs_first_disorder(&up, keys, at + 1, NULL), at);
            CHECK_EQUAL(gs_first_disorder(&up, keys, at, NULL), at); /* none within [0, at) */
            keys[at] = keys[at - 1];
            CHECK_EQUAL(gs_first_disorder(&up, keys, N, NULL), N);
            CHECK_EQUAL(gs_first_disorder(&strict, keys, N, NULL), at);
            keys[at] = kept;
        }
        /* Of two disorders the first is reported. */
        keys[N - 1] = 0;
        keys[70] = 0;
        CHECK_EQUAL(gs_first_disorder(&up, keys, N, NULL), 70);
        keys[70] = 800;
        keys[N - 1] = 100 + 10 * (N - 1);
    }
    free(keys);
}

/* The key before an array takes part, so that a stream can be checked piece by piece. */
static void test_previous_key(void)
{
    gs_key keys[] = {5, 6};
    struct gs_options up = {0};
    struct gs_options strict = {.unique = true};
    struct gs_options down = {.reverse = true};
    CHECK_EQUAL(gs_first_disorder(&up, keys, 2, &(gs_key){6}), 0);
    CHECK_EQUAL(gs_first_disorder(&up, keys, 2, &(gs_key){5}), 2);
    CHECK_EQUAL(gs_first_disorder(&strict, keys, 2, &(gs_key){5}), 0);
    CHECK_EQUAL(gs_first_disorder(&strict, keys, 2, &(gs_key){4}), 2);
    CHECK_EQUAL(gs_first_disorder(&down, keys, 2, &(gs_key){5}), 1);
    CHECK_EQUAL(gs_first_disorder(&down, keys, 1, &(gs_key){4}), 0);
    CHECK_EQUAL(gs_first_disorder(&up, keys, 0, &(gs_key){GS_KEY_MAX}), 0);
    CHECK_EQUAL(gs_first_disorder(&up, keys, 0, NULL), 0);
    CHECK_EQUAL(gs_first_disorder(&up, (gs_key[]){GS_KEY_MAX, GS_KEY_MAX}, 2, NULL), 2);
    CHECK_EQUAL(gs_first_disorder(&up, (gs_key[]){GS_KEY_MAX, 0}, 2, NULL), 1);
    CHECK_EQUAL(gs_first_disorder(&up, (gs_key[]){0x7fffffff, 0x80000000}, 2, NULL), 2);
}

/* Order is recognized in both directions, and one key out of place denies it. */
static void test_whole_arrays(void)
{
    gs_key *keys = make_ascending();
    CHECK(gs_order_ascending(keys, N));
    CHECK(!gs_order_descending(keys, N));
    CHECK(gs_order_ascending(keys, 0) && gs_order_descending(keys, 0));
    CHECK(gs_order_ascending(keys, 1) && gs_order_descending(keys, 1));
    for (size_t p = 0; p < PLACES; p++) {
        gs_key kept = keys[places[p]];
        keys[places[p]] = 0;
        CHECK(!gs_order_ascending(keys, N));
        keys[places[p]] = kept;
    }
    gs_order_reverse(keys, N);
    CHECK(gs_order_descending(keys, N));
    for (uint64_t i = 0; i < N; i++) {
        if (!CHECK(keys[i] == 100 + 10 * (gs_key)(N - 1 - i)))
            break;
    }
    free(keys);
}

/* Reversal is exact for every small size: any number of keys may be left between the vectors. */
static void test_reverse_small(void)
{
    for (unsigned n = 0; n < 70; n++) {
        gs_key keys[70];
        for (unsigned i = 0; i < n; i++)
            keys[i] = i;
        gs_order_reverse(keys, n);
        for (unsigned i = 0; i < n; i++)
            CHECK(keys[i] == n - 1 - i);
    }
}

/* Of equal keys one stays, also where they lie on both sides of a block's edge. */
static void test_unique(void)
{
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        for (uint64_t n = 0; n < 20000; n = n * 2 + 1) {
            gs_key *keys = sample_make((enum sample_kind)kind, n);
            uint64_t count = n;
            uint64_t kept = n;
            gs_key *sorted = sample_sorted(keys, &count, false, false);
            gs_key *wanted = sample_sorted(keys, &kept, false, true);
            CHECK_EQUAL(gs_order_unique(sorted, n), kept);
            CHECK(memcmp(sorted, wanted, (size_t)kept * sizeof *wanted) == 0);
            free(keys);
            free(sorted);
            free(wanted);
        }
    }
    /* One duplicate, at the edges of blocks. */
    for (size_t p = 0; p < PLACES; p++) {
        gs_key *keys = make_ascending();
        keys[places[p]] = keys[places[p] - 1];
        CHECK_EQUAL(gs_order_unique(keys, N), N - 1);
        struct gs_options strict = {.unique = true};
        CHECK_EQUAL(gs_first_disorder(&strict, keys, N - 1, NULL), N - 1);
        free(keys);
    }
}

int main(void)
{
    test_first_disorder();
    test_previous_key();
    test_whole_arrays();
    test_reverse_small();
    test_unique();
    return check_failures();
}

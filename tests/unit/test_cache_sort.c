/* test_cache_sort.c -- a bin is sorted, and nothing beside it is touched.
 * SPDX-License-Identifier: MIT
 */
#include "sort/bin/cache_sort.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>

enum { GUARD = 64 };

static gs_key *scratch;

/* Sort count keys that begin `shift` keys past an aligned address. Guards on both sides of them and
 * behind the scratch memory show writes out of bounds. */
static bool check_sort(const gs_key *keys, uint64_t count, gs_key low, gs_key high, size_t shift)
{
    gs_key *memory = malloc((size_t)(count + 2 * GUARD + shift) * sizeof *memory);
    if (memory == NULL)
        abort();
    gs_key *bin = memory + GUARD + shift;
    for (uint64_t i = 0; i < count + 2 * GUARD + shift; i++)
        memory[i] = 0xdeadbeef;
    if (count > 0)
        memcpy(bin, keys, (size_t)count * sizeof *keys);
    const size_t room = gs_cache_sort_scratch((size_t)count);
    for (size_t i = 0; i < GUARD; i++)
        scratch[room + i] = 0xfeedface;
    uint64_t n = count;
    gs_key *wanted = sample_sorted(keys, &n, false, false);
    gs_key *sorted = gs_cache_sort(bin, scratch, (size_t)count, low, high);
    bool good = CHECK(sorted == bin || (sorted == scratch && count <= GS_CACHE_SORT_CAPACITY));
    good = CHECK(memcmp(sorted, wanted, (size_t)count * sizeof *wanted) == 0) && good;
    for (size_t i = 0; good && i < GUARD; i++) {
        good = CHECK(memory[shift + i] == 0xdeadbeef) && CHECK(bin[count + i] == 0xdeadbeef) &&
               CHECK(scratch[room + i] == 0xfeedface);
    }
    free(memory);
    free(wanted);
    return good;
}

/* All kinds of keys, at sizes around powers of two and the capacity, where methods change. */
static void test_kinds_and_sizes(void)
{
    static const uint64_t sizes[] = {0,
                                     1,
                                     2,
                                     3,
                                     31,
                                     32,
                                     33,
                                     34,
                                     63,
                                     64,
                                     65,
                                     255,
                                     256,
                                     257,
                                     2047,
                                     2048,
                                     2049,
                                     49151,
                                     49152,
                                     65537,
                                     GS_CACHE_SORT_CAPACITY - 1,
                                     GS_CACHE_SORT_CAPACITY,
                                     GS_CACHE_SORT_CAPACITY + 1,
                                     2 * GS_CACHE_SORT_CAPACITY + 1};
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            gs_key *keys = sample_make((enum sample_kind)kind, sizes[s]);
            if (!check_sort(keys, sizes[s], 0, GS_KEY_MAX, s % 4))
                fprintf(stderr, "kind %d, %" PRIu64 " keys\n", kind, sizes[s]);
            free(keys);
        }
    }
}

/* Every small size: each leaves a different tail behind the last whole vector. */
static void test_every_small_size(void)
{
    for (uint64_t count = 0; count < 600; count++) {
        gs_key *keys = sample_make(SAMPLE_UNIFORM, count);
        check_sort(keys, count, 0, GS_KEY_MAX, count % 3);
        free(keys);
    }
}

/* Tight bounds, as splitters give them: ranges of every width, also at both ends of the key range,
 * where arithmetic on the bounds could overflow. */
static void test_bounds(void)
{
    for (unsigned bits = 0; bits <= GS_KEY_BITS; bits++) {
        for (int at = 0; at < 3; at++) {
            gs_key width = bits == 0 ? 0 : GS_KEY_MAX >> (GS_KEY_BITS - bits);
            gs_key low = at == 0 ? 0 : at == 1 ? GS_KEY_MAX - width : (GS_KEY_MAX - width) / 3;
            for (uint64_t count = 5; count < 20000; count = count * 7 + 3) {
                gs_key *keys = sample_make(SAMPLE_UNIFORM, count);
                for (uint64_t i = 0; i < count; i++)
                    keys[i] = low + (keys[i] & width);
                if (!check_sort(keys, count, low, low + width, 1))
                    fprintf(stderr, "%u bits, place %d\n", bits, at);
                free(keys);
            }
        }
    }
}

/* A bin above the capacity whose keys differ in few bits, or only in the lowest: splitting it must
 * come to an end. */
static void test_large_and_narrow(void)
{
    enum { COUNT = 3 * GS_CACHE_SORT_CAPACITY + 7 };
    static const uint32_t masks[] = {1, 0xff, 0x1ff, 0x80000001, 0xff000000, 0xffff};
    for (size_t m = 0; m < sizeof masks / sizeof masks[0]; m++) {
        gs_key *keys = sample_make(SAMPLE_UNIFORM, COUNT);
        for (uint64_t i = 0; i < COUNT; i++)
            keys[i] &= masks[m];
        check_sort(keys, COUNT, 0, GS_KEY_MAX, 0);
        for (uint64_t i = 0; i < COUNT; i++)
            keys[i] <<= GS_KEY_BITS - 32;
        check_sort(keys, COUNT, 0, GS_KEY_MAX, 0);
        free(keys);
    }
}

/* Crowds of keys with the same upper half, or but for a few the same upper quarter, too. */
static void test_same_upper_half(void)
{
    enum { COUNT = 50000 };
    for (unsigned cut = GS_KEY_BITS / 4; cut <= GS_KEY_BITS / 2; cut += GS_KEY_BITS / 4) {
        gs_key *keys = sample_make(SAMPLE_UNIFORM, COUNT);
        for (uint64_t i = 0; i < COUNT; i++)
            keys[i] = keys[i] >> cut |
                      (i % 7 > 1 ? 0 : sample_value(i, 3 + i % 2) & ~(GS_KEY_MAX >> cut));
        check_sort(keys, COUNT, 0, GS_KEY_MAX, 1);
        free(keys);
    }
}

/* sample_sort, which all unit tests rely on, agrees with qsort. */
static void test_sample_sort(void)
{
    enum { COUNT = 5000 };
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        for (uint64_t count = 0; count <= COUNT; count = count * 3 + 1) {
            gs_key *keys = sample_make((enum sample_kind)kind, count);
            uint64_t n = count;
            gs_key *sorted = sample_sorted(keys, &n, false, false);
            qsort(keys, count, sizeof *keys, sample_compare);
            CHECK_EQUAL(n, count);
            CHECK(memcmp(sorted, keys, count * sizeof *keys) == 0);
            free(keys);
            free(sorted);
        }
    }
}

int main(void)
{
    test_sample_sort();
    scratch = malloc((GS_CACHE_SORT_SCRATCH + GUARD) * sizeof *scratch);
    if (scratch == NULL)
        return 1;
    test_kinds_and_sizes();
    test_every_small_size();
    test_bounds();
    test_large_and_narrow();
    test_same_upper_half();
    CHECK(gs_cache_sort_name() != NULL);
    free(scratch);
    return check_failures();
}

/* test_shuffle.c -- a bin of many records is dealt again; orders of a shuffle are uniform.
 * SPDX-License-Identifier: MIT
 */
#include "sort/shuffle/dealing.h"
#include "sort/shuffle/places.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

/* The definition, word for word: records of a node, first by 12 bits each, then each bin mixed. */
static void mix_slowly(uint64_t node, uint32_t *records, uint32_t count)
{
    uint32_t half = 0;
    for (uint32_t left = count; left > 1; left--) {
        uint64_t product;
        do {
            const uint64_t number = gs_random(node, half / 2);
            product = (half % 2 == 0 ? number & 0xffffffff : number >> 32) * left;
            half++;
        } while ((product & 0xffffffff) < (UINT64_C(1) << 32) % left);
        const uint32_t other = (uint32_t)(product >> 32);
        const uint32_t kept = records[left - 1];
        records[left - 1] = records[other];
        records[other] = kept;
    }
}

static void shuffle_slowly(uint64_t node, uint32_t *records, uint32_t count)
{
    uint32_t *dealt = malloc((count + 1) * sizeof *dealt);
    uint16_t *bins = malloc((count + 1) * sizeof *bins);
    uint32_t done = 0;
    for (uint32_t i = 0; i < count; i++)
        bins[i] = gs_random(node, i / 4) >> (16 * (i % 4)) & 4095;
    for (uint32_t bin = 0; bin < 4096; bin++) {
        const uint32_t first = done;
        for (uint32_t i = 0; i < count; i++)
            if (bins[i] == bin)
                dealt[done++] = records[i];
        mix_slowly(gs_random(~node, bin), dealt + first, done - first);
    }
    memcpy(records, dealt, count * sizeof *dealt);
    free(bins);
    free(dealt);
}

/* Records of so many bytes, dealt again if there are too many. */
static void test_mix(uint32_t count)
{
    uint32_t *records = malloc((count + 1) * sizeof *records);
    uint32_t *other = malloc((count + 1) * sizeof *other);
    uint32_t *expected = malloc((count + 1) * sizeof *expected);
    struct gs_dealing *deal = gs_dealing_new(1);
    for (uint32_t i = 0; i < count; i++)
        records[i] = expected[i] = i;
    if (count > GS_SHUFFLE_MIXED)
        shuffle_slowly(42, expected, count);
    else
        mix_slowly(42, expected, count);
    const char *mixed =
        gs_shuffle_mix(42, (char *)records, count, sizeof *records, (char *)other, deal);
    CHECK(memcmp(mixed, expected, count * sizeof *expected) == 0);
    free(deal);
    free(expected);
    free(other);
    free(records);
}

/* Each of four records is as often at each place. */
static void test_uniform(void)
{
    enum { DRAWS = 40000 };
    unsigned counts[4][4] = {{0}};
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        char records[4] = {0, 1, 2, 3};
        char other[4];
        gs_shuffle_mix(gs_shuffle_node(seed, 0), records, 4, 1, other, NULL);
        for (unsigned i = 0; i < 4; i++)
            counts[i][(unsigned char)records[i]]++;
    }
    for (unsigned i = 0; i < 16; i++)
        CHECK(counts[i / 4][i % 4] > DRAWS / 4 - 500 && counts[i / 4][i % 4] < DRAWS / 4 + 500);
}

/* Where some of the records go, with as much memory as one bin takes, or plenty. */
static void test_places(uint32_t total, uint32_t first, uint32_t count, uint64_t memory)
{
    struct gs_error err;
    uint32_t *expected = malloc((total + 1) * sizeof *expected);
    const struct gs_options options = {.seed = 42, .threads = 3};
    struct gs_places places;
    memory += 2 * (count + 1) * sizeof *places.list;
    for (uint32_t i = 0; i < total; i++)
        expected[i] = i;
    shuffle_slowly(42, expected, total);
    CHECK(gs_places_find(&places, &options, total, first, count, &memory, &err) == GS_OK);
    for (uint32_t i = 0; i < count; i++)
        CHECK(places.list[i] < total && expected[places.list[i]] == first + i);
    gs_places_free(&places);
    free(expected);
}

int main(void)
{
    test_places(0, 0, 0, 0);
    test_places(1, 0, 1, 0);
    test_places(20000, 0, 20000, 0);
    test_places(20000, 7000, 5000, 2000);
    test_places(20000, 19999, 1, 1 << 20);
    test_mix(0);
    test_mix(1);
    test_mix(1000);
    test_mix(65536);
    test_mix(65537);
    test_uniform();
    return check_failures();
}

/* test_external_split.c -- a chunk comes out grouped by bin, equality bins behind all others.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/external/external_plan.h"
#include "sort/external/external_split.h"
#include "sort/keys/fingerprint.h"
#include "sort/split/sort_samples.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>
#include <string.h>

#define KEYS 200003

static gs_key keys[KEYS];
static _Alignas(64) gs_key out[KEYS];

/* Split keys [first, first + count) of two spans, which have `values` values, into about `wanted`
 * bins, and check bins, totals and fingerprint. */
static void check_split(uint64_t values, uint32_t wanted, unsigned threads, uint64_t first,
                        uint32_t count)
{
    static struct gs_splitters splitters;
    struct gs_span spans[] = {{.keys = keys, .count = 70001, .name = "a"},
                              {.keys = keys + 70001, .count = KEYS - 70001, .name = "b"}};
    struct gs_tiles tiles;
    struct gs_error err = {.status = GS_OK};
    gs_key sample[2048];
    for (uint64_t i = 0; i < KEYS; i++)
        keys[i] = sample_value(gs_random(values, i), values);
    for (uint64_t i = 0; i < 2048; i++)
        sample[i] = keys[i * 97];
    gs_sort_samples(sample, 2048);
    gs_splitters_choose(&splitters, sample, 2048, wanted);
    uint32_t bins = splitters.count + 1;
    uint32_t *starts = calloc((size_t)bins + 1, sizeof *starts);
    uint64_t *totals = calloc(bins, sizeof *totals);
    if (starts == NULL || totals == NULL || gs_tiles_make(&tiles, spans, 2, &err) != GS_OK)
        abort();
    struct gs_split split = {.splitters = &splitters,
                             .tiles = &tiles,
                             .first = first,
                             .count = count,
                             .threads = threads,
                             .verify = true,
                             .out = out,
                             .starts = starts,
                             .totals = totals};
    memset(out, 0, sizeof out);
    CHECK(gs_split_chunk(&split, &err) == GS_OK);
    CHECK_EQUAL(split.fingerprint, gs_fingerprint(keys + first, count));
    CHECK_EQUAL(gs_fingerprint(out, count), split.fingerprint);
    uint64_t sum = 0, misplaced = 0, unequal = 0;
    for (uint32_t bin = 0; bin < bins; bin++) {
        bool equal = gs_splitters_equal(&splitters, bin);
        unequal += starts[bin + 1] - starts[bin] != (equal ? 0 : totals[bin]);
        sum += totals[bin];
        for (uint32_t i = starts[bin]; i < starts[bin + 1]; i++)
            misplaced += out[i] < gs_splitters_low(&splitters, bin) ||
                         out[i] > gs_splitters_high(&splitters, bin);
    }
    CHECK_EQUAL(sum, count);
    CHECK_EQUAL(misplaced, 0);
    CHECK_EQUAL(unequal, 0);
    gs_tiles_free(&tiles);
    free(starts);
    free(totals);
}

/* A plan keeps within its memory, and more memory never makes bins smaller. A second buffer is for
 * memory that has room for enough bins beside it. */
static void check_plan(void)
{
    struct gs_options options = {.threads = 2};
    uint64_t before = 0;
    for (uint64_t memory = 3 << 20; memory < (uint64_t)1 << 40; memory = memory * 3 / 2) {
        struct gs_external_plan plan = gs_external_plan(&options, memory, memory * 4);
        CHECK(plan.bin_keys >= before && plan.bin_keys > 1000);
        CHECK(plan.chunk_keys * (1 + plan.buffers) * GS_KEY_BYTES <= memory);
        CHECK(!gs_external_needed(&options, memory, plan.bin_keys * GS_KEY_BYTES, plan.bin_keys));
        CHECK(plan.bins >= 8 && plan.bins <= GS_BINS_MAX);
        CHECK(gs_external_plan(&options, memory, 0).bins >= 16);
        CHECK(plan.buffers == 2 || memory < 64 << 20);
        before = plan.bin_keys;
    }
    CHECK(gs_external_plan(&options, 3 << 20, 3 << 24).buffers == 1);
}

int main(void)
{
    static const uint64_t values[] = {1, 2, 100, 70000, (uint64_t)1 << 32};
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        for (unsigned threads = 1; threads <= 5; threads += 2) {
            check_split(values[v], 100, threads, 0, KEYS);
            check_split(values[v], 1000, threads, 12345, 100000);
            check_split(values[v], 2, threads, KEYS - 7, 7);
            check_split(values[v], 16, threads, 5, 0);
        }
    }
    check_plan();
    return check_failures();
}

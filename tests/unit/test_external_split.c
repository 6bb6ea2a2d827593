/* test_external_split.c -- a chunk comes out ordered by bin, without equality bins.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/bin/cache_sort.h"
#include "sort/external/external_keys.h"
#include "sort/external/external_plan.h"
#include "sort/run/plan.h"
#include "sort/external/external_split.h"
#include "sort/keys/fingerprint.h"
#include "sort/split/sort_samples.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>
#include <string.h>

#define KEYS 200003

#define ROW 16384

static gs_key keys[KEYS];
static gs_key moved[KEYS];
static gs_key out[KEYS];

/* Gather a chunk in pieces of all sizes up to `most`. */
static void gather(const struct gs_level_chunk *chunk, uint64_t count, uint64_t most)
{
    uint64_t piece = 1;
    for (uint64_t from = 0, here; from < count; from += here, piece = piece % most + 1) {
        here = count - from < piece ? count - from : piece;
        gs_level_gather(&chunk->rows, chunk->starts, from, here, out + from);
    }
}

/* Split keys [first, first + count), in two spans, which have `values` values, into about `wanted`
 * bins, and check bins, totals and fingerprint. in_place: within their own memory, as one span. */
static void check_split(uint64_t values, uint32_t wanted, unsigned threads, uint64_t first,
                        uint32_t count, bool in_place)
{
    static struct gs_splitters splitters;
    const uint32_t half = in_place ? 0 : count / 3;
    struct gs_span spans[] = {{.keys = keys + first, .count = half, .name = "a"},
                              {.keys = keys + first + half, .count = count - half, .name = "b"}};
    struct gs_tiles tiles;
    struct gs_level_chunk chunk;
    struct gs_stats stats = {.threads = 0};
    const struct gs_options options = {.threads = threads};
    struct gs_error err = {.status = GS_OK};
    gs_key sample[2048];
    for (uint64_t i = 0; i < KEYS; i++)
        keys[i] = sample_value(gs_random(values, i), values);
    for (uint64_t i = 0; i < 2048; i++)
        sample[i] = keys[i * 97];
    gs_sort_samples(sample, 2048);
    gs_splitters_choose(&splitters, sample, 2048, wanted, 0);
    uint32_t bins = splitters.count + 1;
    struct gs_split *split = gs_split_open(&options, true, &splitters, ROW, threads, &stats, &err);
    if (split == NULL || gs_tiles_make(&tiles, spans, 2, &err) != GS_OK)
        abort();
    const uint64_t fingerprint = gs_fingerprint(keys + first, count);
    CHECK(gs_split_chunk(split, &tiles, in_place ? keys + first : moved, &chunk, &err) == GS_OK);
    CHECK_EQUAL(split->run.fingerprint, fingerprint);
    memset(out, 0, sizeof out);
    gather(&chunk, chunk.starts[bins], 3000);
    uint64_t sum = 0, misplaced = 0, unequal = 0,
             expected = gs_fingerprint(out, chunk.starts[bins]);
    for (uint32_t bin = 0; bin < bins; bin++) {
        const gs_key low = gs_splitters_low(&splitters, bin);
        const gs_key high = gs_splitters_high(&splitters, bin);
        const uint64_t total = split->totals[bin];
        unequal += chunk.starts[bin + 1] - chunk.starts[bin] != (low == high ? 0 : total);
        sum += total;
        expected += low == high ? gs_fingerprint(&low, 1) * total : 0;
        for (uint32_t i = chunk.starts[bin]; i < chunk.starts[bin + 1]; i++)
            misplaced += out[i] < low || out[i] > high;
    }
    CHECK_EQUAL(sum, count);
    CHECK_EQUAL(misplaced, 0);
    CHECK_EQUAL(unequal, 0);
    CHECK_EQUAL(expected, fingerprint);
    gs_tiles_free(&tiles);
    gs_level_chunk_free(&chunk);
    gs_split_close(split);
}

/* Keys of a bin stay in input order, which records rest on: those with the same highest bits, with
 * their positions as the lowest, where these bits come by chance, in streaks, or are nearly all the
 * same, so that chunks have room for their bins or not. */
static void check_order(unsigned threads, uint64_t streak, uint64_t common)
{
    static struct gs_splitters splitters;
    const unsigned shift = GS_KEY_BITS - 6;
    const struct gs_options options = {.threads = threads};
    struct gs_tiles tiles;
    struct gs_level_chunk chunk;
    struct gs_stats stats = {.threads = 0};
    struct gs_error err = {.status = GS_OK};
    gs_key sample[64];
    uint64_t back = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
        const uint64_t high = i % 100 < common ? 7 : gs_random(streak, i / streak) % 64;
        keys[i] = (gs_key)high << shift | (gs_key)i;
    }
    for (uint64_t i = 0; i < 64; i++)
        sample[i] = ((gs_key)i << shift) - 1;
    if (!gs_splitters_adopt(&splitters, sample + 1, 63))
        abort();
    const struct gs_span span = {.keys = keys, .count = KEYS, .name = "a"};
    struct gs_split *split = gs_split_open(&options, false, &splitters, ROW, threads, &stats, &err);
    if (split == NULL || gs_tiles_make(&tiles, &span, 1, &err) != GS_OK)
        abort();
    CHECK(gs_split_chunk(split, &tiles, moved, &chunk, &err) == GS_OK);
    gather(&chunk, KEYS, 3000);
    for (uint64_t i = 1; i < KEYS; i++)
        back += out[i] <= out[i - 1];
    CHECK_EQUAL(back, 0);
    gs_tiles_free(&tiles);
    gs_level_chunk_free(&chunk);
    gs_split_close(split);
}

/* Bytes of so many keys, and of what sorting them takes. */
static uint64_t bytes_for(const struct gs_options *options, uint64_t count)
{
    struct gs_plan plan;
    gs_plan_make(&plan, options, count);
    return plan.memory_bytes + count * GS_KEY_BYTES;
}

/* A plan keeps within its memory, and more memory never makes bins smaller. */
static void check_plan(void)
{
    const struct gs_options options = {.threads = 2};
    const struct gs_key_entries entries = gs_key_entries(&options);
    uint64_t before = 0;
    for (uint64_t memory = 3 << 20; memory < (uint64_t)1 << 40; memory = memory * 3 / 2) {
        struct gs_external_plan plan = gs_external_plan(&entries.entries, 2, memory, memory * 4);
        CHECK(plan.bin_keys >= before && plan.bin_keys > 1000);
        CHECK(plan.chunk_keys * 2 * GS_KEY_BYTES <= memory);
        CHECK(plan.threads == 1 ||
              plan.threads * GS_CACHE_SORT_SCRATCH * GS_KEY_BYTES <= memory / 8);
        CHECK(bytes_for(&options, plan.bin_keys) <= memory);
        CHECK(bytes_for(&options, plan.bin_keys + 1) > memory);
        CHECK(plan.bins >= 8 && plan.bins <= GS_BINS_MAX);
        CHECK(gs_external_plan(&entries.entries, 2, memory, 0).bins >= 16);
        before = plan.bin_keys;
    }
}

int main(void)
{
    static const uint64_t values[] = {1, 2, 100, 70000, (uint64_t)1 << 32};
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        for (unsigned threads = 1; threads <= 5; threads += 2) {
            check_split(values[v], 100, threads, 0, KEYS, false);
            check_split(values[v], 1000, threads, 12345, 100000, false);
            check_split(values[v], 1000, threads, 12345, 100000, true);
            check_split(values[v], 2, threads, KEYS - 7, 7, true);
            check_split(values[v], 16, threads, 5, 0, false);
        }
    }
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        check_order(threads, 1, 0);
        check_order(threads, 1, 97);
        check_order(threads, 5000, 0);
    }
    check_plan();
    return check_failures();
}

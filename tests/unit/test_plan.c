/* test_plan.c -- the planned sizes of a sort keep their limits for every n, options and machine.
 * SPDX-License-Identifier: MIT
 */
#include "sort/bin/cache_sort.h"
#include "sort/keys/params.h"
#include "sort/run/plan.h"
#include "tests/unit/check.h"

static struct gs_plan plan_for(uint64_t count, struct gs_options options, unsigned threads)
{
    options.threads = threads;
    struct gs_plan plan;
    gs_plan_make(&plan, &options, count);
    return plan;
}

/* The limits that every plan keeps. */
static void check_limits(const struct gs_plan *plan, uint64_t count)
{
    CHECK_EQUAL(plan->count, count);
    CHECK(plan->threads >= 1);
    CHECK(plan->bins >= 1 && plan->bins <= GS_BINS_MAX);
    CHECK(plan->one_bin == (plan->bins == 1));
    CHECK(plan->memory_bytes >= count * GS_KEY_BYTES);
    if (!plan->one_bin) {
        CHECK(plan->samples >= 1);
        CHECK(plan->samples <= count);
    }
}

/* Around every power of two, plans keep their limits for any threads, bins and samples. */
static void test_every_size(void)
{
    for (unsigned threads = 1; threads <= 256; threads *= 4) {
        for (unsigned log2 = 0; log2 <= 42; log2++) {
            for (uint64_t by = 0; by <= 2; by++) {
                uint64_t count = ((uint64_t)1 << log2) + by - 1;
                struct gs_plan plan = plan_for(count, (struct gs_options){0}, threads);
                check_limits(&plan, count);
                CHECK(plan.threads <= threads);
                for (uint64_t bins = 1; bins <= GS_BINS_MAX; bins *= 8) {
                    plan = plan_for(count, (struct gs_options){.bins = bins}, threads);
                    check_limits(&plan, count);
                    CHECK(plan.bins <= bins || plan.bins == 2);
                }
                plan = plan_for(count, (struct gs_options){.samples = 1}, threads);
                check_limits(&plan, count);
                plan = plan_for(count, (struct gs_options){.bins = 7, .samples = GS_SAMPLES_MAX},
                                threads);
                check_limits(&plan, count);
            }
        }
    }
}

/* Up to GS_ONE_BIN_KEYS keys are sorted as one bin, unless the user asks for bins. */
static void test_small_inputs_are_one_bin(void)
{
    CHECK(plan_for(0, (struct gs_options){0}, 2).one_bin);
    CHECK(plan_for(GS_ONE_BIN_KEYS, (struct gs_options){0}, 2).one_bin);
    CHECK(!plan_for(GS_ONE_BIN_KEYS + 1, (struct gs_options){0}, 2).one_bin);
    CHECK(!plan_for(1000, (struct gs_options){.bins = 16}, 2).one_bin);
}

/* Options decide where they are given; threads are reduced only where there are too few keys. */
static void test_options_count(void)
{
    uint64_t many = 1 << 28;
    CHECK_EQUAL(plan_for(many, (struct gs_options){0}, 300).threads, 300);
    CHECK_EQUAL(plan_for(many, (struct gs_options){.bins = 100}, 2).bins, 100);
    CHECK_EQUAL(plan_for(many, (struct gs_options){.samples = 12345}, 2).samples, 12345);
    CHECK_EQUAL(plan_for(10, (struct gs_options){0}, 1000).threads, 1);
}

static uint64_t mean_keys(const struct gs_plan *plan)
{
    return (plan->count + plan->bins - 1) / plan->bins;
}

/* With the input bins grow, up to GS_BIN_KEYS_LARGE keys, or GS_BIN_KEYS_HUGE where the processor
 * sorts such bins whole; from then on their number grows. */
static void test_bins_hold_their_share(void)
{
    const uint64_t large = gs_cache_sort_takes_large() ? GS_BIN_KEYS_HUGE : GS_BIN_KEYS_LARGE;
    for (uint64_t count = GS_ONE_BIN_KEYS + 1; count <= large * GS_BINS_MAX;
         count = count * 3 / 2) {
        struct gs_plan plan = plan_for(count, (struct gs_options){0}, 2);
        CHECK(mean_keys(&plan) <= large);
        CHECK(plan.bins <= GS_BINS_WANTED || mean_keys(&plan) > large - large / 1000);
        if (count <= (uint64_t)GS_BIN_KEYS * GS_BINS_WANTED_FEW)
            CHECK(mean_keys(&plan) <= GS_BIN_KEYS);
        CHECK(plan.chunk_keys >= GS_CHUNK_KEYS_MIN && plan.chunk_keys <= GS_CHUNK_KEYS_MAX);
    }
}

/* A bin of twice the mean size is still sorted whole, unless that is too much of a thread's share.
 * Scratch memory stays below a sixteenth of the keys, and at its usual size below 2^27 keys. */
static void test_large_bins(void)
{
    for (unsigned log2 = 17; log2 < 36; log2++)
        for (unsigned threads = 1; threads <= 256; threads *= 4) {
            const uint64_t count = (uint64_t)1 << log2;
            const struct gs_plan plan = plan_for(count, (struct gs_options){0}, threads);
            const uint64_t share = count / plan.threads / GS_BINS_PER_THREAD;
            CHECK(plan.bin_keys_max >= GS_CACHE_SORT_CAPACITY);
            CHECK(plan.bin_keys_max <= GS_CACHE_SORT_LARGE);
            CHECK(plan.bin_keys_max == GS_CACHE_SORT_CAPACITY || plan.bin_keys_max <= share);
            CHECK(plan.bins == GS_BINS_MAX || 2 * mean_keys(&plan) <= plan.bin_keys_max);
            CHECK(plan.scratch_keys >= GS_CACHE_SORT_SCRATCH);
            CHECK(log2 >= 27 || plan.scratch_keys == GS_CACHE_SORT_SCRATCH);
            CHECK(plan.scratch_keys <= gs_cache_sort_runs_scratch(plan.bin_keys_max));
            CHECK(plan.bin_keys_max == GS_CACHE_SORT_CAPACITY ||
                  plan.threads * plan.scratch_keys <= count / 16);
        }
}

/* A larger input never needs less memory, so a limit that fits it fits smaller ones, too. */
static void test_memory_grows_with_the_input(void)
{
    struct gs_options options = {.threads = 2};
    uint64_t before = 0;
    for (uint64_t count = 1; count < (uint64_t)1 << 40; count *= 2) {
        const uint64_t bytes = plan_for(count, options, 2).memory_bytes;
        CHECK(bytes >= before);
        before = bytes;
    }
}

/* Memory that holds the input counts in full if the sort reads it more than once; else it is given
 * back while keys move to bins, and only that of the keys in hand counts. */
static void test_held_input(void)
{
    const uint64_t held = (uint64_t)8 << 30;
    struct gs_options two = {.threads = 2};
    struct gs_plan plan = plan_for(held / GS_KEY_BYTES, two, 2);
    CHECK_EQUAL(gs_plan_held(&plan, held), 2 * (uint64_t)GS_CLAIM_KEYS_MAX * GS_KEY_BYTES);
    CHECK_EQUAL(gs_plan_held(&plan, 1000), 1000);
    plan = plan_for(GS_FEW_KEYS, two, 2);
    CHECK_EQUAL(gs_plan_held(&plan, GS_FEW_KEYS), GS_FEW_KEYS);
    plan = plan_for(held, (struct gs_options){.bins = 1}, 2);
    CHECK_EQUAL(gs_plan_held(&plan, held), held);
}

/* Records of one and two bytes take the same memory, however many; wider ones do not. */
static void test_counted(void)
{
    static const char *const names[] = {"u8", "i16be", "b2", "b3"};
    const uint64_t many = (uint64_t)1 << 40;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct gs_key_type type = {.kind = GS_TYPE_BYTES, .bytes = 3, .big_endian = true};
        if (i < 3)
            CHECK(gs_key_type_parse("-t", names[i], &type, NULL) == GS_OK);
        const struct gs_format format = gs_format_of(type);
        struct gs_codec codec;
        gs_codec_init(&codec, &format);
        struct gs_options options = {.codec = &codec, .format = &format};
        const struct gs_plan plan = plan_for(many, options, 2);
        CHECK(plan.counted == (i < 3));
        CHECK((plan.memory_bytes < 4 << 20) == (i < 3));
        CHECK_EQUAL(gs_plan_held(&plan, many) == many, i < 3);
        options.bins = 7; /* as the user asks */
        CHECK(!plan_for(many, options, 2).counted);
    }
}

int main(void)
{
    test_counted();
    test_every_size();
    test_small_inputs_are_one_bin();
    test_options_count();
    test_bins_hold_their_share();
    test_large_bins();
    test_memory_grows_with_the_input();
    test_held_input();
    return check_failures();
}

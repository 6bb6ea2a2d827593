/* test_splitters.c -- splitters ascend, and each key finds the bin that the definition gives it.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/search_bins.h"
#include "sort/split/sort_samples.h"
#include "sort/split/splitters.h"
#include "sort/split/u32/vector_steps.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>

static struct gs_splitters splitters;

/* The bin by definition: the number of splitters less than the key. */
static uint32_t bin_by_definition(gs_key key)
{
    uint32_t low = 0;
    uint32_t high = splitters.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (splitters.splitter[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The bin that the stages' search finds: within a vector, or (last) in the rest behind the last
 * whole one. */
static uint32_t bin_by_search(gs_key key, bool last)
{
    enum { KEYS = 65 };
    gs_key keys[KEYS];
    gs_key copy[KEYS];
    uint16_t bins[KEYS];
    for (int i = 0; i < KEYS; i++)
        keys[i] = key;
    gs_find_bins(&splitters, keys, KEYS, copy, bins);
    return bins[last ? KEYS - 1 : 0];
}

static bool check_key(gs_key key)
{
    uint32_t bin = bin_by_definition(key);
    return CHECK_EQUAL(bin_by_search(key, false), bin) &&
           CHECK_EQUAL(bin_by_search(key, true), bin) &&
           CHECK_EQUAL(gs_splitters_bin(&splitters, splitters.guide, splitters.steps, key), bin) &&
           CHECK(key >= gs_splitters_low(&splitters, bin)) &&
           CHECK(key <= gs_splitters_high(&splitters, bin));
}

/* Check everything that must hold for the current splitters. */
static void check_splitters(uint32_t bins)
{
    CHECK(splitters.count <= 2 * (bins - 1));
    for (uint32_t i = 1; i < splitters.count; i++)
        CHECK(splitters.splitter[i - 1] < splitters.splitter[i]);
    bool good = check_key(0) && check_key(1) && check_key(GS_KEY_MAX) && check_key(GS_KEY_MAX - 1);
    for (uint32_t i = 0; good && i < splitters.count; i++) {
        gs_key key = splitters.splitter[i];
        good = check_key(key) && check_key(key + 1) && check_key(key - 1);
    }
    for (unsigned bit = 0; good && bit < GS_KEY_BITS; bit++)
        good = check_key((gs_key)1 << bit) && check_key(((gs_key)1 << bit) - 1);
    const uint64_t random = check_thorough() ? 10000 : 4000;
    for (uint64_t i = 0; good && i < random; i++) {
        gs_key key = sample_random(3, i);
        good = check_key(key) && check_key(key >> i % GS_KEY_BITS);
    }
}

static void choose_from(enum sample_kind kind, uint32_t samples, uint32_t bins)
{
    gs_key *sample = sample_make(kind, samples);
    gs_sort_samples(sample, samples);
    gs_splitters_choose(&splitters, sample, samples, bins, 0);
    check_splitters(bins);
    uint32_t steps = splitters.steps;
    gs_splitters_snap(&splitters, sample, samples, bins, 0);
    check_splitters(bins);
    CHECK(splitters.steps <= steps);
    free(sample);
}

/* Samples of every kind and size, from one key on, give splitters that find the right bins. */
static void test_every_kind(void)
{
    static const uint32_t bins[] = {1, 2, 3, 16, 1000, GS_BINS_MAX};
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        for (size_t b = 0; b < sizeof bins / sizeof bins[0]; b++) {
            choose_from((enum sample_kind)kind, 1, bins[b]);
            choose_from((enum sample_kind)kind, 2, bins[b]);
            choose_from((enum sample_kind)kind, bins[b], bins[b]);
            choose_from((enum sample_kind)kind, bins[b] * 32, bins[b]);
        }
    }
}

/* Splitters that are adjacent keys make the search longest. */
static void test_dense(void)
{
    static gs_key sample[GS_BINS_MAX];
    for (int at = 0; at < 3; at++) {
        gs_key first = at == 0 ? 0 : at == 1 ? 0x7ffff000 : GS_KEY_MAX - GS_BINS_MAX;
        for (uint32_t i = 0; i < GS_BINS_MAX; i++)
            sample[i] = first + i;
        gs_splitters_choose(&splitters, sample, GS_BINS_MAX, GS_BINS_MAX, 0);
        check_splitters(GS_BINS_MAX);
        sample[0] = 0; /* far from the rest: no guide can be even */
        sample[GS_BINS_MAX - 1] = GS_KEY_MAX;
        gs_splitters_choose(&splitters, sample, GS_BINS_MAX, GS_BINS_MAX, 0);
        check_splitters(GS_BINS_MAX);
    }
}

/* A value that would fill a bin gets an equality bin, so that its keys need not be sorted; also at
 * both ends of the key range, where a splitter below or above does not exist. */
static void test_heavy_values_get_equality_bins(void)
{
    static gs_key sample[32 * 16];
    for (uint32_t i = 0; i < 32 * 16; i++)
        sample[i] = i < 100 ? i : i < 400 ? 5000 : 1000000 + i;
    gs_splitters_choose(&splitters, sample, 32 * 16, 16, 0);
    check_splitters(16);
    CHECK(gs_splitters_equal(&splitters, bin_by_definition(5000)));
    for (gs_key value = 0; value < 2; value++) {
        gs_key heavy = value == 0 ? 0 : GS_KEY_MAX;
        for (uint32_t i = 0; i < 32 * 16; i++)
            sample[i] = heavy;
        gs_splitters_choose(&splitters, sample, 32 * 16, 16, 0);
        check_splitters(16);
        CHECK(gs_splitters_equal(&splitters, bin_by_definition(heavy)));
    }
}

/* With one bin there is no splitter, and all keys find bin 0. */
static void test_one_bin_has_no_splitter(void)
{
    gs_key sample[4] = {1, 2, 3, 4};
    gs_splitters_choose(&splitters, sample, 4, 1, 0);
    CHECK_EQUAL(splitters.count, 0);
    check_splitters(1);
}

/* Snapped splitters of nearly uniform keys need no search after the guide, and no bin differs from
 * its share by more than half. */
static void test_snapped_needs_no_step(void)
{
    enum { BINS = 1024, SAMPLES = 32 * BINS };
    gs_key *sample = sample_make(SAMPLE_UNIFORM, SAMPLES);
    for (uint32_t i = 0; i < SAMPLES; i++)
        sample[i] /= 2; /* half of all even bins would be empty */
    gs_sort_samples(sample, SAMPLES);
    gs_splitters_choose(&splitters, sample, SAMPLES, BINS, 0);
    CHECK(splitters.steps > 0);
    gs_splitters_snap(&splitters, sample, SAMPLES, BINS, 0);
    check_splitters(BINS);
    CHECK_EQUAL(splitters.steps, 0);
    CHECK(splitters.guide != GS_GUIDE_EVEN);
    uint32_t in_bin[BINS] = {0};
    for (uint32_t i = 0; i < SAMPLES; i++)
        in_bin[bin_by_definition(sample[i])]++;
    for (uint32_t bin = 0; bin < BINS; bin++)
        CHECK(in_bin[bin] >= 32 / 2 && in_bin[bin] <= 32 * 3 / 2);
    free(sample);
}

/* The guide that leaves the fewest steps is built: a linear one for keys in a narrow range, a
 * logarithmic one for log-uniform keys. */
static void test_guide_is_that_of_fewest_steps(void)
{
    enum { BINS = 1024, SAMPLES = 32 * BINS };
    gs_key *sample = sample_make(SAMPLE_UNIFORM, SAMPLES);
    for (uint32_t i = 0; i < SAMPLES; i++)
        sample[i] = 0x7fff0000 + sample[i] % (1 << 18);
    gs_sort_samples(sample, SAMPLES);
    gs_splitters_choose(&splitters, sample, SAMPLES, BINS, 0);
    CHECK_EQUAL(splitters.guide, GS_GUIDE_LINEAR);
    CHECK(splitters.steps <= 1);
    for (uint32_t i = 0; i < SAMPLES; i++)
        sample[i] = sample_random(5, i) >> i % GS_KEY_BITS;
    gs_sort_samples(sample, SAMPLES);
    gs_splitters_choose(&splitters, sample, SAMPLES, BINS, 0);
    CHECK_EQUAL(splitters.guide, GS_GUIDE_LOG);
    CHECK(splitters.steps <= 1);
    free(sample);
}

/* Keys in two places, as far from each other as can be or not, leave hardly more steps than in one,
 * where no vectors make steps cheap. */
static void test_gap_is_left_out(void)
{
    enum { BINS = 1024, SAMPLES = 32 * BINS };
    static const uint32_t places[][2] = {{0, UINT32_MAX}, {0x10000000, 0xd0000000}, {5, 6}};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        gs_key *sample = sample_make(SAMPLE_UNIFORM, SAMPLES);
        for (uint32_t i = 0; i < SAMPLES; i++) {
            const gs_key near = sample[i] % (1 << 18);
            const gs_key place = sample_wide(places[p][i % 2]);
            sample[i] = place > GS_KEY_MAX / 2 ? place - near : place + near;
        }
        gs_sort_samples(sample, SAMPLES);
        gs_splitters_choose(&splitters, sample, SAMPLES, BINS, 0);
        check_splitters(BINS);
        CHECK(gs_vector_steps() || splitters.steps <= 2);
        gs_splitters_snap(&splitters, sample, SAMPLES, BINS, 0);
        check_splitters(BINS);
        free(sample);
    }
}

/* A splitter with many others in its cell is not snapped to the cell's end: its bin would get the
 * keys of all bins in between. */
static void test_snapped_bins_keep_their_share(void)
{
    enum { BINS = 1024, SAMPLES = 32 * BINS };
    gs_key *sample = sample_make(SAMPLE_UNIFORM, SAMPLES);
    for (uint32_t i = 0; i < SAMPLES; i += 2)
        sample[i] = 0x40000000 + sample[i] % (1 << 16);
    gs_sort_samples(sample, SAMPLES);
    gs_splitters_choose(&splitters, sample, SAMPLES, BINS, 0);
    gs_splitters_snap(&splitters, sample, SAMPLES, BINS, 0);
    check_splitters(BINS);
    uint32_t in_bin[BINS] = {0};
    for (uint32_t i = 0; i < SAMPLES; i++)
        in_bin[bin_by_definition(sample[i])]++;
    for (uint32_t bin = 0; bin < BINS; bin++)
        CHECK(in_bin[bin] <= 32 * 3 / 2);
    free(sample);
}

/* Uniform keys get bins of equal width, which need no search: their number is the power of two
 * nearest to the number wanted. */
static void test_random_keys_have_even_bins(void)
{
    static const uint32_t wanted[][2] = {
        {2, 2},       {95, 64},     {96, 128},    {1000, 1024},
        {1024, 1024}, {1535, 1024}, {1536, 2048}, {GS_BINS_MAX, GS_BINS_MAX}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        choose_from(SAMPLE_UNIFORM, wanted[i][0] * 32, wanted[i][0]);
        CHECK_EQUAL(splitters.guide, GS_GUIDE_EVEN);
        CHECK_EQUAL(splitters.count + 1, wanted[i][1]);
        for (uint32_t bin = 0; bin <= splitters.count; bin++)
            CHECK(gs_splitters_high(&splitters, bin) - gs_splitters_low(&splitters, bin) ==
                  GS_KEY_MAX / wanted[i][1]);
        check_splitters(wanted[i][1] + 1);
    }
}

/* A sample that is crowded somewhere, or too small to tell, gets no even bins. */
static void test_others_have_no_even_bins(void)
{
    enum { BINS = 256, SAMPLES = 32 * BINS, CROWD = 64 };
    gs_key *sample = sample_make(SAMPLE_UNIFORM, SAMPLES);
    for (uint32_t i = 0; i < CROWD; i++)
        sample[i] = 0x12345678 + i * 1000; /* one bin gets two bins' share more */
    gs_sort_samples(sample, SAMPLES);
    gs_splitters_choose(&splitters, sample, SAMPLES, BINS, 0);
    gs_splitters_snap(&splitters, sample, SAMPLES, BINS, 0);
    CHECK(splitters.guide != GS_GUIDE_EVEN);
    free(sample);
    choose_from(SAMPLE_UNIFORM, 7 * BINS, BINS);
    CHECK(splitters.guide != GS_GUIDE_EVEN);
}

/* Two bins of small keys are cut between those: a sample of as many keys as two bins have does not
 * tell small keys from random ones. */
static void test_two_bins_are_not_even(void)
{
    enum { FEW = 2 * GS_OVERSAMPLING / 2 };
    gs_key sample[FEW];
    for (gs_key i = 0; i < FEW; i++)
        sample[i] = 7 * i;
    gs_splitters_choose(&splitters, sample, FEW, 2, 0);
    gs_splitters_snap(&splitters, sample, FEW, 2, 0);
    CHECK_EQUAL(splitters.count, 1);
    CHECK(splitters.splitter[0] < sample[FEW - 1]);
}

/* Snapping leaves the bounds of equality bins alone: they would hold other values, too. */
static void test_snapped_equality_bins_stay(void)
{
    enum { BINS = 64, SAMPLES = 32 * BINS };
    gs_key *sample = sample_make(SAMPLE_UNIFORM, SAMPLES);
    for (uint32_t i = 0; i < SAMPLES; i += 4)
        sample[i] = 1234567890;
    gs_sort_samples(sample, SAMPLES);
    gs_splitters_choose(&splitters, sample, SAMPLES, BINS, 0);
    CHECK(gs_splitters_equal(&splitters, bin_by_definition(1234567890)));
    gs_splitters_snap(&splitters, sample, SAMPLES, BINS, 0);
    check_splitters(BINS);
    CHECK(gs_splitters_equal(&splitters, bin_by_definition(1234567890)));
    free(sample);
}

/* Where the lowest bits of keys tell nothing, splitters end above these, and values that many keys
 * have get bins of their own, which stay. */
static void test_loose_bits_are_in_one_bin(void)
{
    enum { BINS = 64, SAMPLES = 32 * BINS, HEAVY = 5 };
    static const unsigned loose[] = {1, 8, GS_KEY_BITS / 2, GS_KEY_BITS - 8};
    for (size_t l = 0; l < sizeof loose / sizeof *loose; l++) {
        const gs_key mask = ((gs_key)1 << loose[l]) - 1;
        gs_key *sample = sample_make(SAMPLE_UNIFORM, SAMPLES);
        for (uint32_t i = 0; i < SAMPLES; i += 4)
            sample[i] = (sample[i] & mask) | (gs_key)(HEAVY + i % 16 / 4) << loose[l];
        gs_sort_samples(sample, SAMPLES);
        for (int snapped = 0; snapped < 2; snapped++) {
            if (snapped)
                gs_splitters_snap(&splitters, sample, SAMPLES, BINS, loose[l]);
            else
                gs_splitters_choose(&splitters, sample, SAMPLES, BINS, loose[l]);
            check_splitters(BINS);
            for (uint32_t i = 0; i < splitters.count; i++)
                CHECK((splitters.splitter[i] & mask) == mask);
            for (gs_key value = HEAVY; value < HEAVY + 4; value++)
                CHECK(gs_splitters_single(&splitters, bin_by_definition(value << loose[l]),
                                          loose[l]));
        }
        free(sample);
    }
}

int main(void)
{
    test_loose_bits_are_in_one_bin();
    test_snapped_needs_no_step();
    test_guide_is_that_of_fewest_steps();
    test_gap_is_left_out();
    test_snapped_bins_keep_their_share();
    test_random_keys_have_even_bins();
    test_others_have_no_even_bins();
    test_two_bins_are_not_even();
    test_snapped_equality_bins_stay();
    test_every_kind();
    test_dense();
    test_heavy_values_get_equality_bins();
    test_one_bin_has_no_splitter();
    return check_failures();
}

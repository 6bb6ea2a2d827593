/* gpu_twins.c -- each GPU stage does the same as its CPU twin.
 * SPDX-License-Identifier: MIT
 *
 *     gpu_twins [LARGEST [STEP]]
 *
 * Tests every STEPth combination of inputs of all kinds, some sizes up to LARGEST keys, and some
 * numbers of bins; then a few inputs that matter only to whole sorts, small ones if LARGEST is
 * given.
 *
 * Sample, splitters, counts and offsets must be the same numbers, scattered bins the same
 * multisets, and the result the same bytes as qsort's. Needs a GPU: without one it says so and
 * exits with 77.
 */
#include "data/dist.h"
#include "sort/cpu/prefix_sum.h"
#include "sort/device/device_sizes.h"
#include "sort/device/device_sort.h"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/sample_position.h"
#include "sort/split/sort_samples.h"
#include "sort/split/splitters.h"
#include "tests/gpu/add_room.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

/* One input, on both sides. */
struct twins {
    enum sample_kind kind;
    uint64_t n;
    uint32_t bins;
    uint32_t samples;
    gs_key *keys;
    gs_key *sorted;
    gs_key *sample;
    uint64_t *counts;
    uint64_t *offsets;
    gs_key *d_keys;
    gs_key *d_other;
    struct gs_device_sorter sorter;
};

static struct gs_splitters splitters;
static struct gs_gpu_tables tables;

static void compare_sample(struct twins *twins)
{
    const struct gs_gpu_work *work = &twins->sorter.work;
    must(gs_select_samples_gpu(work, twins->d_keys, twins->n, twins->samples, NULL));
    gs_key *sample = get(work->samples, twins->samples * sizeof *sample);
    for (uint32_t i = 0; i < twins->samples; i++) {
        uint64_t position = gs_sample_position(i, twins->samples, twins->n, GS_SAMPLE_SEED);
        twins->sample[i] = twins->keys[position];
        if (!CHECK_EQUAL(sample[i], twins->sample[i]))
            break;
    }
    free(sample);
}

static void compare_splitters(struct twins *twins)
{
    const struct gs_gpu_work *work = &twins->sorter.work;
    gs_sort_samples(twins->sample, twins->samples);
    gs_splitters_choose(&splitters, twins->sample, twins->samples, twins->bins, 0);
    must(gs_sort_few_gpu(work->samples, work->samples + twins->samples, twins->samples, NULL));
    must(gs_choose_splitters_gpu(work, twins->n, twins->samples, twins->bins, twins->bins,
                                 twins->bins, 0, NULL));
    must(cudaMemcpy(&tables, work->tables, sizeof tables, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(tables.count, splitters.count);
    for (uint32_t i = 0; i < splitters.count; i++)
        if (!CHECK_EQUAL(tables.splitter[i], splitters.splitter[i]))
            break;
    /* Go on with the host's splitters, as the sort of a file does. */
    tables.count = splitters.count;
    memcpy(tables.splitter, splitters.splitter, splitters.count * sizeof *tables.splitter);
    must(cudaMemcpy(work->tables, &tables, sizeof tables, cudaMemcpyHostToDevice));
    must(gs_build_tables_gpu(work, twins->bins, NULL));
}

static void compare_counts(struct twins *twins)
{
    const struct gs_gpu_work *work = &twins->sorter.work;
    uint32_t bins = splitters.count + 1;
    memset(twins->counts, 0, bins * sizeof *twins->counts);
    for (uint64_t i = 0; i < twins->n; i++)
        twins->counts[gs_splitters_bin(&splitters, splitters.guide, splitters.steps,
                                       twins->keys[i])]++;
    gs_prefix_sum_scan(twins->counts, twins->offsets, bins, false);
    must(gs_count_bins_gpu(work, twins->d_keys, twins->n, twins->bins, twins->sorter.processors,
                           NULL));
    struct gs_gpu_state *state = get(work->state, sizeof *state);
    for (uint32_t bin = 0; bin < bins; bin++)
        if (!CHECK_EQUAL(state->counts[bin], twins->counts[bin]))
            break;
    free(state);
}

/* Check where runs begin in a chunk, which is the whole input here, and that its scatter moves all
 * keys, even those of equality bins. This clears the counts, so put them back. */
static void compare_runs(struct twins *twins)
{
    const struct gs_gpu_work *work = &twins->sorter.work;
    uint32_t bins = splitters.count + 1;
    uint32_t *d_starts;
    struct gs_gpu_state *state = get(work->state, sizeof *state);
    must(cudaMalloc((void **)&d_starts, (bins + 1) * sizeof *d_starts));
    must(gs_place_runs_gpu(work, d_starts, NULL));
    must(gs_scatter_bins_gpu(work, twins->d_keys, twins->d_other, twins->n, twins->bins,
                             2 * twins->bins, twins->sorter.processors, NULL));
    uint32_t *starts = get(d_starts, (bins + 1) * sizeof *starts);
    gs_key *scattered = get(twins->d_other, twins->n * sizeof *scattered);
    struct gs_gpu_state *cleared = get(work->state, sizeof *cleared);
    CHECK_EQUAL(starts[bins], twins->n);
    for (uint32_t bin = 0; bin < bins; bin++) {
        bool same =
            CHECK_EQUAL(starts[bin], twins->offsets[bin]) && CHECK_EQUAL(cleared->counts[bin], 0);
        for (uint64_t i = 0; same && i < twins->counts[bin]; i++)
            same = CHECK_EQUAL(gs_splitters_bin(&splitters, splitters.guide, splitters.steps,
                                                scattered[twins->offsets[bin] + i]),
                               bin);
        if (!same)
            break;
    }
    CHECK_EQUAL(gs_fingerprint(scattered, twins->n), gs_fingerprint(twins->keys, twins->n));
    must(cudaMemcpy(work->state, state, sizeof *state, cudaMemcpyHostToDevice));
    free(cleared);
    free(scattered);
    free(starts);
    free(state);
    cudaFree(d_starts);
}

/* Compare offsets, then bins as multisets. For an input in order, or in equality bins alone, this
 * ends here, as nothing is scattered. */
static void compare_bins(struct twins *twins)
{
    const struct gs_gpu_work *work = &twins->sorter.work;
    uint32_t bins = splitters.count + 1;
    must(gs_plan_bins_gpu(work, 0, NULL)); /* sequence 0: no sort takes that report for its own */
    struct gs_gpu_state *state = get(work->state, sizeof *state);
    bool scatters = state->outcome == GS_GPU_UNSORTED;
    free(state);
    if (!scatters) {
        bool one_valued = true;
        for (uint32_t bin = 0; bin < bins; bin++)
            one_valued =
                one_valued && (twins->counts[bin] == 0 || gs_splitters_equal(&splitters, bin));
        CHECK(one_valued || twins->kind == SAMPLE_EQUAL || twins->kind == SAMPLE_SORTED ||
              twins->kind == SAMPLE_REVERSED);
        return;
    }
    unsigned long long *cursors = get(work->cursors, bins * sizeof *cursors);
    for (uint32_t bin = 0; bin < bins; bin++) {
        if (twins->counts[bin] == 0)
            continue;
        uint64_t wanted = gs_splitters_equal(&splitters, bin) ? GS_GPU_SKIP : twins->offsets[bin];
        if (!CHECK_EQUAL(cursors[bin], wanted))
            break;
    }
    free(cursors);
    must(gs_scatter_bins_gpu(work, twins->d_keys, twins->d_other, twins->n, twins->bins,
                             2 * twins->bins, twins->sorter.processors, NULL));
    gs_key *scattered = get(twins->d_other, twins->n * sizeof *scattered);
    uint64_t *wanted = calloc(bins + 1, sizeof *wanted);
    if (wanted == NULL)
        abort();
    for (uint64_t i = 0; i < twins->n; i++)
        wanted[gs_splitters_bin(&splitters, splitters.guide, splitters.steps, twins->keys[i])] +=
            gs_fingerprint(&twins->keys[i], 1);
    for (uint32_t bin = 0; bin < bins; bin++)
        if (!gs_splitters_equal(&splitters, bin) &&
            !CHECK_EQUAL(gs_fingerprint(scattered + twins->offsets[bin], twins->counts[bin]),
                         wanted[bin]))
            break;
    free(wanted);
    free(scattered);
}

/* How bins get their places: COUNTED; PAGED: in pages, if the keys suit that, with level 2 counted
 * unless there are stats; SPLIT: in pages that are split once more. */
enum way { COUNTED, PAGED, SPLIT };

static void compare_result(struct twins *twins, enum way way, struct gs_device_stats *stats)
{
    struct gs_error err = {.status = GS_OK};
    const uint64_t n = twins->n;
    twins->sorter.room.paged_keys = way == COUNTED ? UINT64_MAX : 1;
    twins->sorter.room.split_keys = way == SPLIT ? 1 : UINT64_MAX;
    must(cudaMemcpy(twins->d_keys, twins->keys, n * sizeof(gs_key), cudaMemcpyHostToDevice));
    CHECK_EQUAL(gs_device_sort(&twins->sorter, twins->d_keys, twins->d_other, n, stats, &err),
                GS_OK);
    must(cudaDeviceSynchronize());
    bool in_other = stats != NULL && stats->in_other;
    gs_key *result = get(in_other ? twins->d_other : twins->d_keys, n * sizeof *result);
    CHECK(memcmp(result, twins->sorted, n * sizeof *result) == 0);
    free(result);
}

static void compare(enum sample_kind kind, uint64_t n, uint32_t bins)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_device_stats stats;
    struct twins twins = {.kind = kind, .n = n, .bins = bins, .samples = bins * 16};
    int failed = check_failed;
    twins.keys = sample_make(kind, n);
    twins.sorted = sample_sorted(twins.keys, &n, false, false);
    twins.sample = malloc(twins.samples * sizeof *twins.sample);
    twins.counts = calloc(4 * (size_t)bins, sizeof *twins.counts);
    if (twins.sample == NULL || twins.counts == NULL)
        abort();
    twins.offsets = twins.counts + 2 * (size_t)bins;
    enum gs_status st = gs_device_sorter_open(&twins.sorter, n, &err);
    if (st != GS_OK) {
        fprintf(stderr, "gpu_twins: %s\n", err.text);
        exit(2);
    }
    void *room = add_room(&twins.sorter, 1, 1);
    must(cudaMalloc((void **)&twins.d_keys, n * sizeof(gs_key)));
    must(cudaMalloc((void **)&twins.d_other, n * sizeof(gs_key)));
    must(cudaMemcpy(twins.d_keys, twins.keys, n * sizeof(gs_key), cudaMemcpyHostToDevice));
    must(cudaMemset(twins.d_other, 0xa5, n * sizeof(gs_key)));
    must(cudaMemset(twins.sorter.work.state, 0, sizeof *twins.sorter.work.state));
    compare_sample(&twins);
    compare_splitters(&twins);
    compare_counts(&twins);
    compare_runs(&twins);
    compare_bins(&twins);
    compare_result(&twins, COUNTED, &stats);
    twins.sorter.few_keys = GS_GPU_MEDIUM_KEYS;
    compare_result(&twins, PAGED, NULL);
    compare_result(&twins, PAGED, &stats);
    compare_result(&twins, SPLIT, NULL);
    if (check_failed > failed)
        fprintf(stderr, "  with %" PRIu64 " keys of kind %d, %" PRIu32 " bins\n", n, (int)kind,
                bins);
    cudaFree(twins.d_keys);
    cudaFree(twins.d_other);
    gs_device_sorter_close(&twins.sorter);
    cudaFree(room);
    free(twins.keys);
    free(twins.sorted);
    free(twins.sample);
    free(twins.counts);
}

/* Inputs that the sorts above do not cover:
 *   SPREAD       keys spread like their sample, which must not be counted
 *   MISLEADS     a sample all over the range, while all other keys are in one bin: pages run out
 *   ZEROS        zeros, a few more in each tile than a row holds, among keys of all magnitudes
 *   FEW_IN_ROOM  the first digit of a bin, in level 2, has few values: keys that have gone to rooms
 *                are counted by value at a deeper level, with other digits of the bin around them
 *   GAPS         bins with a gap, so that one digit has nearly all keys of a slot that is split
 *   BASES, BITS  keys uneven on every scale: k-mers, all about equally rare; and numbers with few
 *                bits set, of which some are frequent */
enum input {
    INPUT_SPREAD,
    INPUT_MISLEADS,
    INPUT_ZEROS,
    INPUT_FEW_IN_ROOM,
    INPUT_GAPS,
    INPUT_BASES,
    INPUT_BITS
};

static void check_input(enum input input, uint64_t n)
{
    enum { SAMPLES_A_BIN = 16 };
    struct gs_error err = {.status = GS_OK};
    struct gs_device_stats stats;
    struct twins twins = {.kind = SAMPLE_UNIFORM, .n = n};
    const uint32_t samples = gs_device_sort_bins(n) * SAMPLES_A_BIN;
    const bool uneven = input == INPUT_BASES || input == INPUT_BITS;
    const struct gs_dist *dist = gs_dist_find(input == INPUT_BASES ? "k-mers" : "low-entropy");
    if (!CHECK(samples <= n))
        return;
    twins.keys = sample_make(SAMPLE_UNIFORM, n);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t r = gs_random(23, i);
        if (input == INPUT_MISLEADS)
            twins.keys[i] = 0x80000000U + (gs_key)(r & 0xffff);
        else if (input == INPUT_ZEROS)
            twins.keys[i] = r % 33 == 0 ? 0 : ((gs_key)(r >> 32) | 0x80000000U) >> r % 20;
        else if (input == INPUT_FEW_IN_ROOM && r % 150 == 0)
            twins.keys[i] = (gs_key)(r >> 32) % 100 << 8;
        else if (input == INPUT_GAPS)
            twins.keys[i] = (gs_key)(r % 5) << 29 | (gs_key)(r >> 32 & 0xffffff);
        else if (uneven)
            twins.keys[i] = dist->draw(29, n, i);
    }
    for (uint32_t i = 0; input == INPUT_MISLEADS && i < samples; i++)
        twins.keys[gs_sample_position(i, samples, n, GS_SAMPLE_SEED)] = i * 2654435769U;
    twins.sorted = sample_sorted(twins.keys, &n, false, false);
    must(cudaMalloc((void **)&twins.d_keys, n * sizeof(gs_key)));
    must(cudaMalloc((void **)&twins.d_other, n * sizeof(gs_key)));
    CHECK_EQUAL(gs_device_sorter_open(&twins.sorter, n, &err), GS_OK);
    void *room = add_room(&twins.sorter, 1, 1);
    const bool has_maps = twins.sorter.work.rows;
    compare_result(&twins, COUNTED, &stats);
    CHECK(!stats.in_other && !stats.split);
    CHECK_EQUAL(stats.uneven, uneven && has_maps);
    compare_result(&twins, PAGED, &stats);
    CHECK_EQUAL(stats.in_other, input != INPUT_MISLEADS && !stats.uneven);
    CHECK(input != INPUT_FEW_IN_ROOM || stats.levels > 2);
    compare_result(&twins, SPLIT, &stats);
    CHECK_EQUAL(stats.in_other, stats.uneven);
    CHECK_EQUAL(stats.uneven, uneven && has_maps);
    CHECK_EQUAL(stats.split, input != INPUT_MISLEADS);
    if (uneven)
        compare_result(&twins, SPLIT, NULL);
    gs_device_sorter_close(&twins.sorter);
    cudaFree(room);
    cudaFree(twins.d_keys);
    cudaFree(twins.d_other);
    free(twins.keys);
    free(twins.sorted);
}

int main(int argc, char **argv)
{
    /* With LARGEST for the sanitizers, which are slow. */
    const bool all = argc == 1;
    const uint64_t largest = all ? UINT64_MAX : strtoull(argv[1], NULL, 10);
    const uint64_t step = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const uint64_t n = all ? 300001 : GS_GPU_FEW_KEYS + 12345; /* fewer would have no bins */
    uint64_t made = 0;
    static const uint64_t sizes[] = {
        5000, 20000, GS_GPU_TILE_KEYS * 5 - 1, GS_GPU_TILE_KEYS * 5 + 1, 1000003, 3000001};
    static const uint32_t bins[] = {8, 64, 256, 1024};
    require_gpu();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t b = 0; b < sizeof bins / sizeof *bins; b++)
            for (int kind = 0; kind < SAMPLE_KINDS; kind++)
                if (sizes[s] <= largest && bins[b] * 16 <= sizes[s] && made++ % step == 0)
                    compare((enum sample_kind)kind, sizes[s], bins[b]);
    check_input(INPUT_SPREAD, n);
    check_input(INPUT_MISLEADS, n);
    check_input(INPUT_ZEROS, n);
    check_input(INPUT_GAPS, n);
    check_input(INPUT_BASES, GS_GPU_ONE_LEVEL_KEYS + 1);
    check_input(INPUT_BITS, GS_GPU_ONE_LEVEL_KEYS + 1);
    if (all)
        check_input(INPUT_FEW_IN_ROOM, 3000001);
    return check_failures();
}

/* test_stages_cpu.c -- count, prefix sum, scatter and sort of the bins, stage by stage.
 * SPDX-License-Identifier: MIT
 *
 * Each stage keeps its own contract: counts are exact, every bin gets its keys and no other, a bin
 * comes out sorted; and an input that changes between count and scatter is noticed, with no key
 * written outside its bin.
 */
#include "sort/params.h"
#include "sort/sort_samples.h"
#include "sort/select_samples.h"
#include "sort/stages_cpu.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>

enum { N = 5 * GS_TILE_KEYS + 77 };

/* A run as pipeline.c makes one, up to the splitters. */
struct fixture {
    struct gs_run run;
    struct gs_options options;
    struct gs_span span;
    struct gs_sink sink;
    struct gs_progress progress;
    struct gs_stats stats;
    struct gs_error err;
    struct gs_chunk chunk;
    gs_key *output;
};

static enum gs_status store(struct gs_sink *sink, const gs_key *keys, uint64_t count,
                            uint64_t position, struct gs_error *err)
{
    (void)err;
    struct fixture *f = (struct fixture *)(void *)((char *)sink - offsetof(struct fixture, sink));
    memcpy(f->output + position, keys, (size_t)count * sizeof *keys);
    return GS_OK;
}

static bool open_fixture(struct fixture *f, gs_key *keys, unsigned threads, uint64_t bins,
                         bool reverse)
{
    *f = (struct fixture){.options = {.threads = threads, .bins = bins, .reverse = reverse},
                          .span = {keys, N, "input"}};
    f->sink.write = store;
    f->output = calloc(N, sizeof *f->output);
    f->run.options = &f->options;
    f->run.progress = &f->progress;
    f->run.stats = &f->stats;
    if (!CHECK(f->output != NULL) ||
        !CHECK(gs_tiles_make(&f->run.tiles, &f->span, 1, &f->err) == GS_OK) ||
        !CHECK(gs_emit_init(&f->run.emitter, &f->options, &f->sink, &f->err) == GS_OK))
        return false;
    gs_plan_make(&f->run.plan, &f->options, N, 4);
    uint64_t chunk_keys = 0;
    if (!CHECK(gs_stages_cpu.open(&f->run, &chunk_keys, &f->err) == GS_OK) ||
        !CHECK(chunk_keys >= N))
        return false;
    f->chunk = (struct gs_chunk){.count = N};
    uint32_t samples = f->run.plan.samples;
    gs_key *sample = malloc(samples * sizeof *sample);
    if (sample == NULL)
        abort();
    gs_select_samples_cpu(&f->run.tiles, samples, 1, 2, sample);
    gs_sort_samples(sample, samples);
    gs_splitters_choose(&f->run.splitters, sample, samples, f->run.plan.bins);
    free(sample);
    f->run.counts = calloc(2 * (size_t)gs_run_bins(&f->run) + 1, sizeof *f->run.counts);
    f->run.offsets = f->run.counts + gs_run_bins(&f->run);
    return CHECK(f->run.counts != NULL);
}

static void close_fixture(struct fixture *f)
{
    gs_stages_cpu.close(&f->run);
    gs_emit_free(&f->run.emitter);
    gs_tiles_free(&f->run.tiles);
    free(f->run.counts);
    free(f->output);
}

/* By the definition of splitters.h, without the guide. */
static uint32_t bin_of(const struct gs_splitters *splitters, gs_key key)
{
    uint32_t low = 0;
    uint32_t high = splitters->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (splitters->splitter[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void check_counts(struct fixture *f, const gs_key *keys)
{
    uint32_t bins = gs_run_bins(&f->run);
    uint64_t *wanted = calloc(bins, sizeof *wanted);
    if (wanted == NULL)
        abort();
    for (uint64_t i = 0; i < N; i++)
        wanted[bin_of(&f->run.splitters, keys[i])]++;
    CHECK(memcmp(wanted, f->run.counts, bins * sizeof *wanted) == 0);
    free(wanted);
}

static void check_scattered(struct fixture *f)
{
    const struct gs_cpu *cpu = f->run.device;
    for (uint32_t bin = 0; bin < gs_run_bins(&f->run); bin++) {
        if (gs_splitters_equal(&f->run.splitters, bin))
            continue; /* known from its count: not stored */
        for (uint64_t i = 0; i < f->run.counts[bin]; i++) {
            gs_key key = cpu->bins[f->run.offsets[bin] + i];
            if (!CHECK_EQUAL(bin_of(&f->run.splitters, key), bin))
                return;
        }
    }
}

static void test_stage_by_stage(enum sample_kind kind, unsigned threads, uint64_t bins,
                                bool reverse)
{
    gs_key *keys = sample_make(kind, N);
    uint64_t count = N;
    gs_key *wanted = sample_sorted(keys, &count, reverse, false);
    struct fixture f;
    if (open_fixture(&f, keys, threads, bins, reverse)) {
        CHECK(gs_stages_cpu.count_bins(&f.run, &f.chunk, &f.err) == GS_OK);
        check_counts(&f, keys);
        CHECK(gs_stages_cpu.prefix_sum(&f.run, &f.chunk, &f.err) == GS_OK);
        CHECK(gs_stages_cpu.scatter(&f.run, &f.chunk, &f.err) == GS_OK);
        check_scattered(&f);
        CHECK(gs_stages_cpu.sort_bins(&f.run, &f.err) == GS_OK);
        CHECK(memcmp(f.output, wanted, N * sizeof *wanted) == 0);
    }
    close_fixture(&f);
    free(keys);
    free(wanted);
}

/* Keys that change between count and scatter, in some few places or in all. */
static void test_input_changes(unsigned threads, uint64_t step)
{
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    struct fixture f;
    if (open_fixture(&f, keys, threads, 64, false)) {
        CHECK(gs_stages_cpu.count_bins(&f.run, &f.chunk, &f.err) == GS_OK);
        CHECK(gs_stages_cpu.prefix_sum(&f.run, &f.chunk, &f.err) == GS_OK);
        for (uint64_t i = step - 1; i < N; i += step)
            keys[i] = ~keys[i];
        CHECK(gs_stages_cpu.scatter(&f.run, &f.chunk, &f.err) == GS_ERR_INPUT);
        CHECK(strstr(f.err.text, "input: ") == f.err.text);
    }
    close_fixture(&f);
    free(keys);
}

int main(void)
{
    static const uint64_t bins[] = {2, 3, 64, GS_BINS_MAX};
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        for (size_t b = 0; b < sizeof bins / sizeof bins[0]; b++)
            test_stage_by_stage((enum sample_kind)kind, 1 + (unsigned)b, bins[b], b % 2 != 0);
    }
    for (unsigned threads = 1; threads <= 3; threads++) {
        test_input_changes(threads, 1);
        test_input_changes(threads, 1000);
        test_input_changes(threads, N);
    }
    return check_failures();
}

/* test_regions.c -- a copy in the output's own memory: every key arrives, nothing else is touched.
 * SPDX-License-Identifier: MIT
 *
 * Whatever was estimated: where bins are larger or smaller than that, or in other places, and where
 * one bin has nearly all keys.
 */
#include "sort/regions.h"
#include "sort/sample_position.h"
#include "sort/select_samples.h"
#include "sort/sort_samples.h"
#include "common/memory.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>

enum { N = 9 * GS_CHUNK_KEYS_MAX + 77, GUARD = 64, SEED = 1, LOOKED_AT = 8 };
#define GUARD_KEY    0xdeadbeefU
#define MEMORY_BYTES ((N + 2 * (size_t)GUARD) * sizeof(gs_key))

/* A run as pipeline.c makes one, up to the splitters, into memory. */
struct fixture {
    struct gs_run run;
    struct gs_options options;
    struct gs_span span;
    struct gs_sink sink;
    struct gs_progress progress;
    struct gs_stats stats;
    struct gs_error err;
    uint64_t chunk_keys;
    gs_key *memory; /* the output, some keys behind its beginning, and guards on both sides */
};

static bool open_fixture(struct fixture *f, gs_key *keys, unsigned threads, uint64_t bins,
                         size_t skew)
{
    *f = (struct fixture){.options = {.threads = threads, .bins = bins, .verify = true},
                          .span = {keys, N, "input"}};
    f->memory = gs_pages_alloc(MEMORY_BYTES); /* not far from other pages */
    f->run.options = &f->options;
    f->run.progress = &f->progress;
    f->run.stats = &f->stats;
    if (f->memory == NULL)
        abort();
    for (size_t i = 0; i < N + 2 * (size_t)GUARD; i++)
        f->memory[i] = GUARD_KEY;
    f->sink.memory = f->memory + GUARD / 2 + skew;
    CHECK(gs_tiles_make(&f->run.tiles, &f->span, 1, &f->err) == GS_OK);
    CHECK(gs_emit_init(&f->run.emitter, &f->options, &f->sink, &f->err) == GS_OK);
    gs_plan_make(&f->run.plan, &f->options, N, threads);
    f->run.plan.threads = threads;
    f->run.plan.direct = false;
    uint32_t samples = f->run.plan.samples;
    CHECK_EQUAL(samples, bins * GS_DIRECT_OVERSAMPLING);
    gs_key *sample = malloc(samples * sizeof *sample);
    if (sample == NULL)
        abort();
    gs_select_samples_cpu(&f->run.tiles, samples, SEED, 2, sample);
    gs_sort_samples(sample, samples);
    gs_splitters_choose(&f->run.splitters, sample, samples, f->run.plan.bins);
    free(sample);
    f->run.counts = calloc(2 * (size_t)gs_run_bins(&f->run) + 1, sizeof *f->run.counts);
    f->run.offsets = f->run.counts + gs_run_bins(&f->run);
    return CHECK(f->run.counts != NULL) &&
           CHECK(gs_stages_cpu.open(&f->run, &f->chunk_keys, &f->err) == GS_OK);
}

/* Count, prefix sum and scatter of all chunks. */
static void distribute(struct fixture *f)
{
    const struct gs_cpu *cpu = f->run.device;
    uint64_t chunks = cpu->chunks;
#pragma omp parallel for num_threads(f->run.plan.threads) schedule(dynamic)
    for (uint64_t i = 0; i < chunks; i++) {
        uint64_t first = i * f->chunk_keys;
        struct gs_chunk chunk = {i, first, N - first < f->chunk_keys ? N - first : f->chunk_keys};
        struct gs_error err = {.status = GS_OK};
        bool done = gs_stages_cpu.count_bins(&f->run, &chunk, &err) == GS_OK &&
                    gs_stages_cpu.prefix_sum(&f->run, &chunk, &err) == GS_OK &&
                    gs_stages_cpu.scatter(&f->run, &chunk, &err) == GS_OK;
#pragma omp critical(test)
        CHECK(done);
    }
}

static void close_fixture(struct fixture *f)
{
    gs_stages_cpu.close(&f->run);
    gs_emit_free(&f->run.emitter);
    gs_tiles_free(&f->run.tiles);
    free(f->run.counts);
    gs_pages_free(f->memory, MEMORY_BYTES);
}

/* The keys in order between the guards. */
static void check_output(const struct fixture *f)
{
    const gs_key *output = f->sink.memory;
    uint64_t disorder = 0;
    uint64_t touched = 0;
    for (uint64_t i = 1; i < N; i++)
        disorder += output[i - 1] > output[i];
    CHECK_EQUAL(disorder, 0);
    for (const gs_key *at = f->memory; at < f->memory + N + 2 * (size_t)GUARD; at++)
        touched += (at < output || at >= output + N) && *at != GUARD_KEY;
    CHECK_EQUAL(touched, 0);
    CHECK_EQUAL(gs_fingerprint(output, N), gs_fingerprint(f->span.keys, N));
    CHECK_EQUAL(f->run.fingerprint, gs_fingerprint(f->span.keys, N));
}

/* Sort keys by regions, and free them. */
static void check_sort(gs_key *keys, unsigned threads, uint64_t bins, size_t skew)
{
    struct fixture f;
    if (open_fixture(&f, keys, threads, bins, skew)) {
        CHECK(gs_regions_of(&f.run) != NULL);
        distribute(&f);
        CHECK(gs_stages_cpu.sort_bins(&f.run, &f.err) == GS_OK);
        check_output(&f);
    }
    close_fixture(&f);
    free(keys);
}

/* Keys of one value in a part of the places where somebody looks to estimate bins. */
static gs_key *make_misleading(uint64_t bins, uint64_t part, gs_key value)
{
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    uint64_t samples = bins * GS_DIRECT_OVERSAMPLING;
    for (uint64_t i = 0; i < samples; i += part) {
        uint64_t at = gs_sample_position(i, samples, N, GS_SAMPLE_SEED + 1);
        for (uint64_t k = at; k < at + LOOKED_AT && k < N; k++)
            keys[k] = value;
    }
    return keys;
}

/* All keys but those that choose splitters are of one bin, which is split again. */
static gs_key *make_crowded(uint64_t bins)
{
    gs_key *keys = malloc(N * sizeof *keys);
    uint64_t samples = bins * GS_DIRECT_OVERSAMPLING;
    if (keys == NULL)
        abort();
    for (uint64_t i = 0; i < N; i++)
        keys[i] = 3000000000U + (gs_key)(gs_random(5, i) % 3000000);
    for (uint64_t i = 0; i < samples; i++)
        keys[gs_sample_position(i, samples, N, SEED)] = (gs_key)gs_random(6, i);
    return keys;
}

/* What would take regions is refused where the output is not just memory for all keys in order. */
static void test_only_into_memory(void)
{
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    struct fixture f;
    if (open_fixture(&f, keys, 2, 5, 0)) {
        CHECK(gs_regions_spare(&f.run) > 0);
        f.options.unique = true;
        CHECK_EQUAL(gs_regions_spare(&f.run), 0);
        f.options.unique = false;
        f.options.reverse = true;
        CHECK_EQUAL(gs_regions_spare(&f.run), 0);
        f.options.reverse = false;
        gs_key *memory = f.sink.memory;
        f.sink.memory = NULL;
        CHECK_EQUAL(gs_regions_spare(&f.run), 0);
        f.sink.memory = memory;
        f.run.plan.bins = N / 60000;
        CHECK_EQUAL(gs_regions_spare(&f.run), 0);
    }
    close_fixture(&f);
    free(keys);
}

int main(void)
{
    static const uint64_t bins[] = {2, 5, 17};
    for (int kind = 0; kind < SAMPLE_KINDS; kind++)
        for (size_t b = 0; b < sizeof bins / sizeof bins[0]; b++)
            check_sort(sample_make((enum sample_kind)kind, N), 1 + 2 * (unsigned)b, bins[b],
                       (size_t)kind + b);
    for (unsigned threads = 1; threads <= 3; threads++) {
        for (uint64_t part = 1; part <= 4; part++)
            for (int high = 0; high < 2; high++)
                check_sort(make_misleading(17, part, high != 0 ? GS_KEY_MAX : 0), threads, 17,
                           threads);
        check_sort(make_crowded(11), threads, 11, 0);
    }
    test_only_into_memory();
    return check_failures();
}

/* test_regions.c -- scattered copy in the output's memory: all keys arrive, nothing else changes.
 * SPDX-License-Identifier: MIT
 *
 * That holds however wrong the estimates are: bins larger, smaller or elsewhere than estimated, or
 * one bin with nearly all keys. The skew also selects the direction and whether duplicates stay.
 */
#include "sort/cpu/regions.h"
#include "sort/keys/sample_position.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/cpu/cpu.h"
#include "common/memory/memory.h"
#include "tests/unit/sample_keys.h"
#include "tests/unit/stage_run.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/order.h"

enum { N = 9 * GS_CHUNK_KEYS_MAX + 77, GUARD = 64, LOOKED_AT = 8 };
#define GUARD_KEY    0xdeadbeefU
#define MEMORY_BYTES ((N + 2 * (size_t)GUARD) * sizeof(gs_key))

/* A run whose output lies in memory, off its beginning by a skew, with guards on both sides. */
struct fixture {
    struct stage_run stages;
    gs_key *memory;
};

static bool open_fixture(struct fixture *f, const gs_key *keys, unsigned threads, uint64_t bins,
                         size_t skew)
{
    *f = (struct fixture){.stages = {.options = {.threads = threads,
                                                 .bins = bins,
                                                 .verify = true,
                                                 .reverse = skew % 2 != 0,
                                                 .unique = skew % 3 != 0}}};
    f->memory = gs_pages_alloc(MEMORY_BYTES); /* near the spare memory, as regions require */
    if (f->memory == NULL)
        abort();
    for (size_t i = 0; i < N + 2 * (size_t)GUARD; i++)
        f->memory[i] = GUARD_KEY;
    f->stages.sink.memory = f->memory + GUARD / 2 + skew;
    return stage_run_open(&f->stages, keys, N) &&
           CHECK_EQUAL(f->stages.run.plan.samples, bins * GS_FEW_OVERSAMPLING);
}

/* Count, prefix sum and scatter of all chunks. */
static void distribute(struct stage_run *f)
{
    const struct gs_cpu *cpu = f->run.cpu;
    uint64_t chunks = cpu->rows.count;
#pragma omp parallel for num_threads(f->run.plan.threads) schedule(dynamic)
    for (uint64_t i = 0; i < chunks; i++) {
        struct gs_chunk chunk = stage_run_chunk(f, i);
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
    stage_run_close(&f->stages);
    gs_pages_free(f->memory, MEMORY_BYTES);
}

/* The output is in order, has the input's fingerprint, and leaves the guards alone. */
static void check_output(const struct fixture *f)
{
    const struct gs_run *run = &f->stages.run;
    const gs_key *output = f->stages.sink.memory;
    const uint64_t kept = run->emitter.position;
    uint64_t touched = 0;
    CHECK_EQUAL(gs_first_disorder(run->options, output, kept, NULL), kept);
    CHECK(kept == N || run->options->unique);
    for (const gs_key *at = f->memory; at < f->memory + N + 2 * (size_t)GUARD; at++)
        touched += (at < output || at >= output + N) && *at != GUARD_KEY;
    CHECK_EQUAL(touched, 0);
    CHECK_EQUAL(run->fingerprint, gs_fingerprint(f->stages.span.keys, N));
    CHECK_EQUAL(gs_fingerprint(output, kept), run->fingerprint - run->emitter.dropped_sum);
}

/* Sort keys by regions, and free them. */
static void check_sort(gs_key *keys, unsigned threads, uint64_t bins, size_t skew)
{
    struct fixture f;
    if (open_fixture(&f, keys, threads, bins, skew)) {
        CHECK(gs_regions_of(&f.stages.run) != NULL);
        distribute(&f.stages);
        CHECK(gs_stages_cpu.sort_bins(&f.stages.run, &f.stages.err) == GS_OK);
        check_output(&f);
    }
    close_fixture(&f);
    free(keys);
}

/* Uniform keys, except that one in `part` of the places where bins are estimated has `value`. */
static gs_key *make_misleading(uint64_t bins, uint64_t part, gs_key value)
{
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    uint64_t samples = bins * GS_FEW_OVERSAMPLING;
    for (uint64_t i = 0; i < samples; i += part) {
        uint64_t at = gs_sample_position(i, samples, N, GS_SAMPLE_SEED + 1);
        for (uint64_t k = at; k < at + LOOKED_AT && k < N; k++)
            keys[k] = value;
    }
    return keys;
}

/* All keys but those sampled for splitters fall into one bin, which must be split again. */
static gs_key *make_crowded(uint64_t bins)
{
    gs_key *keys = malloc(N * sizeof *keys);
    uint64_t samples = bins * GS_FEW_OVERSAMPLING;
    if (keys == NULL)
        abort();
    for (uint64_t i = 0; i < N; i++)
        keys[i] = 3000000000U + (gs_key)(gs_random(5, i) % 3000000);
    for (uint64_t i = 0; i < samples; i++)
        keys[gs_sample_position(i, samples, N, STAGE_RUN_SEED)] = (gs_key)gs_random(6, i);
    return keys;
}

/* Regions need an output that is memory, and bins large enough to pay. */
static void test_only_into_memory(void)
{
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    struct fixture f;
    if (open_fixture(&f, keys, 2, 5, 0)) {
        CHECK(gs_regions_spare(&f.stages.run) > 0);
        gs_key *memory = f.stages.sink.memory;
        f.stages.sink.memory = NULL;
        CHECK_EQUAL(gs_regions_spare(&f.stages.run), 0);
        f.stages.sink.memory = memory;
        f.stages.run.plan.bins = N / 60000;
        CHECK_EQUAL(gs_regions_spare(&f.stages.run), 0);
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

/* test_stages_cpu.c -- count, prefix sum, scatter and sort of the bins, stage by stage.
 * SPDX-License-Identifier: MIT
 *
 * Each stage keeps its own contract: counts are exact, every run holds keys of its bin only, bins
 * that are too large are split, a bin comes out sorted; and an input that changes after its count
 * is sorted as it was read.
 */
#include "sort/bin/cache_sort.h"
#include "sort/keys/params.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/cpu/cpu.h"
#include "sort/cpu/pieces.h"
#include "sort/cpu/prefix_sum.h"
#include "tests/unit/sample_keys.h"
#include "tests/unit/stage_run.h"

#include <stddef.h>

enum { N = 5 * GS_CHUNK_KEYS_MAX + 77, LARGE = 5 * GS_CACHE_SORT_CAPACITY + 3 };

static enum gs_status store(struct gs_sink *sink, const void *data, uint64_t count,
                            uint64_t position, struct gs_error *err)
{
    const gs_key *keys = data;
    (void)err;
    struct stage_run *f =
        (struct stage_run *)(void *)((char *)sink - offsetof(struct stage_run, sink));
    memcpy(f->output + position, keys, (size_t)count * sizeof *keys);
    return GS_OK;
}

static bool open_run(struct stage_run *f, const gs_key *keys, uint64_t n, unsigned threads,
                     uint64_t bins, bool reverse)
{
    *f = (struct stage_run){.options = {.threads = threads, .bins = bins, .reverse = reverse},
                            .sink = {.write = store}};
    f->output = calloc(n, sizeof *f->output);
    if (f->output == NULL)
        abort();
    return stage_run_open(f, keys, n);
}

/* Count, prefix sum and scatter of all chunks, the last chunk first: none depends on another. If
 * `change`, each chunk's keys are changed after they were counted. */
static void distribute(struct stage_run *f, gs_key *keys, bool change)
{
    const struct gs_cpu *cpu = f->run.cpu;
    for (uint64_t i = cpu->rows.count; i-- > 0;) {
        struct gs_chunk chunk = stage_run_chunk(f, i);
        CHECK(gs_stages_cpu.count_bins(&f->run, &chunk, &f->err) == GS_OK);
        for (uint64_t k = 0; change && k < chunk.count; k++)
            keys[chunk.first + k] = ~keys[chunk.first + k];
        CHECK(gs_stages_cpu.prefix_sum(&f->run, &chunk, &f->err) == GS_OK);
        CHECK(gs_stages_cpu.scatter(&f->run, &chunk, &f->err) == GS_OK);
    }
}

static void close_run(struct stage_run *f)
{
    stage_run_close(f);
    free(f->output);
}

/* A key's bin by the definition in splitters.h, without the guide. */
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

static void check_counts(struct stage_run *f, const gs_key *keys)
{
    uint32_t bins = gs_run_bins(&f->run);
    uint64_t *wanted = calloc(bins, sizeof *wanted);
    if (wanted == NULL)
        abort();
    for (uint64_t i = 0; i < f->span.count; i++)
        wanted[bin_of(&f->run.splitters, keys[i])]++;
    CHECK(memcmp(wanted, f->run.counts, bins * sizeof *wanted) == 0);
    free(wanted);
}

/* Each run holds keys of its bin only. Equality bins are left out: a chunk that has no other keys
 * is not moved, so there is nothing to look at. */
static void check_runs(struct stage_run *f)
{
    const struct gs_cpu *cpu = f->run.cpu;
    for (uint64_t i = 0; i < cpu->rows.count * gs_run_bins(&f->run); i++) {
        uint32_t bin = (uint32_t)(i % gs_run_bins(&f->run));
        uint64_t chunk = i / gs_run_bins(&f->run);
        const uint32_t *starts = cpu->rows.starts + chunk * cpu->rows.stride + bin;
        if (gs_splitters_equal(&f->run.splitters, bin))
            continue;
        for (uint32_t k = starts[0]; k < starts[1]; k++)
            if (!CHECK_EQUAL(bin_of(&f->run.splitters, gs_cpu_chunk(cpu, chunk)[k]), bin))
                return;
    }
}

/* Counts, runs and output are right after each stage, for any number of threads and bins. */
static void test_stage_by_stage(enum sample_kind kind, uint64_t n, unsigned threads, uint64_t bins,
                                bool reverse)
{
    gs_key *keys = sample_make(kind, n);
    uint64_t count = n;
    gs_key *wanted = sample_sorted(keys, &count, reverse, false);
    struct stage_run f;
    if (open_run(&f, keys, n, threads, bins, reverse)) {
        distribute(&f, keys, false);
        gs_total_bins_cpu(&f.run);
        check_counts(&f, keys);
        check_runs(&f);
        CHECK(gs_stages_cpu.sort_bins(&f.run, &f.err) == GS_OK);
        CHECK(memcmp(f.output, wanted, n * sizeof *wanted) == 0);
    }
    close_run(&f);
    free(keys);
    free(wanted);
}

/* Adjacent values with an equality bin each: these are more than half of the bins. */
static void test_many_equality_bins(void)
{
    enum { VALUES = 31 };
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    for (uint64_t i = 0; i < N; i++)
        keys[i] = 1000 + keys[i] % VALUES;
    uint64_t count = N;
    gs_key *wanted = sample_sorted(keys, &count, false, false);
    struct stage_run f;
    if (open_run(&f, keys, N, 2, VALUES + 2, false)) {
        uint32_t equal = 0;
        for (uint32_t bin = 0; bin < gs_run_bins(&f.run); bin++)
            equal += gs_splitters_equal(&f.run.splitters, bin);
        CHECK_EQUAL(equal, VALUES);
        distribute(&f, keys, false);
        CHECK(gs_stages_cpu.sort_bins(&f.run, &f.err) == GS_OK);
        CHECK(memcmp(f.output, wanted, N * sizeof *wanted) == 0);
    }
    close_run(&f);
    free(keys);
    free(wanted);
}

/* Two bins of more keys than the in-cache sort takes are split into pieces that it does take, in
 * order, with all keys. */
static void test_large_bins_are_split(enum sample_kind kind, bool reverse)
{
    gs_key *keys = sample_make(kind, LARGE);
    struct stage_run f;
    if (open_run(&f, keys, LARGE, 2, 2, reverse)) {
        struct gs_pieces pieces = {0};
        uint64_t sum = 0;
        distribute(&f, keys, false);
        gs_total_bins_cpu(&f.run);
        CHECK(gs_split_bins_cpu(&f.run, &pieces, &f.err) == GS_OK);
        CHECK(pieces.largest <= GS_CACHE_SORT_CAPACITY);
        for (uint64_t i = 0; i < pieces.count; i++) {
            const struct gs_piece *piece = &pieces.list[i];
            CHECK(piece->count > 0 && piece->low <= piece->high);
            bool equal = piece->low == piece->high; /* one value may have several pieces */
            CHECK(i == 0 || piece->low > pieces.list[i - 1].high ||
                  (equal && piece->low == pieces.list[i - 1].low));
            CHECK_EQUAL(piece->offset, reverse ? LARGE - sum - piece->count : sum);
            sum += piece->count;
        }
        CHECK_EQUAL(sum, LARGE);
        gs_pieces_free(&pieces);
    }
    close_run(&f);
    free(keys);
}

/* Keys that change after their count: they are sorted as they were read. */
static void test_input_changes(unsigned threads)
{
    gs_key *keys = sample_make(SAMPLE_UNIFORM, N);
    uint64_t count = N;
    gs_key *wanted = sample_sorted(keys, &count, false, false);
    struct stage_run f;
    if (open_run(&f, keys, N, threads, 64, false)) {
        distribute(&f, keys, true);
        enum gs_status st = gs_stages_cpu.sort_bins(&f.run, &f.err);
        CHECK(st == GS_OK);
        CHECK(memcmp(f.output, wanted, N * sizeof *wanted) == 0);
    }
    close_run(&f);
    free(keys);
    free(wanted);
}

int main(void)
{
    static const uint64_t bins[] = {2, 3, 64, GS_BINS_MAX};
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        enum sample_kind keys = (enum sample_kind)kind;
        bool reverse = kind % 2 != 0;
        for (size_t b = 0; b < sizeof bins / sizeof bins[0]; b++)
            test_stage_by_stage(keys, N, 1 + (unsigned)b, bins[b], b % 2 != 0);
        test_stage_by_stage(keys, LARGE, 2, 2, reverse);
        for (uint64_t n = GS_CHUNK_KEYS_MIN - 1; n <= GS_CHUNK_KEYS_MIN + 1; n++) {
            test_stage_by_stage(keys, n, 2, 5, reverse);
            test_stage_by_stage(keys, 3 * n, 2, 5, !reverse);
        }
        test_large_bins_are_split(keys, reverse);
    }
    test_many_equality_bins();
    for (unsigned threads = 1; threads <= 3; threads++)
        test_input_changes(threads);
    return check_failures();
}

/* gpu_engines.c -- the shared-memory engines on the GPU sort like qsort.
 * SPDX-License-Identifier: MIT
 *
 *     gpu_engines [LARGEST [STEP]]
 *
 * Tests each STEPth n up to LARGEST (by default each n up to 4100, and then the capacity and some n
 * just below it) with every number of lists and all three merges, side by side in streams of their
 * own; then whole sorts through the library, which must refuse too many keys. Needs a GPU: without
 * one it says so and exits with 77.
 */
#include "sort/engines/gpu/engine_block.h"
#include "sort/engines/list_engines.h"
#include "sort/sorter/sorter.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <assert.h>

enum { MERGES = GS_LIST_MERGE_HYBRID + 1, LISTS = 9, VARIANTS = MERGES * LISTS, SMALL_MAX = 4100 };

static_assert(1 << (LISTS - 1) == GS_OPTION_LISTS_MAX, "all numbers of lists");

/* One of the ways to sort the same keys. */
struct variant {
    cudaStream_t stream;
    gs_key *d_out;
    struct gs_engine_report *d_report;
};

static struct variant variants[VARIANTS];
static gs_key *d_in;
static gs_key got[GS_ENGINE_CAPACITY + 1];

static void open_variants(uint32_t capacity)
{
    must(cudaMalloc((void **)&d_in, capacity * sizeof *d_in));
    for (int v = 0; v < VARIANTS; v++) {
        must(cudaStreamCreateWithFlags(&variants[v].stream, cudaStreamNonBlocking));
        must(cudaMalloc((void **)&variants[v].d_out, capacity * sizeof(gs_key)));
        must(cudaMalloc((void **)&variants[v].d_report, sizeof(struct gs_engine_report)));
    }
}

static void close_variants(void)
{
    for (int v = 0; v < VARIANTS; v++) {
        must(cudaStreamDestroy(variants[v].stream));
        must(cudaFree(variants[v].d_out));
        must(cudaFree(variants[v].d_report));
    }
    must(cudaFree(d_in));
}

static uint32_t lists_of(int variant)
{
    return 1U << variant % LISTS;
}

static gs_key varying_bits(const gs_key *keys, uint32_t n)
{
    gs_key varying = 0;
    for (uint32_t i = 1; i < n; i++)
        varying |= keys[i] ^ keys[0];
    return varying;
}

/* Fetch and check the result of one variant. */
static void check_variant(int v, enum sample_kind kind, uint32_t n, const gs_key *wanted,
                          gs_key varying)
{
    struct gs_engine_report report;
    must(cudaMemcpy(got, variants[v].d_out, n * sizeof *got, cudaMemcpyDeviceToHost));
    must(cudaMemcpy(&report, variants[v].d_report, sizeof report, cudaMemcpyDeviceToHost));
    bool good = CHECK(memcmp(got, wanted, n * sizeof *got) == 0);
    good = CHECK_EQUAL(report.varying, varying) && good;
    if (!good)
        fprintf(stderr, "  with %" PRIu32 " keys of kind %d, merge %d, %" PRIu32 " lists\n", n,
                (int)kind, v / LISTS, lists_of(v));
}

/* Test all variants on n keys. */
static void check_all(enum sample_kind kind, uint32_t n)
{
    gs_key *keys = sample_make(kind, n);
    uint64_t count = n;
    gs_key *wanted = sample_sorted(keys, &count, false, false);
    gs_key varying = varying_bits(keys, n);
    /* cudaMemcpy may return before the keys have arrived, and the variants' streams do not wait for
     * it. */
    must(cudaMemcpy(d_in, keys, n * sizeof *keys, cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
    for (int v = 0; v < VARIANTS; v++) {
        const struct variant *variant = &variants[v];
        must(cudaMemsetAsync(variant->d_out, 0xa5, n * sizeof *keys, variant->stream));
        enum gs_list_merge merge = (enum gs_list_merge)(v / LISTS);
        must(gs_engine_block_load(merge, lists_of(v), n));
        must(gs_engine_block_sort(merge, lists_of(v), d_in, variant->d_out, n, variant->d_report,
                                  variant->stream));
    }
    must(cudaDeviceSynchronize());
    for (int v = 0; v < VARIANTS; v++)
        check_variant(v, kind, n, wanted, varying);
    free(keys);
    free(wanted);
}

/* A whole sort with its default lists. Returns its status. */
static enum gs_status sort_whole(enum gs_engine engine, uint64_t n)
{
    gs_key *keys = sample_make(SAMPLE_ENDS, n);
    uint64_t count = n;
    gs_key *wanted = sample_sorted(keys, &count, true, true);
    struct gs_span span = {keys, n, "keys"};
    struct gs_sink sink = {.memory = got};
    struct gs_options options = {
        .engine = engine, .device = GS_DEVICE_GPU, .reverse = true, .unique = true, .verify = true};
    struct gs_stats stats = {0};
    struct gs_error err = {.status = GS_OK};
    enum gs_status st = gs_sort(&options, &span, 1, &sink, NULL, &stats, &err);
    if (st == GS_OK) {
        CHECK_EQUAL(stats.keys_out, count);
        CHECK(memcmp(got, wanted, count * sizeof *got) == 0);
        CHECK(stats.device == GS_DEVICE_GPU);
        CHECK(n == 0 || stats.stages[GS_STAGE_MERGE_LISTS].keys == n);
    } else {
        CHECK(strstr(err.text, "samplesort") != NULL);
    }
    free(keys);
    free(wanted);
    return st;
}

/* Sizes up to `largest`, and one more than the capacity. */
static void check_whole(uint32_t capacity, uint32_t largest)
{
    const uint64_t sizes[] = {0, 1, 2, 1000, capacity};
    for (int e = GS_ENGINE_ATOMICMIN; e <= GS_ENGINE_HYBRID; e++) {
        enum gs_engine engine = (enum gs_engine)e;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            if (sizes[s] <= largest)
                CHECK_EQUAL(sort_whole(engine, sizes[s]), GS_OK);
        CHECK_EQUAL(sort_whole(engine, capacity + 1), GS_ERR_INPUT);
    }
}

int main(int argc, char **argv)
{
    uint32_t largest = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : SMALL_MAX;
    uint32_t step = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
    static const uint32_t below[] = {0, 1, 31, 255, 256, 257};
    int bytes = 0;
    require_gpu();
    must(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    uint32_t capacity = GS_LISTS_CAPACITY((unsigned)bytes);
    if (capacity > GS_ENGINE_CAPACITY)
        capacity = GS_ENGINE_CAPACITY;
    open_variants(capacity);
    for (uint32_t n = 1; n <= largest && n <= capacity; n += step)
        check_all((enum sample_kind)(n % SAMPLE_KINDS), n);
    for (size_t b = 0; argc == 1 && b < sizeof below / sizeof *below; b++)
        for (int kind = 0; kind < SAMPLE_KINDS; kind++)
            check_all((enum sample_kind)kind, capacity - below[b]);
    close_variants();
    check_whole(capacity, argc == 1 ? capacity : largest);
    return check_failures();
}

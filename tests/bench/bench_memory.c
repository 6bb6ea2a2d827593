/* bench_memory.c -- how fast keys in memory are sorted: sizes and distributions, medians.
 * SPDX-License-Identifier: MIT
 *
 * usage: [ONLY="DISTRIBUTION..."] [BINS=N] [V=1] bench_memory [THREADS [LOG2_N...]]
 *
 * Prints Mkeys/s for gs_sort on the CPU from one array to another with THREADS threads (default:
 * all). Each figure is the median of 5 runs after one warm-up, on an input drawn anew for it. The
 * output is poisoned before each run, and each result is checked: ascending, and of the input's
 * fingerprint.
 *
 * The last lines show the limits of the machine: memory (a copy of the same arrays by one thread,
 * reading and copying them by all), processors (each thread sorts a few keys again and again in its
 * cache), and the C library's qsort. A sort moves its keys twice, to the scattered copy and from
 * there to the output, so it is at best half as fast as a copy by all threads. "bench_memory 1 28"
 * and "bench_memory 16 28" compare 16 threads with one, and the limits for both: two threads of one
 * core are not two cores.
 */
#include "common/clock.h"
#include "common/memory/memory.h"
#include "data/dist.h"
#include "sort/bin/cache_sort.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/order.h"
#include "sort/sorter/sorter.h"
#include "sort/types/types.h"
#include "tests/bench/median.h"
#include "tests/bench/picked.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS        5
#define CACHED_LOG2 14

static int compare_keys(const void *left, const void *right)
{
    gs_key a = *(const gs_key *)left;
    gs_key b = *(const gs_key *)right;
    return (a > b) - (a < b);
}

/* Exit with a message if a result is wrong. */
static void check_result(const struct gs_options *options, const gs_key *in, const gs_key *out,
                         uint64_t n, const char *what)
{
    if (gs_first_disorder(options, out, n, NULL) == n &&
        gs_fingerprint(in, n) == gs_fingerprint(out, n))
        return;
    fprintf(stderr, "bench_memory: %s, %" PRIu64 " keys: wrong result\n", what, n);
    exit(1);
}

/* Sort once; returns nanoseconds. */
static uint64_t sort_once(const struct gs_options *options, const gs_key *in, gs_key *out,
                          uint64_t n, struct gs_stats *stats)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_span span = {.keys = in, .count = n, .name = "memory"};
    struct gs_sink sink = {.memory = out};
    *stats = (struct gs_stats){0};
    uint64_t start = gs_now_ns();
    if (gs_sort(options, &span, 1, &sink, NULL, stats, &err) != GS_OK) {
        fprintf(stderr, "bench_memory: %s\n", err.text);
        exit(1);
    }
    return gs_now_ns() - start;
}

/* Median speed of one distribution, in Mkeys/s; with V set, prints the stages of the last run. */
static double measure(const struct gs_options *options, const struct gs_dist *dist, gs_key *in,
                      gs_key *out, uint64_t n)
{
    uint64_t times[RUNS] = {0};
    struct gs_stats stats;
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++)
        in[i] = dist->draw(n, n, i);
    for (int run = -1; run < RUNS; run++) {
        memset(out, 0xa5, n * sizeof *out);
        uint64_t ns = sort_once(options, in, out, n, &stats);
        if (run >= 0)
            times[run] = ns;
        check_result(options, in, out, n, dist->name);
    }
    if (getenv("V") != NULL) {
        for (int s = 0; s < GS_STAGES; s++)
            if (stats.stages[s].device != GS_DEVICE_AUTO)
                fprintf(stderr, "    %-14s %8.3f ms\n", gs_stage_name((enum gs_stage)s),
                        (double)stats.stages[s].ns / 1e6);
        fprintf(stderr, "    bins %" PRIu64 " largest %" PRIu64 " equality %" PRIu64 "\n",
                stats.bins, stats.largest_bin, stats.equality_bins);
    }
    return (double)n * 1e3 / median(times, RUNS);
}

/* Mkeys/s of a copy, where each thread copies its part of the keys. */
static double measure_copy(const gs_key *in, gs_key *out, uint64_t n, unsigned threads)
{
    uint64_t times[RUNS] = {0};
    for (int run = 0; run < RUNS; run++) {
        uint64_t start = gs_now_ns();
#pragma omp parallel for num_threads(threads)
        for (unsigned part = 0; part < threads; part++)
            memcpy(out + n / threads * part, in + n / threads * part, n / threads * sizeof *in);
        times[run] = gs_now_ns() - start;
    }
    return (double)n * 1e3 / median(times, RUNS);
}

/* The same of reading. */
static double measure_read(const gs_key *in, uint64_t n, unsigned threads)
{
    static volatile gs_key found; /* keeps the compiler from dropping the loop */
    uint64_t times[RUNS] = {0};
    for (int run = 0; run < RUNS; run++) {
        gs_key all = 0;
        uint64_t start = gs_now_ns();
#pragma omp parallel for num_threads(threads) reduction(^ : all)
        for (unsigned part = 0; part < threads; part++) {
            const gs_key *keys = in + n / threads * part;
            gs_key sum = 0;
            for (uint64_t i = 0; i < n / threads; i++)
                sum ^= keys[i];
            all ^= sum;
        }
        found = all;
        times[run] = gs_now_ns() - start;
    }
    (void)found;
    return (double)n * 1e3 / median(times, RUNS);
}

/* Mkeys/s of all threads together, where each sorts the same keys, again and again in its cache. */
static double measure_cached(const gs_key *in, uint64_t n, unsigned threads)
{
    enum { TIMES = 1000 };
    uint64_t times[RUNS] = {0};
    n = n < 1 << CACHED_LOG2 ? n : 1 << CACHED_LOG2;
    const uint64_t bytes = (n + gs_cache_sort_scratch(n)) * sizeof *in;
#pragma omp parallel num_threads(threads)
    {
        gs_key *keys = gs_pages_alloc(bytes);
        if (keys == NULL)
            abort();
        for (int run = -1; run < RUNS; run++) { /* a warm-up first, to touch the memory */
#pragma omp barrier
            uint64_t start = gs_now_ns();
            for (int i = 0; i < TIMES; i++) {
                memcpy(keys, in, n * sizeof *in);
                gs_cache_sort(keys, keys + n, n, 0, GS_KEY_MAX);
            }
#pragma omp barrier
#pragma omp single nowait
            if (run >= 0)
                times[run] = gs_now_ns() - start;
        }
        gs_pages_free(keys, bytes);
    }
    return (double)n * TIMES * threads * 1e3 / median(times, RUNS);
}

/* Mkeys/s of qsort, for at most 2^20 keys: its speed hardly depends on n. */
static double measure_qsort(const gs_key *in, gs_key *out, uint64_t n)
{
    n = n < 1 << 20 ? n : 1 << 20;
    memcpy(out, in, n * sizeof *in);
    uint64_t start = gs_now_ns();
    qsort(out, n, sizeof *out, compare_keys);
    return (double)n * 1e3 / (double)(gs_now_ns() - start);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {10, 16, 20, 24, 26};
    struct gs_options options = {.device = GS_DEVICE_CPU,
                                 .threads = argc > 1 ? (unsigned)atoi(argv[1]) : 0};
    const char *bins = getenv("BINS");
    if (bins != NULL)
        options.bins = (uint64_t)atoi(bins);
    const char *only = getenv("ONLY"); /* names of distributions */
    int count = argc > 2 ? argc - 2 : (int)(sizeof sizes / sizeof *sizes);
    printf("| n | distribution | Mkeys/s |\n|---|---|---|\n");
    for (int i = 0; i < count; i++) {
        int log2_n = argc > 2 ? atoi(argv[2 + i]) : sizes[i];
        uint64_t n = (uint64_t)1 << log2_n;
        gs_key *in = gs_pages_alloc(n * sizeof *in);
        gs_key *out = gs_pages_alloc(n * sizeof *out);
        if (in == NULL || out == NULL) {
            fprintf(stderr, "bench_memory: not enough memory for 2^%d keys\n", log2_n);
            return 2;
        }
        for (const struct gs_dist *dist = gs_dists; dist->name != NULL; dist++)
            if (is_picked(only, dist->name))
                printf("| 2^%d | %s | %.0f |\n", log2_n, dist->name,
                       measure(&options, dist, in, out, n));
        int cached = log2_n < CACHED_LOG2 ? log2_n : CACHED_LOG2;
        unsigned threads = options.threads > 0 ? options.threads : (unsigned)omp_get_max_threads();
        printf("| 2^%d | (memcpy, one thread) | %.0f |\n", log2_n, measure_copy(in, out, n, 1));
        printf("| 2^%d | (memcpy, %u threads) | %.0f |\n", log2_n, threads,
               measure_copy(in, out, n, threads));
        printf("| 2^%d | (read, %u threads) | %.0f |\n", log2_n, threads,
               measure_read(in, n, threads));
        printf("| 2^%d | (2^%d keys in cache, one thread) | %.0f |\n", log2_n, cached,
               measure_cached(in, n, 1));
        printf("| 2^%d | (2^%d keys in cache, %u threads) | %.0f |\n", log2_n, cached, threads,
               measure_cached(in, n, threads));
        printf("| 2^%d | (qsort, one thread, up to 2^20 keys) | %.0f |\n", log2_n,
               measure_qsort(in, out, n));
        gs_pages_free(in, n * sizeof *in);
        gs_pages_free(out, n * sizeof *out);
    }
    return 0;
}

/* bench_call.c -- the library's call beside the sort that it leads to, and beside qsort.
 * SPDX-License-Identifier: MIT
 *
 * usage: bench_call [THREADS [LOG2_N [RUNS]]]
 *
 * Prints, for random keys of 32 bits from one array to another, 2^LOG2_N (26) of them, medians of
 * RUNS (9) by turns in milliseconds, wall time and processor time: gs_sort, as in bench_memory, and
 * gsort_sort. For 1,000 keys, medians of wall time in microseconds, of qsort in place, too.
 */
#include "sort/gsort.h"
#include "sort/sorter/sorter.h"

#include "common/clock.h"
#include "common/memory/memory.h"
#include "common/random.h"
#include "tests/bench/median.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { INNER, CALL, QSORT, SORTS, FEW = 1000, FEW_RUNS = 2001, RUNS_MAX = FEW_RUNS };
static const char *const names[SORTS] = {"gs_sort", "gsort_sort", "qsort"};

static struct gsort_options given = GSORT_OPTIONS_INIT;
static struct gsort_format *format;

static int compare(const void *left, const void *right)
{
    const gs_key a = *(const gs_key *)left, b = *(const gs_key *)right;
    return (a > b) - (a < b);
}

/* Sort `in` into `out`; false: it failed. */
static bool sort_by(int which, const gs_key *in, gs_key *out, uint64_t n)
{
    struct gs_options options = {
        .key_bytes = sizeof(gs_key), .threads = given.threads, .device = GS_DEVICE_CPU};
    const struct gs_span span = {.keys = in, .count = n, .name = "memory"};
    struct gs_sink sink = {.memory = out};
    struct gs_stats stats = {0};
    struct gs_error err = {.status = GS_OK};
    if (which == INNER)
        return gs_sort(&options, &span, 1, &sink, NULL, &stats, &err) == GS_OK;
    if (which == CALL)
        return gsort_sort(format, in, out, n, &given, NULL, NULL) == GSORT_OK;
    qsort(out, n, sizeof *out, compare);
    return true;
}

static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Print medians in units of so many nanoseconds. False: no memory, or a wrong result. */
static bool measure(uint64_t n, size_t runs, int sorts, double unit, const char *unit_name)
{
    static uint64_t wall[SORTS][RUNS_MAX], processor[SORTS][RUNS_MAX];
    gs_key *in = gs_pages_alloc(n * sizeof *in), *out = gs_pages_alloc(n * sizeof *out);
    gs_key *first = gs_pages_alloc(n * sizeof *first);
    bool good = in != NULL && out != NULL && first != NULL;
    for (uint64_t i = 0; good && i < n; i++)
        in[i] = (gs_key)gs_random(1, i);
    for (size_t run = 0; good && run <= runs; run++)
        for (int turn = 0; good && turn < sorts; turn++) {
            const int which = run % 2 == 0 ? turn : sorts - 1 - turn;
            memcpy(out, in, n * sizeof *in);
            const uint64_t start = gs_now_ns(), used = processor_ns();
            good = sort_by(which, in, out, n);
            processor[which][run % runs] = processor_ns() - used; /* of the last one, that of the */
            wall[which][run % runs] = gs_now_ns() - start;        /* first, a warm-up, is lost */
            if (run == 0 && turn == 0)
                memcpy(first, out, n * sizeof *out);
            good = good && memcmp(first, out, n * sizeof *out) == 0;
        }
    for (int i = 0; good && i < sorts; i++)
        printf("%" PRIu64 " keys: %-10s %9.3f %s, processors %9.3f\n", n, names[i],
               median(wall[i], runs) / unit, unit_name, median(processor[i], runs) / unit);
    gs_pages_free(in, n * sizeof *in);
    gs_pages_free(out, n * sizeof *out);
    gs_pages_free(first, n * sizeof *first);
    return good;
}

int main(int argc, char **argv)
{
    const int log2_n = argc > 2 ? atoi(argv[2]) : 26;
    const size_t runs = argc > 3 ? strtoul(argv[3], NULL, 10) : 9;
    given.threads = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    format = gsort_format_parse("u32", NULL);
    const bool good = format != NULL && runs > 0 && runs <= RUNS_MAX &&
                      measure(UINT64_C(1) << log2_n, runs, QSORT, 1e6, "ms") &&
                      measure(FEW, FEW_RUNS, SORTS, 1e3, "us");
    gsort_format_free(format);
    if (!good)
        fprintf(stderr, "bench_call: not enough memory, or a wrong result\n");
    return good ? 0 : 1;
}

/* bench_cache_sort.c -- speed of each method of the in-cache sort, as a Markdown table.
 * SPDX-License-Identifier: MIT
 *
 *   build/bench_cache_sort [LOG2_FIRST LOG2_LAST]     (default 6 18)
 *
 * One thread. Figures are Mkeys/s, the median over ROUNDS rounds; a round sorts enough fresh copies
 * of the bin, each from its own place, to take BATCH_KEYS keys; copying is off the clock. Every
 * result is compared with qsort's. A method is left out where it refuses the input (columns on keys
 * that are not spread evenly) or does not take it (more keys than the capacity).
 */
#include "sort/cache_sort.h"
#include "sort/cache_sort_impl.h"
#include "common/clock.h"
#include "common/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, BATCH_KEYS = 1 << 19, LOG2_MAX = 24 };

enum distribution { UNIFORM, BITS20, ZIPF, FEW, SORTED, NEARLY, REVERSED, EQUAL, DISTRIBUTIONS };

static const char *const names[DISTRIBUTIONS] = {"32 bits", "20 bits", "zipf",     "16 values",
                                                 "sorted",  "nearly",  "reversed", "equal"};

/* Key i of count; bounds as splitters would give them. */
static gs_key draw_key(enum distribution distribution, size_t i, size_t count)
{
    const gs_key random = (gs_key)gs_random(distribution, i), base = 0x12345678;
    const gs_key ramp = (gs_key)(((uint64_t)i << 20) / count);

    switch (distribution) {
    case UNIFORM:
        return random;
    case BITS20:
        return base + (random >> 12);
    case ZIPF:
        return (gs_key)exp((double)random / 4294967296.0 * log(1e6));
    case FEW:
        return (random & 15) * 0x11111111;
    case SORTED:
        return base + ramp;
    case NEARLY:
        return base + (i % 64 == 63 ? random >> 12 : ramp);
    case REVERSED:
        return base + (1 << 20) - ramp;
    case EQUAL:
    case DISTRIBUTIONS:
        break;
    }
    return base;
}

static int compare_keys(const void *a, const void *b)
{
    const gs_key x = *(const gs_key *)a, y = *(const gs_key *)b;
    return (x > y) - (x < y);
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns where the sorted keys are, NULL if the method refuses. */
typedef const gs_key *sort_function(gs_key *keys, gs_key *scratch, size_t count, gs_key low,
                                    gs_key high);

static const gs_key *sort_chosen(gs_key *keys, gs_key *scratch, size_t count, gs_key low,
                                 gs_key high)
{
    return gs_cache_sort(keys, scratch, count, low, high);
}

static const gs_key *sort_radix(gs_key *keys, gs_key *scratch, size_t count, gs_key low,
                                gs_key high)
{
    if (count > GS_CACHE_SORT_CAPACITY)
        return NULL;
    return gs_cache_sort_radix(keys, scratch, count, low, high);
}

#if GS_CACHE_SORT_HAS_COLUMNS
static const gs_key *sort_columns(gs_key *keys, gs_key *scratch, size_t count, gs_key low,
                                  gs_key high)
{
    if (!gs_cache_sort_columns_usable() || count > GS_CACHE_SORT_CAPACITY)
        return NULL;
    return gs_cache_sort_columns(keys, scratch, count, low, high) ? keys : NULL;
}
#endif

#if GS_HIGHWAY
static const gs_key *sort_highway(gs_key *keys, gs_key *scratch, size_t count, gs_key low,
                                  gs_key high)
{
    (void)scratch, (void)low, (void)high;
    gs_cache_sort_highway(keys, count);
    return keys;
}
#endif

static const struct method {
    const char *name;
    sort_function *sort;
} methods[] = {
    {"gs_cache_sort", sort_chosen},
#if GS_CACHE_SORT_HAS_COLUMNS
    {"columns", sort_columns},
#endif
    {"radix", sort_radix},
#if GS_HIGHWAY
    {"vqsort", sort_highway},
#endif
};

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (memory == NULL) {
        fprintf(stderr, "bench_cache_sort: no memory\n");
        exit(2);
    }
    memset(memory, 0, bytes);
    return memory;
}

int main(int argc, char **argv)
{
    const int log2_first = argc > 1 ? atoi(argv[1]) : 6, log2_last = argc > 2 ? atoi(argv[2]) : 18;
    if (log2_first < 1 || log2_last > LOG2_MAX || log2_first > log2_last) {
        fprintf(stderr, "bench_cache_sort: sizes from 2^1 to 2^%d\n", LOG2_MAX);
        return 2;
    }
    const size_t batch = (size_t)1 << log2_last > BATCH_KEYS ? (size_t)1 << log2_last : BATCH_KEYS;
    gs_key *source = allocate(sizeof(gs_key) << log2_last);
    gs_key *expected = allocate(sizeof(gs_key) << log2_last);
    gs_key *keys = allocate(sizeof(gs_key) * batch);
    gs_key *scratch = allocate(sizeof(gs_key) * GS_CACHE_SORT_SCRATCH);

    printf("gs_cache_sort here: %s", gs_cache_sort_name());
#if GS_HIGHWAY
    printf("; vqsort: %s", gs_cache_sort_highway_target());
#endif
    printf(". Mkeys/s, one thread.\n\n| keys | method |");
    for (int d = 0; d < DISTRIBUTIONS; d++)
        printf(" %s |", names[d]);
    printf("\n|---|---|");
    for (int d = 0; d < DISTRIBUTIONS; d++)
        printf("---|");
    printf("\n");

    for (int log2_count = log2_first; log2_count <= log2_last; log2_count++) {
        const size_t count = (size_t)1 << log2_count;
        for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
            printf("| 2^%d | %s |", log2_count, methods[m].name);
            for (enum distribution d = 0; d < DISTRIBUTIONS; d++) {
                double rates[ROUNDS];
                bool refused = false;

                for (size_t i = 0; i < count; i++)
                    expected[i] = source[i] = draw_key(d, i, count);
                qsort(expected, count, sizeof *expected, compare_keys);
                for (int round = 0; round < ROUNDS && !refused; round++) {
                    uint64_t ns = 0;
                    for (size_t begin = 0; begin + count <= batch; begin += count)
                        memcpy(keys + begin, source, count * sizeof *keys);
                    for (size_t begin = 0; begin + count <= batch && !refused; begin += count) {
                        const uint64_t start = gs_now_ns();
                        const gs_key *sorted = methods[m].sort(keys + begin, scratch, count,
                                                               expected[0], expected[count - 1]);
                        ns += gs_now_ns() - start;
                        refused = sorted == NULL;
                        if (!refused && memcmp(sorted, expected, count * sizeof *keys) != 0) {
                            fprintf(stderr, "bench_cache_sort: %s, %s, 2^%d: wrong\n",
                                    methods[m].name, names[d], log2_count);
                            return 1;
                        }
                    }
                    rates[round] = (double)(batch / count * count) * 1e3 / (double)ns;
                }
                if (refused) {
                    printf(" - |");
                } else {
                    qsort(rates, ROUNDS, sizeof rates[0], compare_times);
                    printf(" %.0f |", rates[ROUNDS / 2]);
                }
                fflush(stdout);
            }
            printf("\n");
        }
    }
    free(source);
    free(expected);
    free(keys);
    free(scratch);
    return 0;
}

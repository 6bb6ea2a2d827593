/* bench_cache_sort.c -- speed of each method of the in-cache sort, as a Markdown table.
 * SPDX-License-Identifier: MIT
 *
 *   build/cuda0-highway1/bench_cache_sort [LOG2_FIRST LOG2_LAST]     (default 6 18)
 *
 * and bench_cache_sort_64 and _128 for keys of 8 and 16 bytes.
 *
 * One thread. Figures are Mkeys/s, the median of all timings. A round fills BATCH_KEYS keys with
 * copies of the bin, off the clock; a timing sorts GROUP_KEYS of them, or one bin if that is
 * larger. The last result of each group is compared with qsort's. "-": the method refuses the input
 * (columns on keys that are not spread evenly) or cannot take it (more keys than the capacity).
 */
#include "sort/bin/cache_sort.h"
#include "sort/bin/portable.h"
#include "sort/bin/u32/vector_sorts.h"
#include "sort/bin/vqsort.h"
#include "sort/keys/vectors.h"
#include "common/clock.h"
#include "common/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, BATCH_KEYS = 1 << 19, GROUP_KEYS = 1 << 13, LOG2_MAX = 24 };
static double rates[ROUNDS * ((1 << LOG2_MAX) / GROUP_KEYS)];

enum distribution {
    UNIFORM,
    BIN, /* uniform in one of 4096 bins */
    ZIPF,
    FEW,
    SORTED,
    NEARLY,
    REVERSED,
    EQUAL,
    CROWDS, /* 100 values, but for 8 bits below */
    NESTED, /* half of the keys in one 256th of the range, a quarter in one 256th of that, ... */
    DISTRIBUTIONS
};

static const char *const names[DISTRIBUTIONS] = {"uniform", "one bin", "zipf",     "16 values",
                                                 "sorted",  "nearly",  "reversed", "equal",
                                                 "crowds",  "nested"};

/* Bounds as splitters would give them: inclusive, and close to the least and largest key. */
#define WIDTH ((gs_key)1 << (GS_KEY_BITS - 12))
#define BASE  (0x123 * WIDTH)
static const gs_key bounds[DISTRIBUTIONS][2] = {
    [UNIFORM] = {0, GS_KEY_MAX},
    [BIN] = {BASE, BASE + WIDTH},
    [ZIPF] = {0, 1000000},
    [FEW] = {0, GS_KEY_MAX},
    [SORTED] = {BASE, BASE + WIDTH},
    [NEARLY] = {BASE, BASE + WIDTH},
    [REVERSED] = {BASE, BASE + WIDTH},
    [EQUAL] = {BASE, BASE + WIDTH},
    [CROWDS] = {0, GS_KEY_MAX},
    [NESTED] = {0, GS_KEY_MAX},
};

/* A key of random bits. */
static gs_key draw_bits(uint64_t stream, size_t i)
{
    gs_key key = 0;
    for (unsigned word = 0; word < GS_KEY_BITS / 32; word++)
        key = key << 16 << 16 | (gs_key)(gs_random(stream + 100 * word, i) >> 32);
    return key;
}

/* Key i of `count` keys. */
static gs_key draw_key(enum distribution distribution, size_t i, size_t count)
{
    const uint64_t random = gs_random(distribution, i);
    const gs_key key = draw_bits(distribution, i);
    const gs_key ramp = WIDTH / (gs_key)count * (gs_key)i;

    switch (distribution) {
    case UNIFORM:
        return key;
    case BIN:
        return BASE + (key >> 12);
    case ZIPF:
        return (gs_key)exp((double)(random >> 32) / 4294967296.0 * log(1e6));
    case FEW:
        return (gs_key)(random & 15) * (GS_KEY_MAX / 15);
    case SORTED:
        return BASE + ramp;
    case NEARLY:
        return BASE + (i % 64 == 63 ? key >> 12 : ramp);
    case REVERSED:
        return BASE + WIDTH - ramp;
    case CROWDS:
        return (draw_bits(99, random % 100) & ~(gs_key)255) | (gs_key)(random >> 56);
    case NESTED:
        return key >> 8 * (unsigned)__builtin_ctzll(random | (uint64_t)1 << (GS_KEY_BITS / 8 - 1));
    case EQUAL:
    case DISTRIBUTIONS:
        break;
    }
    return BASE;
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

/* Returns where the sorted keys are, or NULL if the method refuses. */
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
    (void)low, (void)high;
    if (count > GS_CACHE_SORT_CAPACITY)
        return NULL;
    return gs_radix_sort(keys, scratch, count);
}

#if GS_HAS_AVX2 && GS_KEY_BITS == 32
static const gs_key *sort_columns(gs_key *keys, gs_key *scratch, size_t count, gs_key low,
                                  gs_key high)
{
    if (!gs_columns_usable() || count > GS_CACHE_SORT_CAPACITY)
        return NULL;
    return gs_columns_sort(keys, scratch, count, low, high) ? keys : NULL;
}
#endif

static const gs_key *sort_vqsort(gs_key *keys, gs_key *scratch, size_t count, gs_key low,
                                 gs_key high)
{
    (void)scratch, (void)low, (void)high;
    gs_vqsort(keys, count);
    return keys;
}

static const struct method {
    const char *name;
    sort_function *sort;
} methods[] = {
    {"gs_cache_sort", sort_chosen},
#if GS_HAS_AVX2 && GS_KEY_BITS == 32
    {"columns", sort_columns},
#endif
    {"radix", sort_radix},
    {"vqsort", sort_vqsort},
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
    printf("; vqsort: %s", gs_vqsort_target());
    printf(". Mkeys/s, one thread.\n\n| keys | method |");
    for (int d = 0; d < DISTRIBUTIONS; d++)
        printf(" %s |", names[d]);
    printf("\n|---|---|");
    for (int d = 0; d < DISTRIBUTIONS; d++)
        printf("---|");
    printf("\n");

    for (int log2_count = log2_first; log2_count <= log2_last; log2_count++) {
        const size_t count = (size_t)1 << log2_count;
        const size_t group_keys = count > GROUP_KEYS ? count : GROUP_KEYS;
        for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
            printf("| 2^%d | %s |", log2_count, methods[m].name);
            for (enum distribution d = 0; d < DISTRIBUTIONS; d++) {
                const gs_key low = bounds[d][0], high = bounds[d][1];
                bool refused = false;

                for (size_t i = 0; i < count; i++)
                    expected[i] = source[i] = draw_key(d, i, count);
                qsort(expected, count, sizeof *expected, compare_keys);
                size_t timings = 0;
                for (int round = 0; round < ROUNDS && !refused; round++) {
                    for (size_t begin = 0; begin + count <= batch; begin += count)
                        memcpy(keys + begin, source, count * sizeof *keys);
                    for (size_t group = 0; group < batch && !refused; group += group_keys) {
                        const gs_key *sorted = NULL;
                        const uint64_t start = gs_now_ns();
                        for (size_t i = group; i < group + group_keys && !refused; i += count) {
                            sorted = methods[m].sort(keys + i, scratch, count, low, high);
                            refused = sorted == NULL;
                        }
                        rates[timings++] = (double)group_keys * 1e3 / (double)(gs_now_ns() - start);
                        if (!refused && memcmp(sorted, expected, count * sizeof *keys) != 0) {
                            fprintf(stderr, "bench_cache_sort: %s, %s, 2^%d: wrong\n",
                                    methods[m].name, names[d], log2_count);
                            return 1;
                        }
                    }
                }
                if (refused) {
                    printf(" - |");
                } else {
                    qsort(rates, timings, sizeof rates[0], compare_times);
                    printf(" %.0f |", rates[timings / 2]);
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

/* gpu_narrow.c -- bins of 16-bit keys (low halves) with every kind of content.
 * SPDX-License-Identifier: MIT
 *
 *     gpu_narrow [KEYS]   whole sorts of KEYS keys, by default 1,800,000; none if up to 2^20
 *
 * Jobs of every kind of content and size, for blocks of both sizes, are sorted like qsort does.
 * Then whole sorts of keys dense enough for such jobs: uniform keys, some bins of few values, some
 * bins that overflow their rooms, and low bits that do not vary. Needs a GPU: without one it says
 * so and exits with 77.
 */
#include "common/random.h"
#include "sort/device/device_sort.h"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/pages/page_launchers.h"
#include "tests/gpu/add_room.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

enum {
    VALUES = 65536, /* most values of a bin */
    DENSITY = 16,   /* values per key in a whole sort */
    LISTED = 255    /* third and later copies that a bin sorted by bit maps may have */
};

/* What a bin holds: keys all over its range; few values; one value; only the least and the largest;
 * each value three times; as many third and later copies as can be listed; one more than that;
 * values of one word of the bit map. */
enum content { SPREAD, FEW, ONE, ENDS, THRICE, LISTED_ALL, LISTED_TOO_MANY, ONE_WORD, CONTENTS };

static const uint32_t sizes[] = {1,   2,    3,    7,    8,    9,    31,   33,   255,
                                 257, 1000, 2047, 2049, 3700, 4095, 4096, 7400, 8192};
static const uint32_t widths[] = {33, 1000, 29600, 32768, 59200, VALUES};
static const gs_key firsts[] = {0, 32, 0x12345660, 0x7fff8000, 0xffff0000};

static int compare_keys(const void *a, const void *b)
{
    const gs_key x = *(const gs_key *)a;
    const gs_key y = *(const gs_key *)b;
    return (x > y) - (x < y);
}

/* Key i of `size` keys, less the bin's first value. */
static uint32_t make_value(enum content content, uint32_t i, uint32_t size, uint32_t width,
                           uint64_t seed)
{
    const uint32_t r = (uint32_t)gs_random(seed, i);
    const uint32_t thirds = content == LISTED_ALL ? LISTED : LISTED + 1;
    switch (content) {
    case FEW:
        return r % 50 * (width / 50) % width;
    case ONE:
        return width - 1;
    case ENDS:
        return i % 3 == 0 ? width - 1 : 0;
    case THRICE:
        return i / 3 * 7 % width;
    case LISTED_ALL:
    case LISTED_TOO_MANY: /* two of each value, and of one value `thirds` more */
        return size >= thirds + 2 && i < thirds + 2 ? width / 2 : i / 2 * 5 % (width / 2);
    case ONE_WORD:
        return width - 1 - r % 32;
    default:
        return r % width;
    }
}

/* Sort jobs of all kinds at once, with blocks for small_keys keys. */
static void check_jobs(uint32_t small_keys)
{
    const size_t size_count = sizeof sizes / sizeof *sizes;
    const size_t width_count = sizeof widths / sizeof *widths;
    const size_t count = size_count * width_count * CONTENTS;
    struct gs_gpu_narrow_job *jobs = calloc(count, sizeof *jobs);
    uint16_t *b = calloc(count, small_keys * sizeof *b);
    gs_key *wanted = calloc(count, small_keys * sizeof *wanted);
    uint64_t n = 1; /* so that the first job does not begin a cache line */
    uint32_t used = 0;
    if (jobs == NULL || b == NULL || wanted == NULL)
        abort();
    for (size_t j = 0; j < count; j++) {
        const uint32_t size = sizes[j % size_count];
        const uint32_t width = widths[j / size_count % width_count];
        const enum content content = (enum content)(j / size_count / width_count);
        const gs_key first = firsts[j % (sizeof firsts / sizeof *firsts)];
        if (size > small_keys)
            continue;
        jobs[used] =
            (struct gs_gpu_narrow_job){n, (int64_t)used * small_keys / 2, size, first, width};
        for (uint32_t i = 0; i < size; i++) {
            wanted[n + i] = first + make_value(content, i, size, width, j);
            b[(size_t)used * small_keys + i] = (uint16_t)wanted[n + i];
        }
        qsort(wanted + n, size, sizeof *wanted, compare_keys);
        n += size;
        used++;
    }
    struct gs_gpu_work work = {.small_keys = small_keys};
    uint16_t *d_b;
    gs_key *d_a;
    must(cudaMalloc((void **)&work.narrow_jobs, used * sizeof *jobs));
    must(cudaMalloc((void **)&d_b, (size_t)used * small_keys * sizeof *b));
    must(cudaMalloc((void **)&d_a, (n + 1) * sizeof *d_a));
    must(cudaMemcpy(work.narrow_jobs, jobs, used * sizeof *jobs, cudaMemcpyHostToDevice));
    must(cudaMemcpy(d_b, b, (size_t)used * small_keys * sizeof *b, cudaMemcpyHostToDevice));
    must(cudaMemset(d_a, 0, (n + 1) * sizeof *d_a));
    must(gs_sort_narrow_gpu(&work, d_a, (const uint32_t *)d_b, used, NULL));
    gs_key *sorted = get(d_a, (n + 1) * sizeof *sorted);
    CHECK_EQUAL(sorted[0], 0); /* belongs to no job */
    CHECK_EQUAL(sorted[n], 0);
    for (uint32_t j = 0; j < used; j++)
        if (!CHECK(memcmp(sorted + jobs[j].start, wanted + jobs[j].start,
                          jobs[j].size * sizeof *sorted) == 0))
            fprintf(stderr, "  job %u of %u: %u keys from %u on, %u values\n", j, used,
                    jobs[j].size, jobs[j].first, jobs[j].values);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(work.narrow_jobs);
    free(sorted);
    free(wanted);
    free(b);
    free(jobs);
}

/* Uniform keys; with few values in some ranges; with more keys in some ranges than around them, but
 * too few more for a sample to tell; with the same low bits everywhere. */
enum input { UNIFORM, FEW_VALUES, CROWDED, LOW_ZERO };

static gs_key make_key(enum input input, uint64_t i, uint64_t n)
{
    const uint32_t place = 1U << 22;
    const uint32_t digit = GS_GPU_SUB_BIN_KEYS * DENSITY;
    const gs_key key = (gs_key)(0x40000000U + gs_random(7, i) % (DENSITY * n));
    if (input == FEW_VALUES && key % place < place / 4)
        return key / 256 * 256;
    if (input == CROWDED && key % place >= place / 2 + digit &&
        key % place < place / 2 + digit + digit / 3)
        return key - digit;
    return input == LOW_ZERO ? key / 8 * 8 : key;
}

/* Returns how many narrow jobs there were. */
static uint32_t check_sort(enum input input, uint64_t n)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_device_stats stats;
    struct gs_device_sorter sorter;
    gs_key *keys = malloc(n * sizeof *keys);
    gs_key *d_keys, *d_other;
    if (keys == NULL)
        abort();
    for (uint64_t i = 0; i < n; i++)
        keys[i] = make_key(input, i, n);
    must(cudaMalloc((void **)&d_keys, n * sizeof *d_keys));
    must(cudaMalloc((void **)&d_other, n * sizeof *d_other));
    must(cudaMemcpy(d_keys, keys, n * sizeof *keys, cudaMemcpyHostToDevice));
    CHECK_EQUAL(gs_device_sorter_open(&sorter, n, &err), GS_OK);
    void *room = add_room(&sorter, n, 0);
    CHECK_EQUAL(gs_device_sort(&sorter, d_keys, d_other, n, &stats, &err), GS_OK);
    must(cudaDeviceSynchronize());
    gs_key *sorted = get(stats.in_other ? d_other : d_keys, n * sizeof *sorted);
    qsort(keys, n, sizeof *keys, compare_keys);
    CHECK(memcmp(sorted, keys, n * sizeof *keys) == 0);
    gs_device_sorter_close(&sorter);
    cudaFree(room);
    cudaFree(d_keys);
    cudaFree(d_other);
    free(sorted);
    free(keys);
    return stats.narrow_jobs;
}

int main(int argc, char **argv)
{
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1800000;
    require_gpu();
    check_jobs(GS_GPU_SMALL_KEYS);
    check_jobs(2 * GS_GPU_SMALL_KEYS);
    if (n > GS_GPU_ONE_LEVEL_KEYS) {
        const uint32_t jobs = check_sort(UNIFORM, n);
        CHECK(jobs > 0);
        CHECK(check_sort(FEW_VALUES, n) > 0);
        const uint32_t fewer = check_sort(CROWDED, n); /* some slots' rooms overflow */
        CHECK(fewer > 0 && fewer < jobs);
        CHECK_EQUAL(check_sort(LOW_ZERO, n), 0);
    }
    return check_failures();
}

/* gpu_close.c -- bins of more keys than fit a block are sorted by one if their values lie close.
 * SPDX-License-Identifier: MIT
 *
 *     gpu_close [SIZES]   of three sizes the first ones, all unless said
 *
 * First such bins alone, of any values from one to as many as there may be, at both ends of all
 * keys too, read from either buffer. Then a whole sort, of keys with clusters that would each need
 * a level more. Needs a GPU with room for medium jobs: without one it says so and exits with 77.
 */
#include "common/random.h"
#include "sort/device_sort.h"
#include "sort/gpu_launchers.h"
#include "tests/gpu_test.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

enum { BORDER = 0x5a5a5a5a, SHIFT = 12345, LOWS = 4 };

/* Of the whole sort: clusters, the keys and the values of each, and all values. */
enum { CLUSTERS = 20, CLUSTER_KEYS = 40000, CLUSTER_VALUES = 700, RANGE = 1 << 24 };

static const uint32_t sizes[] = {GS_GPU_MEDIUM_KEYS + 1, 3 * GS_GPU_MEDIUM_KEYS - 1,
                                 GS_GPU_CLOSE_KEYS};
static const uint32_t values[] = {1, 2, 100, 5000, GS_GPU_CLOSE_VALUES - 1, GS_GPU_CLOSE_VALUES};

enum { SIZES = sizeof sizes / sizeof *sizes, VALUES = sizeof values / sizeof *values };

struct test {
    struct gs_device_sorter sorter;
    uint32_t sizes; /* of the first ones */
    uint64_t n;
    gs_key *from, *wanted, *sorted;
    gs_key *d_a, *d_b;
};

static int compare_keys(const void *left, const void *right)
{
    gs_key a = *(const gs_key *)left;
    gs_key b = *(const gs_key *)right;
    return (a > b) - (a < b);
}

/* Some of so many values from `low` on; the first and the last, and one is frequent. */
static void make_bin(gs_key *keys, uint32_t size, gs_key low, uint32_t some)
{
    for (uint32_t i = 0; i < size; i++) {
        uint32_t r = (uint32_t)(gs_random(some + low, i) >> 32);
        keys[i] = low + (r % 3 == 0 ? some / 2 : r / 3 % some);
    }
    keys[size / 3] = low;
    keys[size / 2] = low + some - 1;
}

/* Jobs with a key between them, at odd places; those of b are not where they are in the output. */
static void test_jobs(struct test *test)
{
    const struct gs_gpu_work *work = &test->sorter.work;
    struct gs_gpu_job jobs[SIZES * VALUES * LOWS];
    uint32_t count = 0;
    uint64_t at = 1;
    for (uint64_t i = 0; i < test->n; i++)
        test->from[i] = BORDER;
    for (uint32_t s = 0; s < test->sizes; s++)
        for (uint32_t v = 0; v < VALUES; v++)
            for (uint32_t l = 0; l < LOWS; l++) {
                const gs_key lows[LOWS] = {0, 12345, 0x80000000U - values[v] / 2,
                                           GS_KEY_MAX - (values[v] - 1)};
                struct gs_gpu_job *job = &jobs[count++];
                *job = (struct gs_gpu_job){.start = at,
                                           .from = (int64_t)at - (l % 2 != 0 ? SHIFT : 0),
                                           .size = sizes[s],
                                           .in_b = l % 2};
                make_bin(test->from + at, sizes[s], lows[l], values[v]);
                at += sizes[s] + 1;
            }
    if (!CHECK(at + SHIFT <= test->n && count <= test->sorter.level_jobs))
        return;
    memcpy(test->wanted, test->from, test->n * sizeof(gs_key));
    for (uint32_t i = 0; i < count; i++)
        qsort(test->wanted + jobs[i].start, jobs[i].size, sizeof(gs_key), compare_keys);
    must(cudaMemcpy(test->d_a, test->from, test->n * sizeof(gs_key), cudaMemcpyHostToDevice));
    must(cudaMemcpy(test->d_b, test->from + SHIFT, (test->n - SHIFT) * sizeof(gs_key),
                    cudaMemcpyHostToDevice));
    for (uint32_t i = 0; i < count; i++) /* what is to be read from b is not in a */
        if (jobs[i].in_b)
            must(cudaMemset(test->d_a + jobs[i].start, 0xa5, jobs[i].size * sizeof(gs_key)));
    must(cudaMemcpy(work->medium_jobs, jobs, count * sizeof *jobs, cudaMemcpyHostToDevice));
    must(gs_sort_bins_gpu(work, test->d_a, test->d_b, 0, count, 0, false, test->sorter.stream));
    must(cudaStreamSynchronize(test->sorter.stream));
    must(cudaMemcpy(test->sorted, test->d_a, test->n * sizeof(gs_key), cudaMemcpyDeviceToHost));
    for (uint32_t i = 0; i < count; i++)
        if (!CHECK(memcmp(test->sorted + jobs[i].start - 1, test->wanted + jobs[i].start - 1,
                          (jobs[i].size + 2) * sizeof(gs_key)) == 0))
            fprintf(stderr, "  job %u of %u keys\n", i, jobs[i].size);
}

/* Bins of level 2 that have a cluster have too many keys for a block that sorts them. */
static void test_whole_sort(struct test *test)
{
    struct gs_device_stats stats;
    struct gs_error err = {.status = GS_OK};
    const uint64_t n = (uint64_t)1 << 22;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t r = gs_random(5, i);
        const uint32_t cluster = (uint32_t)(r >> 32) % (uint32_t)(n / CLUSTER_KEYS);
        test->from[i] =
            cluster < CLUSTERS ? (cluster * 5 + 3) * (RANGE / 128) + r % CLUSTER_VALUES : r % RANGE;
    }
    memcpy(test->wanted, test->from, n * sizeof(gs_key));
    qsort(test->wanted, n, sizeof(gs_key), compare_keys);
    must(cudaMemcpy(test->d_a, test->from, n * sizeof(gs_key), cudaMemcpyHostToDevice));
    must(cudaMemset(test->d_b, 0xa5, n * sizeof(gs_key)));
    if (!CHECK(gs_device_sort(&test->sorter, test->d_a, test->d_b, n, &stats, &err) == GS_OK))
        return;
    must(cudaMemcpy(test->sorted, stats.in_other ? test->d_b : test->d_a, n * sizeof(gs_key),
                    cudaMemcpyDeviceToHost));
    CHECK(memcmp(test->sorted, test->wanted, n * sizeof(gs_key)) == 0);
    CHECK_EQUAL(stats.levels, 2);
    CHECK(stats.medium_jobs >= CLUSTERS / 2);
}

int main(int argc, char **argv)
{
    const uint32_t most = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : SIZES;
    struct gs_error err = {.status = GS_OK};
    struct test test;
    require_gpu();
    memset(&test, 0, sizeof test);
    test.sizes = most < SIZES ? most : SIZES;
    test.n = SHIFT + 2;
    for (uint32_t s = 0; s < test.sizes; s++)
        test.n += (uint64_t)VALUES * LOWS * (sizes[s] + 1);
    test.from = malloc(test.n * sizeof *test.from);
    test.wanted = malloc(test.n * sizeof *test.wanted);
    test.sorted = malloc(test.n * sizeof *test.sorted);
    if (test.from == NULL || test.wanted == NULL || test.sorted == NULL ||
        gs_device_sorter_open(&test.sorter, test.n, &err) != GS_OK) {
        fprintf(stderr, "gpu_close: %s\n", err.text);
        exit(2);
    }
    if (test.sorter.work.medium_keys == test.sorter.work.small_keys) {
        fprintf(stderr, "gpu_close: no room for medium jobs\n");
        exit(77);
    }
    must(cudaMalloc((void **)&test.d_a, test.n * sizeof(gs_key)));
    must(cudaMalloc((void **)&test.d_b, test.n * sizeof(gs_key)));
    test_jobs(&test);
    if (test.sizes == SIZES)
        test_whole_sort(&test);
    cudaFree(test.d_a);
    cudaFree(test.d_b);
    gs_device_sorter_close(&test.sorter);
    free(test.from);
    free(test.wanted);
    free(test.sorted);
    return check_failures();
}

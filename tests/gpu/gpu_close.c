/* gpu_close.c -- bins too large for a block are sorted by one block if their values lie close.
 * SPDX-License-Identifier: MIT
 *
 *     gpu_close [SIZES]   the first SIZES of three sizes, by default all
 *
 * Jobs have from one value to the most possible, also at both ends of the key range, and are read
 * from either buffer. The plan of a level must recognize such bins; others need one more level.
 * Needs a GPU with room for medium jobs: without one it says so and exits with 77.
 */
#include "common/random.h"
#include "sort/device/device_sort.h"
#include "sort/device/kernels/gpu_launchers.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

enum { BORDER = 0x5a5a5a5a, SHIFT = 12345, LOWS = 4, DIGITS = 100 };

static const uint32_t sizes[] = {GS_GPU_MEDIUM_KEYS + 1, 3 * GS_GPU_MEDIUM_KEYS - 1,
                                 GS_GPU_CLOSE_KEYS};
static const uint32_t values[] = {1, 2, 100, 5000, GS_GPU_CLOSE_VALUES - 1, GS_GPU_CLOSE_VALUES};

enum { SIZES = sizeof sizes / sizeof *sizes, VALUES = sizeof values / sizeof *values };

struct test {
    struct gs_device_sorter sorter;
    uint32_t sizes; /* how many of the sizes to test */
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

/* Keys of up to `some` values from `low` on, including the first and the last; one value is
 * frequent. */
static void make_bin(gs_key *keys, uint32_t size, gs_key low, uint32_t some)
{
    for (uint32_t i = 0; i < size; i++) {
        uint32_t r = (uint32_t)(gs_random(some + low, i) >> 32);
        keys[i] = low + (r % 3 == 0 ? some / 2 : r / 3 % some);
    }
    keys[size / 3] = low;
    keys[size / 2] = low + some - 1;
}

/* Jobs with a key between them, at odd places; the keys of those in b are not where they will be in
 * the output. */
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
    for (uint32_t i = 0; i < count; i++) /* keys to be read from b are not in a */
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

/* The digits of a slot, each with too many keys for a block that sorts them: jobs if the digits are
 * narrow, except for one with too many keys for one block to count. */
static void test_plan(struct test *test, uint32_t width, bool close)
{
    const struct gs_gpu_work *work = &test->sorter.work;
    struct gs_gpu_state state;
    unsigned long long counts[DIGITS];
    struct gs_gpu_slot slot = {.low = 1000, .size = (uint64_t)DIGITS * work->sub_bin_keys};
    memset(&state, 0, sizeof state);
    state.slots[0] = 1;
    slot.high = slot.low + DIGITS * width - 1;
    for (uint32_t d = 0; d < DIGITS; d++)
        counts[d] = d == 5 ? GS_GPU_CLOSE_KEYS + 1 : GS_GPU_MEDIUM_KEYS + 1 + d;
    must(cudaMemset(work->tables, 0, sizeof *work->tables));
    must(cudaMemcpy(work->state, &state, sizeof state, cudaMemcpyHostToDevice));
    must(cudaMemcpy(work->slots[0], &slot, sizeof slot, cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
    must(gs_plan_level_gpu(work, 2, 1, test->sorter.stream));
    must(cudaMemcpyAsync(work->counters, counts, sizeof counts, cudaMemcpyHostToDevice,
                         test->sorter.stream));
    must(gs_plan_digits_gpu(work, 2, 1, test->sorter.stream));
    must(cudaStreamSynchronize(test->sorter.stream));
    struct gs_gpu_slot *planned = get(work->slots[0], sizeof slot);
    CHECK_EQUAL(planned->bins, DIGITS);
    free(planned);
    struct gs_gpu_state *after = get(work->state, sizeof state);
    CHECK_EQUAL(after->listed.medium_jobs, close ? DIGITS - 1 : 0);
    CHECK_EQUAL(after->slots[1], close ? 1 : DIGITS);
    CHECK_EQUAL(after->listed.small_jobs, 0);
    free(after);
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
    test_plan(&test, GS_GPU_CLOSE_VALUES - 100, true);
    test_plan(&test, 3 * GS_GPU_CLOSE_VALUES, false); /* the last digit is narrower */
    cudaFree(test.d_a);
    cudaFree(test.d_b);
    gs_device_sorter_close(&test.sorter);
    free(test.from);
    free(test.wanted);
    free(test.sorted);
    return check_failures();
}

/* gpu_values.c -- slots of few values are counted and written, others are left alone.
 * SPDX-License-Identifier: MIT
 *
 *     gpu_values [KEYS]   slots of up to about KEYS keys, by default 200,000
 *
 * Slots lie next to each other with one word between them, at odd places in the buffers; in the
 * second buffer their place is not that in the output. Each is read from the buffer of its level,
 * and its sorted keys must end up in the first buffer, of which nothing else may change. Then whole
 * sorts of keys that form one such slot, or seem to. Needs a GPU: without one it says so and exits
 * with 77.
 */
#include "common/random.h"
#include "sort/device/device_sort.h"
#include "sort/device/kernels/gpu_launchers.h"
#include "tests/gpu/add_room.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 12, SHIFT = 12345, BORDER = 0x5a5a5a5a };

/* What a slot holds. */
struct kind {
    uint32_t values; /* equally frequent; 0: every second key is one value, the others occur once */
    bool few;        /* whether values are so few that they must be counted */
};

static const struct kind kinds[] = {
    {1, true}, {2, true}, {55, true}, {700, true}, {2000, true}, {100000000, false}, {0, false},
};

struct test {
    struct gs_device_sorter sorter;
    struct gs_gpu_slot slot[SLOTS];
    bool few[SLOTS];
    uint64_t n;
    gs_key *from;   /* the level's keys */
    gs_key *wanted; /* the sorted keys of each slot */
    gs_key *d_a, *d_b;
};

static int compare_keys(const void *left, const void *right)
{
    gs_key a = *(const gs_key *)left;
    gs_key b = *(const gs_key *)right;
    return (a > b) - (a < b);
}

/* The j-th value of a slot; the first two are the least and the largest key. */
static gs_key value_of(uint32_t slot, uint64_t j)
{
    return j == 0 ? 0 : j == 1 ? GS_KEY_MAX : (gs_key)gs_random(slot, j);
}

static void make_slots(struct test *test, uint64_t largest, unsigned level)
{
    uint64_t at = 1;
    for (uint32_t s = 0; s < SLOTS; s++) {
        const struct kind *kind = &kinds[s % (sizeof kinds / sizeof *kinds)];
        struct gs_gpu_slot *slot = &test->slot[s];
        memset(slot, 0, sizeof *slot);
        slot->start = at;
        slot->from = (int64_t)at - (level % 2 == 0 ? SHIFT : 0);
        slot->to = (int64_t)at - (level % 2 != 0 ? SHIFT : 0);
        slot->size = GS_GPU_SMALL_KEYS + 1 + gs_random(level, s) % largest;
        slot->low = GS_KEY_MAX;
        for (uint64_t i = 0; i < slot->size; i++) {
            uint64_t r = gs_random(1000 + s, i);
            uint64_t j = kind->values > 0 ? r % kind->values : r % 2 == 0 ? 0 : i + 2;
            test->from[at + i] = value_of(s, j);
        }
        /* At least two copies of each value in every part of a slot, enough to be noticed. */
        test->few[s] = kind->few && kind->values <= 2000 && kind->values * 4 < slot->size;
        memcpy(test->wanted + at, test->from + at, slot->size * sizeof(gs_key));
        qsort(test->wanted + at, slot->size, sizeof(gs_key), compare_keys);
        at += slot->size + 1;
    }
    CHECK(at <= test->n);
}

static void check_slots(struct test *test, const gs_key *sorted, const struct gs_gpu_slot *done,
                        bool in_place)
{
    uint64_t at = 0;
    for (uint32_t s = 0; s < SLOTS; s++) {
        const struct gs_gpu_slot *slot = &test->slot[s];
        CHECK_EQUAL(sorted[at], in_place ? test->from[at] : BORDER);
        if (test->few[s])
            CHECK(done[s].values > 0);
        if (!CHECK(done[s].values == 0 || memcmp(sorted + slot->start, test->wanted + slot->start,
                                                 slot->size * sizeof(gs_key)) == 0))
            fprintf(stderr, "  slot %" PRIu32 " of %" PRIu64 " keys\n", s, slot->size);
        if (s % (sizeof kinds / sizeof *kinds) == 5)
            CHECK_EQUAL(done[s].values, 0);
        at = slot->start + slot->size;
    }
    CHECK_EQUAL(sorted[at], in_place ? test->from[at] : BORDER);
}

/* Slots of an even level are in b, those of an odd one in a. */
static void test_level(struct test *test, uint64_t largest, unsigned level)
{
    const struct gs_gpu_work *work = &test->sorter.work;
    const bool in_place = level % 2 != 0;
    gs_key *sorted = malloc(test->n * sizeof *sorted);
    struct gs_gpu_slot done[SLOTS];
    uint32_t tiles = 0;
    if (sorted == NULL)
        abort();
    make_slots(test, largest, level);
    for (uint64_t i = 0; i < test->n; i++)
        sorted[i] = BORDER;
    for (uint32_t s = 0; s < SLOTS; s++)
        tiles += (uint32_t)((test->slot[s].size + GS_GPU_TILE_KEYS - 1) / GS_GPU_TILE_KEYS);
    must(cudaMemcpy(test->d_a, in_place ? test->from : sorted, test->n * sizeof(gs_key),
                    cudaMemcpyHostToDevice));
    must(cudaMemcpy(test->d_b, in_place ? sorted : test->from, test->n * sizeof(gs_key),
                    cudaMemcpyHostToDevice));
    must(cudaMemcpy(work->slots[level & 1], test->slot, sizeof test->slot, cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
    must(gs_count_values_gpu(work, level, test->d_a, test->d_b + SHIFT, SLOTS, tiles,
                             test->sorter.processors, NULL));
    must(gs_write_values_gpu(work, level, test->d_a, test->d_b + SHIFT, SLOTS, tiles,
                             test->sorter.processors, NULL));
    must(cudaMemcpy(sorted, test->d_a, test->n * sizeof(gs_key), cudaMemcpyDeviceToHost));
    must(cudaMemcpy(done, work->slots[level & 1], sizeof done, cudaMemcpyDeviceToHost));
    check_slots(test, sorted, done, in_place);
    free(sorted);
}

/* A whole sort: 100 values from the whole range; one key in `rare` is any other, or none if rare is
 * 0. */
static void test_all_keys(struct test *test, uint32_t rare)
{
    struct gs_device_stats stats;
    struct gs_error err = {.status = GS_OK};
    test->n = GS_GPU_ONE_LEVEL_KEYS + 4321;
    for (uint64_t i = 0; i < test->n; i++) {
        uint64_t r = gs_random(77, i);
        bool other = rare > 0 && (r >> 32) % rare == 0;
        test->from[i] = other ? (gs_key)gs_random(78, i) : value_of(1, r % 100);
        test->wanted[i] = test->from[i];
    }
    qsort(test->wanted, test->n, sizeof(gs_key), compare_keys);
    must(cudaMemcpy(test->d_a, test->from, test->n * sizeof(gs_key), cudaMemcpyHostToDevice));
    must(cudaMemset(test->d_b, 0xa5, test->n * sizeof(gs_key)));
    if (!CHECK(gs_device_sort(&test->sorter, test->d_a, test->d_b, test->n, &stats, &err) == GS_OK))
        return;
    must(cudaMemcpy(test->from, stats.in_other ? test->d_b : test->d_a, test->n * sizeof(gs_key),
                    cudaMemcpyDeviceToHost));
    CHECK(memcmp(test->from, test->wanted, test->n * sizeof(gs_key)) == 0);
    CHECK_EQUAL(stats.levels == 1 && stats.small_jobs + stats.medium_jobs + stats.fills == 0,
                rare == 0);
}

int main(int argc, char **argv)
{
    const uint64_t largest = argc > 1 ? strtoull(argv[1], NULL, 10) : 200000;
    struct gs_error err = {.status = GS_OK};
    struct test test;
    require_gpu();
    memset(&test, 0, sizeof test);
    test.n = SLOTS * (largest + GS_GPU_SMALL_KEYS + 2) + 2;
    test.n = test.n > 2 * GS_GPU_ONE_LEVEL_KEYS ? test.n : 2 * GS_GPU_ONE_LEVEL_KEYS;
    test.from = malloc(test.n * sizeof *test.from);
    test.wanted = malloc(test.n * sizeof *test.wanted);
    if (largest == 0 || test.from == NULL || test.wanted == NULL ||
        gs_device_sorter_open(&test.sorter, test.n, &err) != GS_OK) {
        fprintf(stderr, "gpu_values: %s\n", err.text);
        exit(2);
    }
    for (uint64_t i = 0; i < test.n; i++)
        test.from[i] = BORDER;
    must(cudaMalloc((void **)&test.d_a, test.n * sizeof(gs_key)));
    must(cudaMalloc((void **)&test.d_b, test.n * sizeof(gs_key)));
    for (int large = 0; large < 2; large++) /* both tables, if the device has room for both */
        for (unsigned level = 2; level < 4; level++) {
            test.sorter.work.large_values = test.sorter.work.large_values && large == 0;
            test_level(&test, largest, level);
        }
    gs_device_sorter_close(&test.sorter);
    if (gs_device_sorter_open(&test.sorter, test.n, &err) != GS_OK) {
        fprintf(stderr, "gpu_values: %s\n", err.text);
        exit(2);
    }
    void *room = add_room(&test.sorter, 1, 0);
    test_all_keys(&test, 0);
    test_all_keys(&test, 20);
    cudaFree(test.d_a);
    cudaFree(test.d_b);
    gs_device_sorter_close(&test.sorter);
    cudaFree(room);
    free(test.from);
    free(test.wanted);
    return check_failures();
}

/* gpu_small.c -- sort on a GPU that seems to have 64 or 99 KiB of shared memory for a block.
 * SPDX-License-Identifier: MIT
 *
 * The linker replaces two CUDA functions by functions of this file (--wrap): one tells how much
 * shared memory a block may have, the other refuses to give a kernel more, as the driver of such a
 * GPU does. Needs a GPU: without one it says so and exits with 77.
 */
#include "sort/device/device_sort.h"
#include "sort/device/kernels/gpu_launchers.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

enum { BINS = GS_GPU_BINS_MAX };

/* Bytes of shared memory that a block may have. */
static int room;

/* Under the names that the linker gives them. */
cudaError_t get_attribute(int *value, enum cudaDeviceAttr attribute,
                          int device) __asm__("__real_cudaDeviceGetAttribute");
cudaError_t get_small_attribute(int *value, enum cudaDeviceAttr attribute,
                                int device) __asm__("__wrap_cudaDeviceGetAttribute");
cudaError_t set_attribute(const void *kernel, enum cudaFuncAttribute attribute,
                          int value) __asm__("__real_cudaFuncSetAttribute");
cudaError_t set_small_attribute(const void *kernel, enum cudaFuncAttribute attribute,
                                int value) __asm__("__wrap_cudaFuncSetAttribute");

cudaError_t get_small_attribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    cudaError_t error = get_attribute(value, attribute, device);
    if (attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin)
        *value = room;
    return error;
}

cudaError_t set_small_attribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    struct cudaFuncAttributes own;
    cudaError_t error = cudaFuncGetAttributes(&own, kernel);
    if (error != cudaSuccess)
        return error;
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize &&
        (size_t)value + own.sharedSizeBytes > (size_t)room)
        return cudaErrorInvalidValue;
    return set_attribute(kernel, attribute, value);
}

/* Make the most bins possible: each wanted bin except the first has an equality bin before it. */
static void make_splitters(struct gs_device_sorter *sorter, const gs_key *d_keys, uint64_t n)
{
    static gs_key splitter[2 * (BINS - 1)];
    const struct gs_gpu_work *work = &sorter->work;
    const uint32_t count = sizeof splitter / sizeof *splitter;
    const uint32_t order = GS_GPU_DESCENT | GS_GPU_ASCENT;
    for (uint32_t i = 0; i < count; i++)
        splitter[i] = (i / 2 + 1) * (GS_KEY_MAX / BINS + 1) - 1 + i % 2;
    must(cudaMemset(work->state, 0, sizeof *work->state));
    must(cudaMemcpy(&work->state->sample_order, &order, sizeof order, cudaMemcpyHostToDevice));
    must(cudaMemcpy(&work->tables->count, &count, sizeof count, cudaMemcpyHostToDevice));
    must(cudaMemcpy(work->tables->splitter, splitter, sizeof splitter, cudaMemcpyHostToDevice));
    must(gs_build_tables_gpu(work, BINS, NULL));
    must(gs_count_bins_gpu(work, d_keys, n, BINS, sorter->processors, NULL));
}

/* Sort with the sorter's own bins, or with the most possible, and check the result. */
static void check_sort(enum sample_kind kind, uint64_t n, bool most)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_device_sorter sorter;
    struct gs_device_stats stats;
    gs_key *d_keys, *d_other;
    const int failed = check_failed;
    gs_key *keys = sample_make(kind, n);
    for (uint64_t i = 0; most && i < n; i += 3) /* some of these are in equality bins */
        keys[i] &= ~(gs_key)(GS_KEY_MAX / BINS);
    gs_key *sorted = sample_sorted(keys, &n, false, false);
    must(cudaMalloc((void **)&d_keys, n * sizeof *d_keys));
    must(cudaMalloc((void **)&d_other, n * sizeof *d_other));
    must(cudaMemcpy(d_keys, keys, n * sizeof *d_keys, cudaMemcpyHostToDevice));
    must(cudaDeviceSynchronize());
    CHECK_EQUAL(gs_device_sorter_open(&sorter, n, &err), GS_OK);
    CHECK(!sorter.work.rows && !sorter.work.large_values);
    enum gs_status st;
    if (most) {
        make_splitters(&sorter, d_keys, n);
        st = gs_device_sort_counted(&sorter, d_keys, d_other, n, BINS, &stats, &err);
    } else {
        st = gs_device_sort(&sorter, d_keys, d_other, n, &stats, &err);
    }
    CHECK_EQUAL(st, GS_OK);
    must(cudaDeviceSynchronize());
    gs_key *result = get(d_keys, n * sizeof *result);
    CHECK(memcmp(result, sorted, n * sizeof *result) == 0);
    if (check_failed > failed)
        fprintf(stderr, "  with %" PRIu64 " keys of kind %d%s, %d bytes a block: %s\n", n,
                (int)kind, most ? ", the most bins" : "", room, err.text);
    gs_device_sorter_close(&sorter);
    cudaFree(d_keys);
    cudaFree(d_other);
    free(result);
    free(sorted);
    free(keys);
}

int main(void)
{
    /* The last is more than four large tiles for each multiprocessor of a large GPU. */
    static const uint64_t sizes[] = {20000, 300001, 8000001};
    /* Those of compute capability 7.5, and of 8.6, 8.9 and 12.0. */
    static const int rooms[] = {64 * 1024, 99 * 1024};
    require_gpu();
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
                room = rooms[r];
                check_sort((enum sample_kind)kind, sizes[s], false);
                check_sort((enum sample_kind)kind, sizes[s], true);
            }
    return check_failures();
}

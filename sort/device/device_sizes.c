/* device_sizes.c -- how many samples, bins and jobs a sort on the device makes of n keys.
 * SPDX-License-Identifier: MIT
 */
#include "sort/device/device_sizes.h"

/* The most keys per bin, on average, where one level is enough. */
#define ONE_LEVEL_BIN 2048

#define OVERSAMPLING_ONE_LEVEL 16
#define OVERSAMPLING           64
#define DIGITS_WANTED          640 /* most digits of a slot, while splitters are not all used */

/* How many times the usual number of keys a small job may have. */
static uint32_t job_scale(uint64_t n)
{
    return GS_BITS == 32 && n > GS_GPU_DOUBLE_JOBS_KEYS ? 2 : 1;
}

/* Keys that level 1 with `bins` bins and one further level bring down to small jobs. Digits are
 * cheaper than splitters, hence twice as many. */
static uint64_t two_level_keys(uint32_t bins, uint64_t n)
{
    uint64_t digits = bins < 256 ? 2 * bins : DIGITS_WANTED;
    return bins * digits * GS_GPU_SUB_BIN_KEYS * job_scale(n);
}

uint32_t gs_device_sort_bins(uint64_t n)
{
    uint32_t bins = 8;
    if (n <= GS_GPU_ONE_LEVEL_KEYS)
        while (bins < GS_GPU_BINS_MAX && (uint64_t)bins * ONE_LEVEL_BIN < n)
            bins *= 2;
    else
        while (bins < GS_GPU_BINS_MAX && two_level_keys(bins, n) < n)
            bins *= 2;
    return bins;
}

uint32_t gs_device_most_bins(uint64_t n, uint32_t bins)
{
    return n > GS_GPU_ONE_LEVEL_KEYS && bins < GS_GPU_FEW_BINS ? GS_GPU_FEW_BINS : bins;
}

uint32_t gs_device_samples(uint64_t n, uint32_t bins)
{
    uint32_t samples = bins * (n <= GS_GPU_ONE_LEVEL_KEYS ? OVERSAMPLING_ONE_LEVEL : OVERSAMPLING);
    return samples < GS_GPU_SAMPLES_MAX ? samples : GS_GPU_SAMPLES_MAX;
}

void gs_device_choose_jobs(struct gs_gpu_work *work, uint64_t n)
{
    uint32_t scale = work->rows ? job_scale(n) : 1;
    work->small_keys = scale * GS_GPU_SMALL_KEYS;
    work->sub_bin_keys = scale * GS_GPU_SUB_BIN_KEYS;
    work->medium_keys = work->rows ? GS_GPU_MEDIUM_KEYS : work->small_keys;
}

uint64_t gs_device_step(uint64_t capacity, unsigned i)
{
    const uint64_t steps[GS_DEVICE_STEPS] = {GS_GPU_ONE_LEVEL_KEYS, GS_GPU_DOUBLE_JOBS_KEYS,
                                             capacity};
    return steps[i] < capacity ? steps[i] : capacity;
}

uint64_t gs_device_bins_up_to(uint64_t capacity, uint64_t least)
{
    uint64_t bins = 1;
    for (unsigned i = 0; i < GS_DEVICE_STEPS; i++) {
        const uint64_t more = gs_device_sort_bins(gs_device_step(capacity, i));
        if (gs_device_step(capacity, i) >= least && more > bins)
            bins = more;
    }
    return bins;
}

void *gs_device_carve(char **next, size_t *total, uint64_t count, size_t size)
{
    size_t bytes = ((size_t)count * size + 255) / 256 * 256;
    void *piece = *next;
    *total += bytes;
    if (*next != NULL)
        *next += bytes;
    return piece;
}

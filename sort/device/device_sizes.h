/* device_sizes.h -- how many samples, bins and jobs a sort on the device makes of n keys.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DEVICE_SIZES_H
#define GS_DEVICE_SIZES_H

#include "sort/device/kernels/gpu_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of bins wanted of level 1 for n keys, a power of two. */
uint32_t gs_device_sort_bins(uint64_t n);

/* The most bins of level 1, for a sample that says that values are few; `bins` are wanted. */
uint32_t gs_device_most_bins(uint64_t n, uint32_t bins);

/* The number of keys in the sample for that many bins. */
uint32_t gs_device_samples(uint64_t n, uint32_t bins);

/* Set how large jobs may be for n keys, so that two levels are enough for all but the very largest
 * n. */
void gs_device_choose_jobs(struct gs_gpu_work *work, uint64_t n);

/* The n up to `capacity` at which there may be most bins, or most slots that they are split into:
 * number 0 to GS_DEVICE_STEPS - 1. */
enum { GS_DEVICE_STEPS = 3 };
uint64_t gs_device_step(uint64_t capacity, unsigned i);

/* The most bins of level 1, without equality bins, for n from `least` to `capacity`. */
uint64_t gs_device_bins_up_to(uint64_t capacity, uint64_t least);

/* Cut an array from the memory at *next, which may be NULL to find out how much is needed; *total
 * counts the bytes. */
void *gs_device_carve(char **next, size_t *total, uint64_t count, size_t size);

#ifdef __cplusplus
}
#endif

#endif

/* gpu_capacity.h -- how many keys the GPU takes at once, and sorts as one batch.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_CAPACITY_H
#define GS_GPU_CAPACITY_H

#include "sort/gpu/gpu_start.h"
#include "sort/types/types.h"

/* The most keys that can be on the device at once, within options->device_memory_bytes. */
uint64_t gs_gpu_capacity(const struct gs_options *options, const struct gs_gpu_device *device);

/* The most keys of a batch (gpu_batches.h), for n keys on the device; 0: so few are sorted at once.
 */
uint64_t gs_gpu_batch_keys(uint64_t n);

#endif

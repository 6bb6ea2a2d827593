/* gpu_capacity.c -- how many keys the GPU takes at once, and sorts as one batch.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_capacity.h"
#include "sort/device/kernels/gpu_sort.h"

/* The most keys of a batch, except for equality bins: a 32nd of all, so that the first batch is
 * ready soon, but enough to fill the device. With GS_GPU_BATCH_KEYS keys or fewer, batches gain
 * nothing. */
#define GS_GPU_BATCH_KEYS ((uint64_t)4 << 20)
#define BATCHES           32

uint64_t gs_gpu_batch_keys(uint64_t n)
{
    if (n <= GS_GPU_BATCH_KEYS)
        return 0;
    return n / BATCHES > GS_GPU_BATCH_KEYS ? n / BATCHES : GS_GPU_BATCH_KEYS;
}

/* What the driver and the sorter's fixed-size lists take. */
#define FIXED_BYTES ((uint64_t)64 << 20)

uint64_t gs_gpu_capacity(const struct gs_options *options, const struct gs_gpu_device *device)
{
    uint64_t limit = options->device_memory_bytes;
    if (limit == 0 || limit > device->free_bytes)
        limit = device->free_bytes;
    /* Two buffers, and lists of 1.9 % of them, or 6.3 % where jobs are small; then the room for
     * batches. */
    uint64_t share = device->block_bytes >= GS_GPU_ROOM ? 51 : 54;
    uint64_t keys =
        limit > FIXED_BYTES ? (limit - FIXED_BYTES) / (2 * sizeof(gs_key)) / share * 50 : 0;
    return keys - gs_gpu_batch_keys(keys) / 2;
}

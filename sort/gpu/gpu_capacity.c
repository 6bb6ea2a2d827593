/* gpu_capacity.c -- how many keys the GPU takes at once, and in what portions they come back.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_capacity.h"
#include "sort/device/gpu_call.h"
#include "sort/device/kernels/gpu_sizes.h"
#include "sort/keys/params.h"
#include "sort/run/copy_ordered.h"

/* The most keys of a batch, except for equality bins: a 32nd of all, so that the first batch is
 * ready soon, but enough to fill the device. With GS_GPU_BATCH_KEYS keys or fewer, batches gain
 * nothing. */
#define GS_GPU_BATCH_KEYS ((uint64_t)GS_KEYS_IN(16 << 10))
#define BATCHES           32

uint64_t gs_gpu_batch_keys(uint64_t n)
{
    if (n <= GS_GPU_BATCH_KEYS)
        return 0;
    return n / BATCHES > GS_GPU_BATCH_KEYS ? n / BATCHES : GS_GPU_BATCH_KEYS;
}

/* Fewer keys at once would be of no use. */
#define CAPACITY_MIN GS_KEYS_IN(16)

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

enum gs_status gs_gpu_free_keys(const struct gs_options *options, uint64_t *keys,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_gpu_device device;
    size_t free_bytes;
    size_t total_bytes;
    GS_TRY(gs_gpu_wait(&device, err));
    GS_CUDA_TRY(cudaMemGetInfo(&free_bytes, &total_bytes));
    device.free_bytes = free_bytes;
    *keys = gs_gpu_capacity(options, &device);
    if (*keys < CAPACITY_MIN)
        st = gs_fail(err, GS_ERR_DEVICE_MEMORY, 0, "%s: no memory to sort in", device.name);
cleanup:
    return st;
}

/* Keys of a piece that a writer fetches and writes: many, so that the bus reaches its full rate,
 * but at most so many that 16 writers together hold no more than a 16th of all keys. */
#define PIECE_KEYS_MAX ((uint64_t)GS_KEYS_IN(2048))
#define PIECE_KEYS_MIN ((uint64_t)GS_KEYS_IN(128))
#define PIECES_MIN     256

uint64_t gs_gpu_piece_keys(uint64_t capacity)
{
    uint64_t keys = capacity / PIECES_MIN;
    keys = keys < PIECE_KEYS_MIN ? PIECE_KEYS_MIN : keys;
    return keys < PIECE_KEYS_MAX ? keys : PIECE_KEYS_MAX;
}

/* A piece and its lead, in whole pages: then the parts of it that stage keys for the device are
 * whole pages, too, and share no cache line, neither for the copy nor on the bus. */
uint64_t gs_gpu_scratch_keys(uint64_t capacity)
{
    const uint64_t page_keys = 4096 / sizeof(gs_key);
    uint64_t keys = gs_gpu_piece_keys(capacity);
    keys = (capacity < keys ? capacity : keys) + GS_ORDERED_LEAD;
    return (keys + page_keys - 1) / page_keys * page_keys;
}

uint64_t gs_gpu_host_bytes(uint64_t capacity)
{
    return GS_GPU_WRITERS_MAX * gs_gpu_scratch_keys(capacity) * sizeof(gs_key);
}

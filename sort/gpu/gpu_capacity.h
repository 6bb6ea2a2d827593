/* gpu_capacity.h -- how many keys the GPU takes at once, and in what portions they come back.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_CAPACITY_H
#define GS_GPU_CAPACITY_H

#include "sort/gpu/gpu_start.h"
#include "sort/types/types.h"

/* The most keys that can be on the device at once, within options->device_memory_bytes. */
uint64_t gs_gpu_capacity(const struct gs_options *options, const struct gs_gpu_device *device);

/* The same with the memory that is free now, which may be less than when CUDA started. Fails with
 * GS_ERR_DEVICE_MEMORY if that is too little to sort in. */
enum gs_status gs_gpu_free_keys(const struct gs_options *options, uint64_t *keys,
                                struct gs_error *err);

/* The most keys of a batch (gpu_batches.h), for n keys on the device; 0: so few are sorted at once.
 */
uint64_t gs_gpu_batch_keys(uint64_t n);

/* Most threads that fetch and write sorted keys: while some write, others use the bus. One thread
 * copies about 3 GB/s into pages that already exist. For 4 GiB, 16 threads with 2 MiB each took
 * 0.98 of the time of 8 with 4 MiB. */
#define GS_GPU_WRITERS_MAX 16

/* Of up to `capacity` keys, those that a writer fetches and writes at a time; and the room that it
 * has for them. */
uint64_t gs_gpu_piece_keys(uint64_t capacity);
uint64_t gs_gpu_scratch_keys(uint64_t capacity);

/* Bytes of host memory for all writers. */
uint64_t gs_gpu_host_bytes(uint64_t capacity);

#endif

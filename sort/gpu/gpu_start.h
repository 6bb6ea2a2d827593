/* gpu_start.h -- find the GPU, start CUDA in the background, and tell why there is no usable GPU.
 * SPDX-License-Identifier: MIT
 *
 * Built without CUDA, all of this is in gpu_start_absent.c: there is no GPU.
 */
#ifndef GS_GPU_START_H
#define GS_GPU_START_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why no GPU can sort keys in this build; NULL: one could. */
const char *gs_gpu_refusal(void);

/* Does the system look as if it had a GPU? Costs next to nothing: CUDA is not started. */
bool gs_gpu_present(void);

/* Start CUDA in a thread of its own, once: that takes 0.16 s. Sets two environment variables that
 * CUDA reads: CUDA_VISIBLE_DEVICES to the first GPU that it lists, and
 * CUDA_DEVICE_MAX_CONNECTIONS. */
void gs_gpu_start(void);

/* Was gs_gpu_start called? */
bool gs_gpu_started(void);

#define GS_GPU_NAME_BYTES 256

struct gs_gpu_device {
    const char *name; /* valid as long as the program runs; at most GS_GPU_NAME_BYTES */
    uint64_t free_bytes;
    size_t block_bytes; /* most shared memory of a block */
    double bus_rate;    /* of the bus, bytes per second each way; 0: unknown */
    double memory_rate; /* of device memory, reads and writes together; 0: unknown */
    uint64_t begin_ns;  /* when starting it began, by gs_now_ns */
    uint64_t start_ns;  /* how long that took */
};

/* Wait until CUDA has started. Fails with GS_ERR_DEVICE, and the reason, if there is no usable
 * GPU. */
enum gs_status gs_gpu_wait(struct gs_gpu_device *device, struct gs_error *err);

/* What the first call of CUDA's runtime has returned, as a status with its reason. */
enum gs_status gs_gpu_usable(int error, struct gs_error *err);

#endif

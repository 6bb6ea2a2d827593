/* gpu.h -- is there a GPU, and the stages that use it.
 * SPDX-License-Identifier: MIT
 *
 * Built without CUDA, all of this is gpu_absent.c, which says so.
 */
#ifndef GS_GPU_H
#define GS_GPU_H

#include "sort/stages.h"

/* Was this gsort built with CUDA? */
bool gs_gpu_built(void);

/* Does the system look as if it had a GPU? Costs next to nothing: CUDA is not started. */
bool gs_gpu_present(void);

/* Start CUDA in a thread of its own, once: it takes 0.16 s. Sets variables of the environment that
 * CUDA reads: CUDA_VISIBLE_DEVICES to the first GPU of those in it, CUDA_DEVICE_MAX_CONNECTIONS. */
void gs_gpu_start(void);

/* Was that called? */
bool gs_gpu_started(void);

#define GS_GPU_NAME_BYTES 256

struct gs_gpu_device {
    const char *name; /* stays as long as the program runs; GS_GPU_NAME_BYTES at most */
    uint64_t free_bytes;
    size_t block_bytes; /* shared memory that a block may have */
    double bus_rate;    /* bytes a second that the bus can carry each way; 0: not known */
    double memory_rate; /* and that device memory can read and write */
    uint64_t begin_ns;  /* when its start began, by gs_now_ns */
    uint64_t start_ns;  /* that it took */
};

/* Wait until CUDA has started; GS_ERR_DEVICE says why there is no usable GPU. */
enum gs_status gs_gpu_wait(struct gs_gpu_device *device, struct gs_error *err);

/* Adapt a plan to the GPU; or to a GPU that sorts in pieces. */
void gs_gpu_plan(struct gs_plan *plan, const struct gs_options *options);
void gs_gpu_plan_pieces(struct gs_plan *plan);

/* All keys are in device memory at once, twice. open fails with GS_ERR_DEVICE_MEMORY where they do
 * not fit: then gs_stages_gpu_pieces is for them. */
extern const struct gs_stages gs_stages_gpu;

/* The CPU scatters into bins, the GPU sorts as many bins at a time as it has room for. */
extern const struct gs_stages gs_stages_gpu_pieces;

#endif

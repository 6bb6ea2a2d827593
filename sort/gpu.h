/* gpu.h -- the GPU as the rest of the library sees it: is there one, what will it cost, its stages.
 * SPDX-License-Identifier: MIT
 *
 * stages_gpu.c implements this, or stages_gpu_absent.c in a build without CUDA. A process that
 * never calls gs_gpu_start pays nothing: CUDA is not touched.
 */
#ifndef GS_GPU_H
#define GS_GPU_H

#include "sort/plan.h"
#include "sort/stages.h"

#define GS_GPU_NAME_BYTES 128

/* True in a build with CUDA. */
bool gs_gpu_built(void);

/* Whether the system looks as if it had a usable driver: a look at the file system, no more. */
bool gs_gpu_present(void);

/* Start CUDA in a thread of its own, and return at once. A second call does nothing. */
void gs_gpu_start(void);

/* Wait for that. GS_OK: *free_bytes of device memory, and the device's name. GS_ERR_DEVICE: there
 * is no usable GPU, and err says why. */
enum gs_status gs_gpu_wait(char name[GS_GPU_NAME_BYTES], uint64_t *free_bytes,
                           struct gs_error *err);

/* The cost model: seconds from file to file, start-up included. */
double gs_gpu_seconds(uint64_t keys);

/* Change a plan made for the CPU into one for the GPU. */
void gs_gpu_plan(struct gs_plan *plan, const struct gs_options *options);

/* The table of stages. Until the first piece has been handed to the emitter a failure with
 * GS_ERR_DEVICE leaves nothing behind but what close() frees: the CPU may start over. */
extern const struct gs_stages gs_stages_gpu;

#endif

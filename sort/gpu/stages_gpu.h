/* stages_gpu.h -- the stages for inputs that fit into device memory twice.
 * SPDX-License-Identifier: MIT
 *
 * Built without CUDA, both tables of GPU stages are in stages_gpu_absent.c: they fail to open.
 */
#ifndef GS_STAGES_GPU_H
#define GS_STAGES_GPU_H

#include "sort/run/stages.h"

/* Adapt a plan to the GPU. */
void gs_gpu_plan(struct gs_plan *plan, const struct gs_options *options);

/* All keys are in device memory at once, in two buffers. open fails with GS_ERR_DEVICE_MEMORY if
 * they do not fit; use gs_stages_gpu_pieces then. */
extern const struct gs_stages gs_stages_gpu;

#endif

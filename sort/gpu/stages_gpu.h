/* stages_gpu.h -- the stages for inputs that fit into device memory twice.
 * SPDX-License-Identifier: MIT
 *
 * Built without CUDA, this table is in stages_gpu_absent.c: it fails to open.
 */
#ifndef GS_STAGES_GPU_H
#define GS_STAGES_GPU_H

#include "sort/run/stages.h"

/* All keys are in device memory at once, in two buffers. open fails with GS_ERR_DEVICE_MEMORY if
 * they do not fit. */
extern const struct gs_stages gs_stages_gpu;

#endif

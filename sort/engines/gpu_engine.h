/* gpu_engine.h -- the shared-memory engines on the GPU: one launch of one block.
 * SPDX-License-Identifier: MIT
 *
 * Built without CUDA, gs_gpu_engine_sort is in gpu_absent.c and reports that there is no GPU.
 */
#ifndef GS_GPU_ENGINE_H
#define GS_GPU_ENGINE_H

#include "sort/engines/engine.h"

/* Sort keys[0 .. run->plan.count) in place on the GPU by run->options->engine, and account for all
 * that it takes. Fails with GS_ERR_DEVICE and the reason if there is no usable GPU, with
 * GS_ERR_INPUT if its block has no room for so many keys. */
enum gs_status gs_gpu_engine_sort(struct gs_run *run, gs_key *keys, struct gs_error *err);

#endif

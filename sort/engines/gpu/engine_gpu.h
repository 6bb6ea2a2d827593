/* engine_gpu.h -- the shared-memory engines on the GPU: one launch of one block.
 * SPDX-License-Identifier: MIT
 *
 * Built without CUDA, gs_engine_sort_keys_gpu is in engine_gpu_absent.c and reports that there is
 * no GPU.
 */
#ifndef GS_ENGINE_GPU_H
#define GS_ENGINE_GPU_H

#include "sort/run/run.h"

/* Sort keys[0 .. run->plan.count) in place on the GPU by run->options->engine, and account for all
 * that it takes. Fails with GS_ERR_DEVICE and the reason if there is no usable GPU, with
 * GS_ERR_INPUT if its block has no room for so many keys. */
enum gs_status gs_engine_sort_keys_gpu(struct gs_run *run, gs_key *keys, struct gs_error *err);

#endif

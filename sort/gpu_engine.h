/* gpu_engine.h -- the shared-memory engines on the GPU: one block, one visit.
 * SPDX-License-Identifier: MIT
 *
 * Built without CUDA, gs_gpu_engine_sort is in gpu_absent.c, which says so.
 */
#ifndef GS_GPU_ENGINE_H
#define GS_GPU_ENGINE_H

#include "sort/engine.h"

/* Sort the keys[0 .. run->plan.count) in place on the GPU by run->options->engine, and book all
 * that it takes. GS_ERR_DEVICE says why there is no usable GPU; GS_ERR_INPUT that its block has no
 * room for so many keys. */
enum gs_status gs_gpu_engine_sort(struct gs_run *run, gs_key *keys, struct gs_error *err);

#endif

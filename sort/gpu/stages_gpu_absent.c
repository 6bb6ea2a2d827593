/* stages_gpu_absent.c -- the GPU's stages in a gsort without CUDA.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_start.h"
#include "sort/gpu/stages_gpu.h"
#include "sort/gpu/stages_gpu_pieces.h"

void gs_gpu_plan(struct gs_plan *plan, const struct gs_options *options)
{
    (void)plan;
    (void)options;
}

void gs_gpu_plan_pieces(struct gs_plan *plan)
{
    (void)plan;
}

static enum gs_status open_nothing(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err)
{
    struct gs_gpu_device device;
    (void)run;
    (void)chunk_keys;
    return gs_gpu_wait(&device, err);
}

static void close_nothing(struct gs_run *run)
{
    (void)run;
}

/* These never get past open. */
const struct gs_stages gs_stages_gpu = {
    .device = "gpu", .open = open_nothing, .close = close_nothing};
const struct gs_stages gs_stages_gpu_pieces = {
    .device = "gpu", .open = open_nothing, .close = close_nothing};

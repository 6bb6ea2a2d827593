/* gpu_absent.c -- the functions of gpu.h and gpu_engine.h in a gsort without CUDA.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu.h"
#include "sort/engines/gpu_engine.h"

bool gs_gpu_built(void)
{
    return false;
}

bool gs_gpu_present(void)
{
    return false;
}

void gs_gpu_start(void)
{
}

bool gs_gpu_started(void)
{
    return false;
}

enum gs_status gs_gpu_wait(struct gs_gpu_device *device, struct gs_error *err)
{
    (void)device;
    return gs_fail(err, GS_ERR_DEVICE, 0, "this gsort was built without CUDA");
}

void gs_gpu_plan(struct gs_plan *plan, const struct gs_options *options)
{
    (void)plan;
    (void)options;
}

void gs_gpu_plan_pieces(struct gs_plan *plan)
{
    (void)plan;
}

enum gs_status gs_gpu_engine_sort(struct gs_run *run, gs_key *keys, struct gs_error *err)
{
    struct gs_gpu_device device;
    (void)run;
    (void)keys;
    return gs_gpu_wait(&device, err);
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

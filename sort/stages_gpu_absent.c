/* stages_gpu_absent.c -- the GPU of a build without CUDA: there is none.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu.h"

static enum gs_status say_absent(struct gs_error *err)
{
    return gs_fail(err, GS_ERR_DEVICE, 0, "this gsort was built without CUDA");
}

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

enum gs_status gs_gpu_wait(char name[GS_GPU_NAME_BYTES], uint64_t *free_bytes, struct gs_error *err)
{
    name[0] = '\0';
    *free_bytes = 0;
    return say_absent(err);
}

double gs_gpu_seconds(uint64_t keys)
{
    (void)keys;
    return 1e30;
}

void gs_gpu_plan(struct gs_plan *plan, const struct gs_options *options)
{
    (void)plan;
    (void)options;
}

static enum gs_status open_absent(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err)
{
    run->device = NULL;
    *chunk_keys = run->plan.count;
    return say_absent(err);
}

static enum gs_status stage_absent(struct gs_run *run, const struct gs_chunk *chunk,
                                   struct gs_error *err)
{
    (void)run;
    (void)chunk;
    return say_absent(err);
}

static enum gs_status sort_absent(struct gs_run *run, struct gs_error *err)
{
    (void)run;
    return say_absent(err);
}

static void close_absent(struct gs_run *run)
{
    (void)run;
}

const struct gs_stages gs_stages_gpu = {
    .device = "gpu",
    .accounts = true,
    .open = open_absent,
    .count_bins = stage_absent,
    .prefix_sum = stage_absent,
    .scatter = stage_absent,
    .sort_bins = sort_absent,
    .close = close_absent,
};

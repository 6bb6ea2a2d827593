/* stages_gpu_absent.c -- the table of the GPU's stages in a gsort without CUDA.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_start.h"
#include "sort/gpu/stages_gpu.h"

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

/* It never gets past open. */
const struct gs_stages gs_stages_gpu = {
    .device = GS_DEVICE_GPU, .open = open_nothing, .close = close_nothing};

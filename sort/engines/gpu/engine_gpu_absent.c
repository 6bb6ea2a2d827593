/* engine_gpu_absent.c -- the function of engine_gpu.h in a gsort without CUDA.
 * SPDX-License-Identifier: MIT
 */
#include "sort/engines/gpu/engine_gpu.h"
#include "sort/gpu/gpu_start.h"

enum gs_status gs_engine_sort_keys_gpu(struct gs_run *run, gs_key *keys, struct gs_error *err)
{
    struct gs_gpu_device device;
    (void)run;
    (void)keys;
    return gs_gpu_wait(&device, err);
}

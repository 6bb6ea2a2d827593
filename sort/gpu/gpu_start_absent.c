/* gpu_start_absent.c -- the functions of gpu_start.h without CUDA.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_start.h"

const char *gs_gpu_refusal(void)
{
    return "this gsort was built without CUDA";
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
    return gs_fail(err, GS_ERR_DEVICE, 0, "%s", gs_gpu_refusal());
}

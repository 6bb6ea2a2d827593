/* gpu_start_absent.c -- the functions of gpu_start.h without CUDA, or for wider keys.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_start.h"

#include "common/keys.h"

const char *gs_gpu_refusal(void)
{
    return GS_BITS == 32   ? "this gsort was built without CUDA"
           : GS_BITS == 64 ? "elements of 8 bytes are not sorted on the GPU yet"
                           : "elements of 16 bytes are not sorted on the GPU yet";
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

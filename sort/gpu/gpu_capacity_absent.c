/* gpu_capacity_absent.c -- the functions of gpu_capacity.h that a gsort without CUDA needs.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_capacity.h"
#include "sort/gpu/gpu_start.h"

enum gs_status gs_gpu_free_keys(const struct gs_options *options, uint64_t *keys,
                                struct gs_error *err)
{
    struct gs_gpu_device device;
    (void)options;
    *keys = 0;
    return gs_gpu_wait(&device, err);
}

uint64_t gs_gpu_host_bytes(uint64_t capacity)
{
    (void)capacity;
    return 0;
}

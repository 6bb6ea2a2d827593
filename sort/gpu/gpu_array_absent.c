/* gpu_array_absent.c -- the functions of gpu_array.h without CUDA.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gpu/gpu_array.h"
#include "sort/gpu/gpu_start.h"

enum gs_status gs_gpu_array_sort(const struct gs_options *options, struct gs_device_array *array,
                                 struct gs_error *err)
{
    (void)options;
    (void)array;
    return gs_fail(err, GS_ERR_DEVICE, 0, "%s", gs_gpu_refusal());
}

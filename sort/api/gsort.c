/* gsort.c -- the library's entry: the calls for a width.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gsort.h"
#include "sort/gpu/gpu_start.h"
#include "sort/wide/records.h"
#include "sort/width/width.h"

const struct gs_width *gs_width(const struct gs_options *options)
{
    if (options->records != NULL)
        return &gs_width_records;
    if (options->key_bytes == 16)
        return &gs_width_128;
    return options->key_bytes == 8 ? &gs_width_64 : &gs_width_32;
}

bool gs_holds_device(void)
{
    return gs_gpu_started();
}

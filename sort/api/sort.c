/* sort.c -- the calls for a width.
 * SPDX-License-Identifier: MIT
 */
#include "sort/sort.h"
#include "sort/check/verify.h"
#include "sort/gpu/gpu_start.h"
#include "sort/shuffle/shuffle.h"
#include "sort/wide/records.h"
#include "sort/width/width.h"

const struct gs_width *gs_width(const struct gs_options *options)
{
    if (options->shuffled)
        return &gs_width_shuffle;
    if (options->records != NULL)
        return &gs_width_records;
    if (options->key_bytes == 16)
        return &gs_width_128;
    return options->key_bytes == 8 ? &gs_width_64 : &gs_width_32;
}

enum gs_status gs_verify_file(const struct gs_options *options, int fd, uint64_t start,
                              struct gs_stats *stats, const char *name, struct gs_error *err)
{
    return gs_verify_records(options, gs_width(options)->look, fd, start, stats, name, err);
}

bool gs_holds_device(void)
{
    return gs_gpu_started();
}

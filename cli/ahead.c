/* ahead.c -- start what takes long before it is needed: a GPU, the output's pages.
 * SPDX-License-Identifier: MIT
 *
 * On the CPU all threads are busy from the first moment on, and making pages ahead would only take
 * from them.
 */
#include "cli/ahead.h"

#include <unistd.h>

static unsigned count_processors(const struct gs_options *options)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (options->threads > 0)
        return options->threads;
    return online > 0 ? (unsigned)online : 1;
}

void gs_start_ahead(const struct gs_options *options, uint64_t bytes, struct gs_output *output)
{
    if (gs_prepare(options, bytes / GS_KEY_BYTES) != GS_DEVICE_GPU)
        return;
    if (output != NULL && !options->unique)
        gs_output_prefill(output, bytes - bytes % GS_KEY_BYTES, count_processors(options));
}

/* ahead.c -- start what takes long before it is needed: a GPU, the output's pages.
 * SPDX-License-Identifier: MIT
 *
 * On the CPU all threads are busy from the first moment on, and making pages ahead would only take
 * from them: but not while a pipe is read, which takes one. (A sort that will write in place has
 * them made when it knows that: see output_sink.c.)
 */
#include "cli/ahead.h"

#include <unistd.h>

/* From so many on, some are to spare for pages: beside the writer of a pipe and its reader, or
 * beside those that sort. */
#ifndef GS_SPARE_PROCESSORS /* tests: fewer */
#define GS_SPARE_PROCESSORS 4
#endif

static unsigned count_processors(const struct gs_options *options)
{
    static long online; /* to ask takes 20 us */
    if (options->threads > 0)
        return options->threads;
    if (online == 0)
        online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

bool gs_reads_with_help(const struct gs_options *options)
{
    return count_processors(options) >= GS_SPARE_PROCESSORS;
}

unsigned gs_threads_for_pages(const struct gs_options *options, bool idle)
{
    unsigned processors = count_processors(options);
    if (processors < GS_SPARE_PROCESSORS) /* all others wait */
        return processors;
    return idle ? processors / 2 : processors / 4;
}

void gs_start_ahead(const struct gs_options *options, uint64_t bytes, struct gs_output *output,
                    bool reading)
{
    bool idle = reading && gs_reads_with_help(options);
    if (gs_prepare(options, bytes / GS_KEY_BYTES, reading) == GS_DEVICE_GPU)
        idle = true;
    if (idle && output != NULL && !options->unique)
        gs_output_prefill(output, bytes - bytes % GS_KEY_BYTES,
                          gs_threads_for_pages(options, true));
}

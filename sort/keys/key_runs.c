/* key_runs.c -- copy keys from their runs to one place.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/key_runs.h"

#include <string.h>

/* Prefetch the start of the run some chunks ahead, and the table entry of a later one. The hardware
 * prefetcher follows the rest of a run by itself. */
static void prefetch_run(const struct gs_key_runs *runs, uint64_t chunk)
{
    enum { TABLE_AHEAD = 16, RUNS_AHEAD = 2, LINES = 3 };
    if (chunk + TABLE_AHEAD < runs->chunks)
        __builtin_prefetch(runs->starts + (chunk + TABLE_AHEAD) * runs->stride);
    if (chunk + RUNS_AHEAD >= runs->chunks)
        return;
    uint32_t count;
    const gs_key *run = gs_key_run(runs, chunk + RUNS_AHEAD, &count);
    for (uint32_t i = 0; i < count && i < LINES * GS_LINE_KEYS; i += GS_LINE_KEYS)
        __builtin_prefetch(run + i);
}

size_t gs_key_runs_read(const struct gs_key_runs *runs, struct gs_key_reader *reader, gs_key *to,
                        size_t count)
{
    size_t filled = 0;
    while (filled < count && reader->chunk < runs->chunks) {
        uint32_t run_count;
        const gs_key *run = gs_key_run(runs, reader->chunk, &run_count) + reader->done;
        size_t left = run_count - reader->done;
        size_t here = left < count - filled ? left : count - filled;
        prefetch_run(runs, reader->chunk);
        memcpy(to + filled, run, here * sizeof *to);
        filled += here;
        reader->done += (uint32_t)here;
        if (here == left) {
            reader->chunk++;
            reader->done = 0;
        }
    }
    return filled;
}

void gs_key_runs_gather(const struct gs_key_runs *runs, gs_key *to)
{
    struct gs_key_reader reader = {0};
    gs_key_runs_read(runs, &reader, to, SIZE_MAX);
}

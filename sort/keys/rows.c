/* rows.c -- count the keys of bins in rows, and copy a bin to one place.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/rows.h"

#include <string.h>

void gs_rows_total(const struct gs_rows *rows, uint32_t first, uint32_t end, uint64_t *counts)
{
    for (uint32_t bin = first; bin < end; bin++)
        counts[bin] = 0;
    for (uint64_t row = 0; row < rows->count; row++) {
        const uint32_t *starts = rows->starts + row * rows->stride;
        for (uint32_t bin = first; bin < end; bin++)
            counts[bin] += starts[bin + 1] - starts[bin];
    }
}

/* Prefetch the start of the run some rows ahead, and the table entry of a later one. The hardware
 * prefetcher follows the rest of a run by itself. */
static void prefetch_run(const struct gs_rows *rows, uint64_t row)
{
    enum { TABLE_AHEAD = 16, RUNS_AHEAD = 2, LINES = 3 };
    if (row + TABLE_AHEAD < rows->count)
        __builtin_prefetch(rows->starts + (row + TABLE_AHEAD) * rows->stride);
    if (row + RUNS_AHEAD >= rows->count)
        return;
    uint32_t count;
    const gs_key *run = gs_rows_run(rows, row + RUNS_AHEAD, &count);
    for (uint32_t i = 0; i < count && i < LINES * GS_LINE_KEYS; i += GS_LINE_KEYS)
        __builtin_prefetch(run + i);
}

void gs_rows_gather(const struct gs_rows *rows, gs_key *to)
{
    for (uint64_t row = 0; row < rows->count; row++) {
        uint32_t count;
        const gs_key *run = gs_rows_run(rows, row, &count);
        prefetch_run(rows, row);
        memcpy(to, run, count * sizeof *to);
        to += count;
    }
}

/* rows.h -- keys in rows that are each ordered by bin: what a distribution leaves behind.
 * SPDX-License-Identifier: MIT
 *
 *   row 0   |0|1|2|..|k   |
 *   row 1   |0|1|2|..|k   |     the keys of one bin in one row are a run
 *
 * In any row, the runs of neighbouring bins are neighbours: so neighbouring bins together are one
 * contiguous part of each row.
 */
#ifndef GS_ROWS_H
#define GS_ROWS_H

#include "sort/keys/key_runs.h"

struct gs_rows {
    gs_key *keys;      /* row r begins at keys + r * row_keys; they may be on a device */
    uint64_t row_keys; /* of each row but the last; 0: starts count from `keys` on in all rows */
    uint64_t count;    /* rows */
    uint32_t *starts;  /* [row][stride]: where the run of each bin starts in its row; [bins]: where
                        * the last one ends */
    uint32_t stride;
};

/* The keys of bins low to high in a row, and their number in *count. */
static inline gs_key *gs_rows_part(const struct gs_rows *rows, uint64_t row, uint32_t low,
                                   uint32_t high, uint32_t *count)
{
    const uint32_t *starts = rows->starts + row * rows->stride;
    *count = starts[high + 1] - starts[low];
    return rows->keys + row * rows->row_keys + starts[low];
}

/* The keys of a bin, whose starts are one entry in each `stride` of them from `starts` on. */
static inline struct gs_key_runs gs_rows_runs(const struct gs_rows *rows, const uint32_t *starts,
                                              uint32_t stride)
{
    return (struct gs_key_runs){.keys = rows->keys,
                                .starts = starts,
                                .chunks = rows->count,
                                .chunk_keys = rows->row_keys,
                                .stride = stride};
}

/* Count the keys of bins [first, end) into counts[first .. end). */
static inline void gs_rows_total(const struct gs_rows *rows, uint32_t first, uint32_t end,
                                 uint64_t *counts)
{
    for (uint32_t bin = first; bin < end; bin++)
        counts[bin] = 0;
    for (uint64_t row = 0; row < rows->count; row++) {
        const uint32_t *starts = rows->starts + row * rows->stride;
        for (uint32_t bin = first; bin < end; bin++)
            counts[bin] += starts[bin + 1] - starts[bin];
    }
}

#endif

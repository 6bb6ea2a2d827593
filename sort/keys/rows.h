/* rows.h -- keys in rows that are each ordered by bin: what a distribution leaves behind.
 * SPDX-License-Identifier: MIT
 *
 *   row 0   |0|1|2|..|k   |
 *   row 1   |0|1|2|..|k   |     the keys of one bin in one row are a run
 *
 * In any row, the runs of neighbouring bins are neighbours: so neighbouring bins together are one
 * contiguous part of each row. Rows from a later bin on are rows, too, of which that is bin 0: so a
 * single bin is passed on.
 */
#ifndef GS_ROWS_H
#define GS_ROWS_H

#include "common/formats/keys.h"

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

/* The rows from a bin on, whose starts are at index `entry` in each row. */
static inline struct gs_rows gs_rows_from(const struct gs_rows *rows, uint32_t entry)
{
    struct gs_rows from = *rows;
    from.starts += entry;
    return from;
}

/* The run of bin 0 in a row, and its length in *count. */
static inline gs_key *gs_rows_run(const struct gs_rows *rows, uint64_t row, uint32_t *count)
{
    return gs_rows_part(rows, row, 0, 0, count);
}

/* Count the keys of bins [first, end) into counts[first .. end). */
void gs_rows_total(const struct gs_rows *rows, uint32_t first, uint32_t end, uint64_t *counts);

/* Copy the runs of bin 0, one after the other, to `to`. */
void gs_rows_gather(const struct gs_rows *rows, gs_key *to);

#endif

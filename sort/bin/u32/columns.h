/* columns.h -- what the sorts by columns share: the layout of the columns.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COLUMNS_H
#define GS_COLUMNS_H

#include "sort/bin/cache_sort_impl.h"

#include <assert.h>
#include <stdbool.h>

enum {
    /* Rows of a matrix, and how many of them should be used on average. Zen 3, 49152 uniform keys,
     * Mkeys/s: 20 rows 480, 28 rows 470, 35 rows 500, 41 to 47 rows 515, 50 rows 470, 54 rows
     * 410. */
    GS_COLUMN_ROWS = 64,
    GS_COLUMN_MEAN_ROWS = 43,
    /* The mean where columns would otherwise be wider than 2^16 values: most columns fill two
     * blocks of 16 rows, and the other blocks are not sorted. */
    GS_COLUMN_MEAN_HALF = 15,
    GS_COLUMN_LANES_MAX = 32, /* columns of a matrix */
    GS_COLUMNS_MAX = (int)(GS_CACHE_SORT_CAPACITY / GS_COLUMN_MEAN_ROWS) + 2 * GS_COLUMN_LANES_MAX,
    GS_COLUMN_SPILL_SHARE = 8 /* the sort gives up when more than one key in 8 was spilled */
};

/* A key goes to column (key - low) * scale / 2^32; a column has one slot in each row. */
struct gs_columns {
    gs_key low;
    uint64_t scale;
    uint64_t width; /* 2^64 / scale, rounded down: key - low >= c * width / 2^32 in column c */
    size_t matrices;
    uint32_t stride;  /* slots in a row, and padding */
    uint64_t one_row; /* 2^40 / stride, rounded up: exact division of positions below 2^20 */
    void *slots;      /* [GS_COLUMN_ROWS][stride], of 16 or 32 bits */
    gs_key *spilled;  /* keys of full columns */
    size_t spilled_count;
    uint32_t positions[GS_COLUMNS_MAX]; /* the next free slot of each column */
};

/* Lay out columns over [low, high] in scratch, `lanes` in a matrix, of mean_rows keys on average,
 * in slots of slot_bytes; false if a column had less than one value, if there were too many
 * columns, or if they need more than gs_cache_sort_scratch(count) keys of room. */
bool gs_columns_make(struct gs_columns *columns, gs_key *scratch, size_t count, gs_key low,
                     gs_key high, uint32_t lanes, uint32_t mean_rows, size_t slot_bytes);

/* The same for slots of 16 bits, with a mean that makes no column wider than 2^16 values; false if
 * there is none. */
bool gs_columns_make_narrow(struct gs_columns *columns, gs_key *scratch, size_t count, gs_key low,
                            gs_key high, uint32_t lanes);

/* Sort the spilled keys, using the scratch memory from `scratch` on. */
void gs_columns_sort_spilled(struct gs_columns *columns, gs_key *scratch);

/* Write a matrix's sorted columns of counts[] keys each to out, merged with their spilled keys,
 * which begin at *spilled and are consumed. Returns the end of what was written. */
gs_key *gs_columns_merge(const gs_key *sorted, gs_key *out, const uint32_t *counts,
                         const struct gs_columns *columns, size_t matrix, uint32_t lanes,
                         const gs_key **spilled);

#endif

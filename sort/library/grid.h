/* grid.h -- the cell of a record, by its place in each of several orders.
 * SPDX-License-Identifier: MIT
 *
 * Each order is an axis, which splitters cut into slabs. Cells are those of a table of as many
 * dimensions: a slab of an axis is all cells with the same number on it, whatever the others.
 */
#ifndef GS_GRID_H
#define GS_GRID_H

#include "sort/library/library.h"

/* Cells are numbered by 16 bits. More than these are no use: parts of them would be too small. */
#define GS_GRID_CELLS ((size_t)10000)

/* Slabs of one axis at most: two orders have that many. */
#define GS_GRID_SLABS 100

/* Entries of a guide, by which splitters are found. */
#define GS_GRID_GUIDE 1024

struct gs_grid_axis {
    struct gs_record_order order; /* without reverse; of the keys alone, if one of each is kept */
    size_t slabs;
    size_t behind;   /* cells for each step on this axis */
    uint64_t *words; /* of the slabs - 1 splitters, the first word of their keys, */
    char *splitters; /* and they, in order: each is the first record of the next slab */
    uint64_t least;  /* word, */
    unsigned shift;  /* and bits of the difference to it that the guide leaves out */
    uint8_t guide[GS_GRID_GUIDE + 2];
};

struct gs_grid {
    struct gs_grid_axis *axes; /* the last one's steps are the shortest */
    size_t axis_count;
    size_t record_bytes;
    size_t cells;
};

/* For records like these, all or the first of those that will come, in at most so many cells. Under
 * an order in which equal keys stay as they came, there is but one. On failure, too, close it. */
enum gs_status gs_grid_open(struct gs_grid *grid, const struct gs_options *orders,
                            size_t order_count, size_t most_cells, const void *records,
                            uint64_t count, struct gs_error *err);

/* The cell of each record. Several threads may call it at once. */
void gs_grid_find(const struct gs_grid *grid, const void *records, size_t count, uint16_t *cells);

void gs_grid_close(struct gs_grid *grid);

#endif

/* grid_store.h -- records in temporary files, written once, to be read in several orders.
 * SPDX-License-Identifier: MIT
 *
 * They are written chunk by chunk, each ordered by the cells of a grid (grid.h). Then the records
 * of some slabs of any order are those of a few cells of each chunk, in pieces one after the other.
 */
#ifndef GS_GRID_STORE_H
#define GS_GRID_STORE_H

#include "sort/library/grid.h"

#include "common/files/spill.h"

struct gs_grid_store {
    struct gs_grid grid;
    struct gs_spill spill;
    unsigned threads;
    uint64_t chunk_records; /* at most */
    /* While chunks are written: */
    uint16_t *cells;  /* of each record of a chunk, */
    uint32_t *from;   /* and the records in order of their cells */
    uint32_t *places; /* for each thread and cell, where its next record goes */
    char *pages;      /* for each thread, to write from */
    size_t page_bytes;
    /* Behind a chunk's records is where its cells begin: grid.cells + 1 numbers of records. */
    struct gs_grid_chunk {
        struct gs_place place;
        uint64_t records;
    } * chunks;
    size_t chunk_count, chunk_room;
    uint64_t *totals; /* for each axis, GS_GRID_SLABS: the records of each slab */
    /* What is read: */
    size_t axis, first_slab, end_slab;
    size_t chunk;     /* the current one, */
    uint32_t *starts; /* where its cells begin, */
    size_t piece;     /* which of its pieces, */
    uint64_t read;    /* and how many records of that have been read */
};

/* Make cells for records of these orders, which are all alike, by those that there are already.
 * memory_bytes: for a chunk and all that writing it takes. On failure, too, close it. */
enum gs_status gs_grid_store_open(struct gs_grid_store *store, const struct gs_options *orders,
                                  size_t order_count, uint64_t memory_bytes,
                                  const char *const *directories, size_t directory_count,
                                  const void *records, uint64_t count, struct gs_error *err);

/* Write at most chunk_records of them; after the last ones, free what that took. */
enum gs_status gs_grid_store_write(struct gs_grid_store *store, const void *records, uint64_t count,
                                   struct gs_progress *progress, struct gs_error *err);
void gs_grid_store_end(struct gs_grid_store *store);

/* How many records a slab of an order has. */
static inline uint64_t gs_grid_store_count(const struct gs_grid_store *store, size_t order,
                                           size_t slab)
{
    return store->totals[order * GS_GRID_SLABS + slab];
}

/* From the start: read the records of slabs [first, end) of an order; *got is less than room at
 * their end. Those of one cell are in the order in which they came. */
void gs_grid_store_seek(struct gs_grid_store *store, size_t order, size_t first, size_t end);
enum gs_status gs_grid_store_read(struct gs_grid_store *store, void *to, uint64_t room,
                                  uint64_t *got, struct gs_error *err);

/* All zero: it has not been opened. */
void gs_grid_store_close(struct gs_grid_store *store);

#endif

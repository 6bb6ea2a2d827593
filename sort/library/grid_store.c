/* grid_store.c -- records in temporary files, written once, to be read in several orders.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/grid_store.h"

#include "common/formats/record_copy.h"
#include "common/memory/memory.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The records of a cell in a chunk: so many bytes, if memory has room for a chunk of many of them.
 * They are read from the page cache, or else read ahead. */
#define LEAST_BYTES 2048

/* What a thread writes at once. */
#define PAGE_BYTES  ((uint64_t)1 << 20)
#define PAGE_SHARES 16 /* of the memory, for all threads: one */

/* Records that are on their way to the cache. */
#define AHEAD 24

/* Sizes of a chunk, from the memory for all. */
static void choose_sizes(struct gs_grid_store *store, uint64_t memory_bytes, size_t record_bytes)
{
    const uint64_t each = record_bytes + sizeof *store->cells + sizeof *store->from;
    uint64_t page = memory_bytes / PAGE_SHARES / store->threads;
    page = (page < PAGE_BYTES ? page : PAGE_BYTES) / record_bytes * record_bytes;
    store->page_bytes = page > record_bytes ? page : record_bytes;
    const uint64_t pages = store->page_bytes * store->threads;
    const uint64_t records = (memory_bytes > pages ? memory_bytes - pages : 0) / each;
    store->chunk_records = records > UINT32_MAX ? UINT32_MAX : records > 0 ? records : 1;
}

enum gs_status gs_grid_store_open(struct gs_grid_store *store, const struct gs_options *orders,
                                  size_t order_count, uint64_t memory_bytes,
                                  const char *const *directories, size_t directory_count,
                                  const void *records, uint64_t count, struct gs_error *err)
{
    enum gs_status st;
    const size_t record_bytes = gs_record_bytes(&orders[0]);
    store->threads = gs_threads(&orders[0]);
    choose_sizes(store, memory_bytes, record_bytes);
    const uint64_t most = store->chunk_records * record_bytes / LEAST_BYTES;
    GS_TRY(gs_grid_open(&store->grid, orders, order_count,
                        most < GS_GRID_CELLS ? (size_t)most : GS_GRID_CELLS, records, count, err));
    const size_t cells = store->grid.cells;
    store->cells = gs_pages_alloc(store->chunk_records * sizeof *store->cells);
    store->from = gs_pages_alloc(store->chunk_records * sizeof *store->from);
    store->pages = gs_pages_alloc(store->page_bytes * store->threads);
    store->places = calloc(cells * store->threads, sizeof *store->places);
    store->starts = calloc(cells + 1, sizeof *store->starts);
    store->totals = calloc(order_count * GS_GRID_SLABS, sizeof *store->totals);
    if (store->cells == NULL || store->from == NULL || store->pages == NULL ||
        store->places == NULL || store->starts == NULL || store->totals == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu cells of records", cells);
        goto cleanup;
    }
    st = gs_spill_open(&store->spill, directories, directory_count, GS_DIRECT_NEVER, err);
cleanup:
    return st;
}

/* Places of threads become those in the chunk, and cells begin at store->starts. */
static void add_up(struct gs_grid_store *store, unsigned threads)
{
    const size_t cells = store->grid.cells;
    uint32_t sum = 0;
    for (size_t cell = 0; cell < cells; cell++) {
        store->starts[cell] = sum;
        for (unsigned i = 0; i < threads; i++) {
            uint32_t *const place = &store->places[i * cells + cell];
            const uint32_t count = *place;
            *place = sum;
            sum += count;
        }
    }
    store->starts[cells] = sum;
    for (size_t i = 0; i < store->grid.axis_count; i++) {
        const struct gs_grid_axis *axis = &store->grid.axes[i];
        uint64_t *const totals = store->totals + i * GS_GRID_SLABS;
        for (size_t cell = 0; cell < cells; cell++)
            totals[cell / axis->behind % axis->slabs] +=
                store->starts[cell + 1] - store->starts[cell];
    }
}

/* Find all cells, and the records in order of them. */
static void deal(struct gs_grid_store *store, const char *records, uint64_t count)
{
    const size_t cells = store->grid.cells;
#pragma omp parallel num_threads(store->threads)
    {
        const unsigned threads = (unsigned)omp_get_num_threads();
        const unsigned thread = (unsigned)omp_get_thread_num();
        const uint64_t begin = count * thread / threads;
        const uint64_t end = count * (thread + 1) / threads;
        uint32_t *const places = store->places + thread * cells;
        memset(places, 0, cells * sizeof *places);
        gs_grid_find(&store->grid, records + begin * store->grid.record_bytes, end - begin,
                     store->cells + begin);
        for (uint64_t i = begin; i < end; i++)
            places[store->cells[i]]++;
#pragma omp barrier
#pragma omp single
        add_up(store, threads);
        for (uint64_t i = begin; i < end; i++)
            store->from[places[store->cells[i]]++] = (uint32_t)i;
    }
}

/* Write records [begin, begin + count) of those in order of cells, from a thread's page. */
static enum gs_status write_page(struct gs_grid_store *store, const struct gs_place *place,
                                 const char *records, uint64_t begin, uint64_t count, char *page,
                                 struct gs_error *err)
{
    const size_t bytes = store->grid.record_bytes;
    const uint32_t *const from = store->from + begin;
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            gs_record_prefetch(records + from[i + AHEAD] * bytes, (uint32_t)bytes);
        gs_record_copy(page + i * bytes, records + from[i] * bytes, bytes);
    }
    return gs_spill_write(&store->spill, place, begin * bytes, page, count * bytes, err);
}

/* One that is full, of all threads. */
static enum gs_status write_chunk(struct gs_grid_store *store, const struct gs_place *place,
                                  const char *records, uint64_t count, struct gs_progress *progress,
                                  struct gs_error *err)
{
    atomic_int status = GS_OK;
    const uint64_t each = store->page_bytes / store->grid.record_bytes;
#pragma omp parallel for schedule(dynamic) num_threads(store->threads)
    for (uint64_t begin = 0; begin < count; begin += each) {
        struct gs_error own = {.status = GS_OK};
        if (atomic_load(&status) == GS_OK && gs_progress_check(progress, &own) == GS_OK)
            (void)write_page(store, place, records, begin,
                             count - begin < each ? count - begin : each,
                             store->pages + (size_t)omp_get_thread_num() * store->page_bytes, &own);
        if (own.status != GS_OK) {
#pragma omp critical(gs_grid_store)
            atomic_store(&status, (int)gs_fail(err, own.status, 0, "%s", own.text));
        }
    }
    return (enum gs_status)atomic_load(&status);
}

enum gs_status gs_grid_store_write(struct gs_grid_store *store, const void *records, uint64_t count,
                                   struct gs_progress *progress, struct gs_error *err)
{
    enum gs_status st;
    const size_t index_bytes = (store->grid.cells + 1) * sizeof *store->starts;
    const uint64_t bytes = count * store->grid.record_bytes;
    if (store->chunk_count == store->chunk_room) {
        const size_t room = 2 * store->chunk_room + 16;
        struct gs_grid_chunk *more = realloc(store->chunks, room * sizeof *more);
        if (more == NULL)
            return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu chunks", room);
        store->chunks = more;
        store->chunk_room = room;
    }
    struct gs_grid_chunk *const chunk = &store->chunks[store->chunk_count];
    chunk->records = count;
    GS_TRY(gs_spill_place(&store->spill, bytes + index_bytes, &chunk->place, err));
    deal(store, records, count);
    GS_TRY(write_chunk(store, &chunk->place, records, count, progress, err));
    GS_TRY(gs_spill_write(&store->spill, &chunk->place, bytes, store->starts, index_bytes, err));
    store->chunk_count++;
cleanup:
    return st;
}

void gs_grid_store_end(struct gs_grid_store *store)
{
    gs_pages_free(store->cells, store->chunk_records * sizeof *store->cells);
    gs_pages_free(store->from, store->chunk_records * sizeof *store->from);
    gs_pages_free(store->pages, store->page_bytes * store->threads);
    free(store->places);
    store->cells = NULL;
    store->from = NULL;
    store->pages = NULL;
    store->places = NULL;
}

void gs_grid_store_seek(struct gs_grid_store *store, size_t order, size_t first, size_t end)
{
    store->axis = order;
    store->first_slab = first;
    store->end_slab = end;
    store->chunk = 0;
    store->piece = 0;
    store->read = 0;
}

/* At the next piece, which may be in the next chunk. */
static void pass(struct gs_grid_store *store, size_t pieces)
{
    store->read = 0;
    store->piece++;
    if (store->piece == pieces) {
        store->piece = 0;
        store->chunk++;
    }
}

enum gs_status gs_grid_store_read(struct gs_grid_store *store, void *to, uint64_t room,
                                  uint64_t *got, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_grid_axis *const axis = &store->grid.axes[store->axis];
    const size_t bytes = store->grid.record_bytes;
    const size_t around = axis->slabs * axis->behind; /* cells from a piece to the next one */
    for (*got = 0; *got < room && store->chunk < store->chunk_count;) {
        const struct gs_grid_chunk *chunk = &store->chunks[store->chunk];
        if (store->piece == 0 && store->read == 0)
            GS_TRY(gs_spill_read(&store->spill, &chunk->place, chunk->records * bytes,
                                 store->starts, (store->grid.cells + 1) * sizeof *store->starts,
                                 err));
        const uint32_t *const starts = store->starts + store->piece * around;
        const uint64_t begin = starts[store->first_slab * axis->behind] + store->read;
        const uint64_t left = starts[store->end_slab * axis->behind] - begin;
        const uint64_t here = left < room - *got ? left : room - *got;
        if (here > 0)
            GS_TRY(gs_spill_read(&store->spill, &chunk->place, begin * bytes,
                                 (char *)to + *got * bytes, here * bytes, err));
        *got += here;
        store->read += here;
        if (here == left)
            pass(store, store->grid.cells / around);
    }
cleanup:
    return st;
}

void gs_grid_store_close(struct gs_grid_store *store)
{
    if (store->spill.directories != NULL)
        gs_spill_close(&store->spill);
    gs_grid_store_end(store);
    gs_grid_close(&store->grid);
    free(store->starts);
    free(store->totals);
    free(store->chunks);
}

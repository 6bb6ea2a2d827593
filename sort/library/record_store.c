/* record_store.c -- records in the order in which they came: in memory, or in temporary files.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/record_store.h"

#include "common/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* What is kept in memory before it goes to a temporary file, in one piece. */
#define PIECE_BYTES ((size_t)4 << 20)
#define LEAST_BYTES ((size_t)64 << 10)

/* Make room for so many bytes. Only pages that are touched count, so there may be twice as many. */
static enum gs_status make_room(struct gs_record_store *store, size_t bytes, struct gs_error *err)
{
    if (bytes <= store->room)
        return GS_OK;
    size_t room = bytes > 2 * store->room ? bytes : 2 * store->room;
    room = room > LEAST_BYTES ? room : LEAST_BYTES;
    char *more = gs_pages_grow(store->bytes, store->room, room);
    if (more == NULL && room > bytes) {
        room = bytes;
        more = gs_pages_grow(store->bytes, store->room, room);
    }
    if (more == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu MiB of records",
                       bytes >> 20);
    store->bytes = more;
    store->room = room;
    return GS_OK;
}

enum gs_status gs_record_store_flush(struct gs_record_store *store, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (store->used == 0)
        return GS_OK;
    if (store->piece_count == store->piece_room) {
        const size_t room = 2 * store->piece_room + 16;
        struct gs_stored_piece *more = realloc(store->pieces, room * sizeof *more);
        if (more == NULL)
            return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu pieces", room);
        store->pieces = more;
        store->piece_room = room;
    }
    struct gs_stored_piece *piece = &store->pieces[store->piece_count];
    piece->bytes = store->used;
    GS_TRY(gs_spill_place(&store->spill, store->used, &piece->place, err));
    GS_TRY(gs_spill_write(&store->spill, &piece->place, 0, store->bytes, store->used, err));
    store->piece_count++;
    store->used = 0;
cleanup:
    return st;
}

enum gs_status gs_record_store_add(struct gs_record_store *store, const void *records,
                                   uint64_t bytes, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (uint64_t added = 0, here; added < bytes; added += here) {
        here = bytes - added;
        if (store->spilled && here > PIECE_BYTES - store->used)
            here = PIECE_BYTES - store->used;
        GS_TRY(make_room(store, store->used + here, err));
        memcpy(store->bytes + store->used, (const char *)records + added, here);
        store->used += here;
        if (store->spilled && store->used == PIECE_BYTES)
            GS_TRY(gs_record_store_flush(store, err));
    }
cleanup:
    return st;
}

enum gs_status gs_record_store_spill(struct gs_record_store *store, const char *const *directories,
                                     size_t directory_count, struct gs_error *err)
{
    enum gs_status st;
    GS_TRY(gs_spill_open(&store->spill, directories, directory_count, GS_DIRECT_AUTO, err));
    store->spilled = true;
    GS_TRY(gs_record_store_flush(store, err));
    gs_record_store_drop(store);
cleanup:
    return st;
}

void gs_record_store_rewind(struct gs_record_store *store)
{
    store->next = 0;
    store->from = 0;
}

enum gs_status gs_record_store_read(struct gs_record_store *store, void *to, uint64_t room,
                                    uint64_t *got, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (*got = 0; *got < room && store->next < store->piece_count;) {
        const struct gs_stored_piece *piece = &store->pieces[store->next];
        const uint64_t left = piece->bytes - store->from;
        const uint64_t here = left < room - *got ? left : room - *got;
        GS_TRY(
            gs_spill_read(&store->spill, &piece->place, store->from, (char *)to + *got, here, err));
        *got += here;
        store->from += here;
        if (here == left) {
            store->next++;
            store->from = 0;
        }
    }
cleanup:
    return st;
}

void gs_record_store_drop(struct gs_record_store *store)
{
    gs_pages_free(store->bytes, store->room);
    store->bytes = NULL;
    store->used = store->room = 0;
}

void gs_record_store_close(struct gs_record_store *store)
{
    gs_record_store_drop(store);
    if (store->spilled)
        gs_spill_close(&store->spill);
    free(store->pieces);
}

/* record_store.c -- records in memory, in the order in which they came.
 * SPDX-License-Identifier: MIT
 */
#include "sort/library/record_store.h"

#include "common/memory/memory.h"

#include <string.h>

/* The first room. */
#define LEAST_BYTES ((size_t)64 << 10)

/* Only pages that are touched count, so there may be room for twice as many bytes. */
enum gs_status gs_record_store_make_room(struct gs_record_store *store, size_t bytes,
                                         struct gs_error *err)
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

enum gs_status gs_record_store_add(struct gs_record_store *store, const void *records,
                                   uint64_t bytes, struct gs_error *err)
{
    enum gs_status st;
    GS_TRY(gs_record_store_make_room(store, store->used + bytes, err));
    if (bytes > 0) /* records may be NULL if there are none */
        memcpy(store->bytes + store->used, records, bytes);
    store->used += bytes;
cleanup:
    return st;
}

void gs_record_store_drop(struct gs_record_store *store)
{
    gs_pages_free(store->bytes, store->room);
    store->bytes = NULL;
    store->used = store->room = 0;
}

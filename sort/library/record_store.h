/* record_store.h -- records in memory, in the order in which they came.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RECORD_STORE_H
#define GS_RECORD_STORE_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct gs_record_store {
    char *bytes;
    size_t used, room;
};

/* Add records. There must be memory for them, as far as the caller has promised. */
enum gs_status gs_record_store_add(struct gs_record_store *store, const void *records,
                                   uint64_t bytes, struct gs_error *err);

/* Make room for so many bytes; it has what was added. */
enum gs_status gs_record_store_make_room(struct gs_record_store *store, size_t bytes,
                                         struct gs_error *err);

/* They are no longer needed. */
void gs_record_store_drop(struct gs_record_store *store);

#endif

/* record_store.h -- records in the order in which they came: in memory, or in temporary files.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RECORD_STORE_H
#define GS_RECORD_STORE_H

#include "common/files/spill.h"

/* All zero: empty, and in memory. */
struct gs_record_store {
    char *bytes; /* in memory: all, or those that are not in temporary files yet */
    size_t used, room;
    bool spilled;
    struct gs_spill spill; /* if so: pieces, one after the other */
    struct gs_stored_piece {
        struct gs_place place;
        uint64_t bytes;
    } * pieces;
    size_t piece_count, piece_room;
    size_t next;   /* the piece to be read, */
    uint64_t from; /* and from which byte on */
};

/* Add records. In memory there must be room for them, as far as the caller has promised. */
enum gs_status gs_record_store_add(struct gs_record_store *store, const void *records,
                                   uint64_t bytes, struct gs_error *err);

/* Move them to temporary files, where all others will follow; and at last, all of them. */
enum gs_status gs_record_store_spill(struct gs_record_store *store, const char *const *directories,
                                     size_t directory_count, struct gs_error *err);
enum gs_status gs_record_store_flush(struct gs_record_store *store, struct gs_error *err);

/* Read them from temporary files, from the first one on. *got is less than room at the end. */
void gs_record_store_rewind(struct gs_record_store *store);
enum gs_status gs_record_store_read(struct gs_record_store *store, void *to, uint64_t room,
                                    uint64_t *got, struct gs_error *err);

/* Those in memory are no longer needed. */
void gs_record_store_drop(struct gs_record_store *store);
void gs_record_store_close(struct gs_record_store *store);

#endif

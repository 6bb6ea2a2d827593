/* external_writer.h -- write a chunk to temporary files while the next one is read and split.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_WRITER_H
#define GS_EXTERNAL_WRITER_H

#include "sort/types/types.h"

#include "common/spill.h"

#include <pthread.h>

/* All zero: nothing is being written. */
struct gs_external_writer {
    struct gs_spill *spill;
    struct gs_place place; /* of the chunk */
    const gs_key *keys;
    uint64_t count;
    uint64_t begin_ns;
    unsigned running; /* threads */
    pthread_t threads[GS_SPILL_FILES];
    atomic_uint_fast64_t next;   /* key from which on nobody writes yet */
    atomic_uint_fast64_t end_ns; /* when the last piece was written */
    atomic_bool failed;
    struct gs_error error; /* the first one */
};

/* Find a place for these keys and begin to write them, by up to `threads` threads besides the
 * caller's. They must stay until they are written, and so must the writer. */
enum gs_status gs_external_writer_begin(struct gs_external_writer *writer, struct gs_spill *spill,
                                        const gs_key *keys, uint64_t count, unsigned threads,
                                        struct gs_error *err);

/* Wait until they are written. *row: how long that has taken, with no keys and bytes. */
enum gs_status gs_external_writer_end(struct gs_external_writer *writer, struct gs_stage_stats *row,
                                      struct gs_error *err);

/* Write no more than is under way, wait for that, and tell nothing. */
void gs_external_writer_stop(struct gs_external_writer *writer);

#endif

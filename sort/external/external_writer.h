/* external_writer.h -- write a chunk to temporary files while the next one is read and split.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_WRITER_H
#define GS_EXTERNAL_WRITER_H

#include "sort/external/external_level.h"
#include "sort/keys/params.h"
#include "sort/types/types.h"

#include "common/files/spill.h"

#include <pthread.h>

/* Keys that a thread gathers and writes at a time: they stay in its second-level cache meanwhile.
 */
#define GS_PIECE_KEYS GS_KEYS_IN((uint64_t)1024)

/* All zero: nothing is being written. */
struct gs_external_writer {
    struct gs_spill *spill;
    struct gs_level_chunk chunk; /* owns the starts of its rows only */
    uint64_t count;              /* keys to be written */
    uint64_t begin_ns;
    unsigned running; /* threads */
    pthread_t threads[GS_SPILL_FILES];
    atomic_uint_fast64_t next;   /* key from which on nobody writes yet */
    atomic_uint_fast64_t end_ns; /* when the last piece was written */
    atomic_bool failed;
    struct gs_error error; /* the first one */
};

/* Find a place for a chunk in rows and begin to write it, by up to `threads` threads besides the
 * caller's: sets chunk->place, and takes over chunk->rows, whose keys must stay until they are
 * written. So must the writer. */
enum gs_status gs_external_writer_begin(struct gs_external_writer *writer, struct gs_spill *spill,
                                        struct gs_level_chunk *chunk, unsigned threads,
                                        struct gs_error *err);

/* Wait until it is written. *row: how long that has taken, with no keys and bytes. */
enum gs_status gs_external_writer_end(struct gs_external_writer *writer, struct gs_stage_stats *row,
                                      struct gs_error *err);

/* Write no more than is under way, wait for that, and tell nothing. */
void gs_external_writer_stop(struct gs_external_writer *writer);

#endif

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

/* Entries that are gathered, and written or read, at a time: they stay in the second-level cache
 * meanwhile. */
uint64_t gs_piece_entries(const struct gs_entries *entries);

/* Free what the input of a chunk owns. */
void gs_chunk_input_free(struct gs_chunk_input *input);

/* All zero: nothing is being written. */
struct gs_external_writer {
    struct gs_spill *spill;
    const struct gs_entries *entries;
    struct gs_level_chunk chunk; /* owns the starts of its rows only */
    struct gs_chunk_input input; /* of records, from which they are fetched; owned */
    uint64_t count;              /* entries to be written, */
    uint64_t piece;              /* and how many at a time */
    bool sums;                   /* sum them up, */
    atomic_uint_fast64_t sum;    /* by gs_entries_checksum */
    uint64_t begin_ns;
    unsigned running; /* threads */
    pthread_t threads[GS_SPILL_FILES];
    atomic_uint_fast64_t next;   /* entry from which on nobody writes yet */
    atomic_uint_fast64_t end_ns; /* when the last piece was written */
    atomic_bool failed;
    struct gs_error error; /* the first one */
};

/* Find a place for a chunk in rows and begin to write it, by up to `threads` threads besides the
 * caller's: sets chunk->place, and takes over the input and chunk->rows, whose keys must stay until
 * they are written. So must the writer. */
enum gs_status gs_external_writer_begin(struct gs_external_writer *writer, struct gs_spill *spill,
                                        const struct gs_entries *entries,
                                        struct gs_level_chunk *chunk, struct gs_chunk_input *input,
                                        bool sums, unsigned threads, struct gs_error *err);

/* Wait until it is written; the input is there still, until the caller frees it. *row: how long
 * that has taken, with no keys and bytes. */
enum gs_status gs_external_writer_end(struct gs_external_writer *writer, struct gs_stage_stats *row,
                                      struct gs_error *err);

/* Write no more than is under way, wait for that, and tell nothing. */
void gs_external_writer_stop(struct gs_external_writer *writer);

#endif

/* shuffling.h -- a shuffle through temporary files: what dealing into chunks and emitting share.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SHUFFLING_H
#define GS_SHUFFLING_H

#include "sort/check/trail.h"
#include "sort/shuffle/dealing.h"
#include "sort/types/calls.h"

#include "common/files/spill.h"

/* Where bins begin in a chunk. */
struct gs_chunk_starts {
    uint32_t of[GS_SHUFFLE_BINS + 1];
};

#define GS_CHUNK_BLOCK ((uint64_t)4096)

/* A chunk begins with them, in whole blocks. */
#define GS_CHUNK_HEAD_BYTES                                                                        \
    ((sizeof(struct gs_chunk_starts) + GS_CHUNK_BLOCK - 1) / GS_CHUNK_BLOCK * GS_CHUNK_BLOCK)

struct gs_dealt_chunk {
    struct gs_place place;
    const uint32_t *starts; /* of the bins that are loaded, and behind them */
    uint64_t loaded;        /* the record of the buffer at which the first of them begins */
};

struct gs_shuffling {
    const struct gs_options *options;
    const struct gs_external *source;
    struct gs_sink *sink;
    struct gs_progress *progress;
    struct gs_stats *stats;
    struct gs_trail trail;
    struct gs_spill spill;
    struct gs_journal *journal; /* of complete chunks, or NULL */
    unsigned threads;
    unsigned bytes; /* of a record */
    uint64_t memory;
    uint64_t done; /* records dealt */
    struct gs_dealing *deal;
    struct gs_chunk_starts *head;
    char *from, *to; /* buffers of room_bytes: what is read, and what is dealt or fetched */
    uint64_t from_bytes, to_bytes;
    struct gs_dealt_chunk *chunks;
    size_t chunk_count, chunk_room;
    uint64_t totals[GS_SHUFFLE_BINS];
    uint64_t most;           /* of them */
    struct gs_dealing **own; /* [threads]: for bins that are dealt again */
    uint32_t *numbers;       /* [threads][2][most]: of records in the buffer */
};

enum gs_status gs_shuffle_no_memory(struct gs_error *err);

/* Have a buffer of so many bytes, its content is lost. */
enum gs_status gs_shuffle_need(char **buffer, uint64_t *room, uint64_t bytes, struct gs_error *err);

/* Keep the error of one of several threads. */
void gs_shuffle_keep(const struct gs_error *error, enum gs_status *st, struct gs_error *err);

/* Deal what is in memory, mapped or read, into chunks in temporary files. */
enum gs_status gs_shuffle_deal(struct gs_shuffling *all, struct gs_error *err);

/* Emit the bins of all chunks, as many at a time as fit. */
enum gs_status gs_shuffle_emit(struct gs_shuffling *all, struct gs_error *err);

/* Of so much memory, what groups take; the rest is for dealing. */
static inline uint64_t gs_shuffle_for_groups(uint64_t memory)
{
    return memory / 8 * 7;
}

#endif

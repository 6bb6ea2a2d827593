/* emit.h -- hand sorted pieces to the sink: in turn where order matters, at once where it does not.
 * SPDX-License-Identifier: MIT
 *
 * Pieces are numbered in the order of the output and begun in that order by whatever threads claim
 * them. A piece's position is known beforehand, except under options->unique, where it is the
 * number of keys kept before it: then begin waits until all earlier pieces have begun. For a stream
 * begin waits until all earlier pieces have ended, so writes never interleave. No deadlock: the
 * earliest piece not yet ended never waits, and threads claim pieces in ascending order.
 *
 * A thread that fails says so by gs_emit_fail, which wakes all others; the first error is kept.
 */
#ifndef GS_EMIT_H
#define GS_EMIT_H

#include "sort/gsort.h"

#include <pthread.h>

/* What a stream got so far: it cannot be read back, so it is followed for options->verify. */
struct gs_trail {
    uint64_t fingerprint;
    gs_key last; /* its last key, if it has any */
};

/* The stream is about to get these keys at `position`: are they still in order? In turn, by one
 * thread at a time. */
enum gs_status gs_trail_follow(struct gs_trail *trail, const struct gs_options *options,
                               const gs_key *keys, uint64_t count, uint64_t position,
                               struct gs_error *err);

/* All is written: did the stream get the keys with this fingerprint? */
enum gs_status gs_trail_prove(const struct gs_trail *trail, uint64_t expected,
                              struct gs_error *err);

/* A thread in gs_emit_begin whose piece's turn has not come. */
struct gs_emit_waiter {
    struct gs_emit_waiter *next;
    uint64_t piece, count;
    uint64_t position; /* where it lies, once that is known: */
    bool admitted;
    pthread_cond_t turn;
};

struct gs_emitter {
    struct gs_sink *sink;
    gs_key *staging; /* where a stream's pieces wait for their turn and leave with it, or NULL */
    const struct gs_options *options;
    pthread_mutex_t mutex;
    struct gs_emit_waiter *waiters; /* in no order, one a thread at most */
    uint64_t next_piece;            /* the piece whose turn is next */
    bool writing;                   /* a stream has got a part of the one before */
    uint64_t position;              /* keys emitted or reserved by earlier pieces */
    struct gs_trail trail;          /* where the sink is a stream */
    uint64_t dropped_sum;           /* fingerprint of duplicates left out (unique and verify) */
    uint64_t begin_ns;              /* when the first piece was begun, by gs_now_ns */
    bool past_cache; /* to the sink's memory: there is so much that it would not stay in cache */
    bool failed;
    struct gs_error error; /* the first failure */
};

/* Is it a file, say, that would become memory by map(), page by page? */
static inline bool gs_sink_maps(const struct gs_sink *sink)
{
    return sink->map != NULL && !sink->stream && sink->memory == NULL;
}

/* There is nothing to free in the end. */
void gs_emit_init(struct gs_emitter *emitter, const struct gs_options *options,
                  struct gs_sink *sink);

/* The output will have `count` keys: ask a stream for staging memory, if they keep their positions
 * and are enough to be worth it. */
void gs_emit_stage(struct gs_emitter *emitter, uint64_t count);

/* Make ascending keys what the output wants, in place: without duplicates (of options->unique), in
 * descending order (of ->reverse). Returns the keys left. */
uint64_t gs_emit_shape(struct gs_emitter *emitter, gs_key *keys, uint64_t count);

/* Before a piece's begin: copy it to the staging memory, if there is any and it is not there yet.
 * Returns where it is to be written from. */
const gs_key *gs_emit_place(const struct gs_emitter *emitter, const gs_key *keys, uint64_t count,
                            uint64_t planned);

/* Reserve count keys for a piece. planned is where it lies unless duplicates are dropped; *position
 * is where it really does. Every begin that returned GS_OK is followed by an end. */
enum gs_status gs_emit_begin(struct gs_emitter *emitter, uint64_t piece, uint64_t count,
                             uint64_t planned, uint64_t *position);
enum gs_status gs_emit_write(struct gs_emitter *emitter, const gs_key *keys, uint64_t count,
                             uint64_t position);
void gs_emit_end(struct gs_emitter *emitter);

/* Keep the first error and wake every thread that waits. */
void gs_emit_fail(struct gs_emitter *emitter, const struct gs_error *error);

/* The first error, or GS_OK. To be asked when all threads are done. */
enum gs_status gs_emit_result(struct gs_emitter *emitter, struct gs_error *err);

/* Note that duplicates with this fingerprint were left out elsewhere than in gs_emit_shape. */
void gs_emit_drop(struct gs_emitter *emitter, uint64_t fingerprint);

/* Has a stream got what was read? To be asked when all pieces have ended. expected is the
 * fingerprint of the input. */
enum gs_status gs_emit_prove(struct gs_emitter *emitter, uint64_t expected, struct gs_error *err);

#endif

/* emit.h -- hand sorted pieces to the sink: in turn where order matters, at once where it does not.
 * SPDX-License-Identifier: MIT
 *
 * Pieces are numbered in output order, and threads claim them in that order. A piece's position is
 * known beforehand, except under options->unique, where it is the number of keys kept before it:
 * then begin waits until all earlier pieces have begun. For a stream, begin waits until all earlier
 * pieces have ended, so that writes never interleave. There is no deadlock: the earliest piece that
 * has not ended never waits, and threads claim pieces in ascending order.
 *
 * A thread that fails calls gs_emit_fail, which wakes all others; the first error is kept.
 */
#ifndef GS_EMIT_H
#define GS_EMIT_H

#include "sort/check/trail.h"
#include "sort/keys/typed.h"
#include "sort/types/types.h"

#include <pthread.h>

/* The last key of an output so far, under options->unique: the first key of the next piece may have
 * to go, where keys have a payload or are merged. */
struct gs_last_key {
    gs_key key;
    bool known;
};

/* A thread in gs_emit_begin whose piece's turn has not come. */
struct gs_emit_waiter {
    struct gs_emit_waiter *next;
    uint64_t piece, count;
    const gs_key *keys;
    uint64_t position; /* the piece's position, valid if admitted */
    bool admitted;
    pthread_cond_t turn;
};

struct gs_emitter {
    struct gs_sink *sink;
    gs_key *staging; /* memory where a stream's pieces wait for their turn, or NULL; write() may
                      * give each piece's memory away */
    uint64_t staged_keys;
    const struct gs_options *options;
    const struct gs_progress *progress; /* which may be cancelled, or NULL */
    pthread_mutex_t mutex;
    struct gs_emit_waiter *waiters; /* in no order, at most one a thread */
    uint64_t next_piece;            /* the piece whose turn is next */
    bool writing;                   /* a stream's previous piece has begun and not ended */
    uint64_t position;              /* keys emitted or reserved by earlier pieces */
    struct gs_trail trail;          /* if the sink is a stream */
    struct gs_last_key own_last;    /* of the output, */
    struct gs_last_key *last;       /* or, if so set, of the one that it continues */
    uint64_t dropped_sum;           /* fingerprint of duplicates left out (unique and verify) */
    uint64_t begin_ns;              /* when the first piece began, by gs_now_ns */
    bool keeps_keys;        /* the sink takes keys and not records, whatever options->codec says */
    bool sorted_as_records; /* what lies at its place in the output's memory is records already */
    bool past_cache; /* copy to the sink's memory by non-temporal stores: the output is too long to
                      * stay in cache */
    bool failed;
    struct gs_error error; /* the first failure */
};

/* Can the sink still become memory by map(), such as a file? */
static inline bool gs_sink_maps(const struct gs_sink *sink)
{
    return sink->map != NULL && !sink->stream && sink->memory == NULL;
}

/* Does every key have a known place in the sink's memory? */
static inline bool gs_emit_in_place(const struct gs_emitter *emitter)
{
    return emitter->sink->memory != NULL && !emitter->options->unique;
}

/* Prepare an emitter; it needs no release. options and sink must outlive it. */
void gs_emit_init(struct gs_emitter *emitter, const struct gs_options *options,
                  struct gs_sink *sink);

/* The output will have `count` keys: ask a stream for staging memory, if positions are known
 * beforehand (not under options->unique) and there are enough keys to make it pay. */
void gs_emit_stage(struct gs_emitter *emitter, uint64_t count);

/* Turn ascending keys into what the output wants, in place: drop duplicates under options->unique,
 * reverse them under ->reverse. Returns the number of keys left. */
uint64_t gs_emit_shape(struct gs_emitter *emitter, gs_key *keys, uint64_t count);

/* To be called before gs_emit_begin: copy a piece to the staging memory, if there is any and the
 * piece is not there yet; with a codec, as records. Returns where to write it from. */
gs_key *gs_emit_place(const struct gs_emitter *emitter, gs_key *keys, uint64_t count,
                      uint64_t planned);

/* The bytes of a key in the sink's memory, as a number. */
gs_key gs_emit_record(const struct gs_emitter *emitter, gs_key key);

/* Reserve *count keys of the output for a piece. planned is its position if no duplicates are
 * dropped, *position its actual one. The caller follows each begin that returns GS_OK by an end.
 * keys are looked at under options->unique: *count is then one less if the first of them is to be
 * left out. NULL: none is. */
enum gs_status gs_emit_begin(struct gs_emitter *emitter, uint64_t piece, const gs_key *keys,
                             uint64_t *count, uint64_t planned, uint64_t *position);

/* The store door: with a codec, keys become records, in place where the sink is not memory. */
enum gs_status gs_emit_write(struct gs_emitter *emitter, gs_key *keys, uint64_t count,
                             uint64_t position);

/* The same for records. */
enum gs_status gs_emit_write_records(struct gs_emitter *emitter, const void *records,
                                     uint64_t count, uint64_t position);
void gs_emit_end(struct gs_emitter *emitter);

/* Keep the first error and wake every thread that waits. */
void gs_emit_fail(struct gs_emitter *emitter, const struct gs_error *error);

/* The first error, or GS_OK. To be called when all threads are done. */
enum gs_status gs_emit_result(struct gs_emitter *emitter, struct gs_error *err);

/* Note that duplicates with this fingerprint were left out elsewhere than in gs_emit_shape. */
void gs_emit_drop(struct gs_emitter *emitter, uint64_t fingerprint);

/* Under options->verify: GS_ERR_VERIFY unless a stream got the keys that were read. expected is the
 * input's fingerprint. To be called when all pieces have ended. */
enum gs_status gs_emit_prove(struct gs_emitter *emitter, uint64_t expected, struct gs_error *err);

#endif

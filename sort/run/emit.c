/* emit.c -- hand sorted pieces to the sink.
 * SPDX-License-Identifier: MIT
 */
#include "sort/run/emit.h"
#include "sort/keys/look_keys.h"
#include "sort/keys/order.h"
#include "sort/keys/fingerprint.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <inttypes.h>
#include <string.h>

/* The least keys to stage: writing fewer to a pipe takes no longer than staging them. */
#define STAGED_KEYS_MIN ((uint64_t)1 << 20)

void gs_emit_init(struct gs_emitter *emitter, const struct gs_options *options,
                  struct gs_sink *sink)
{
    *emitter =
        (struct gs_emitter){.sink = sink, .options = options, .mutex = PTHREAD_MUTEX_INITIALIZER};
    (void)gs_trail_open(&emitter->trail, options, gs_keys_look, sink, NULL); /* cannot fail */
    emitter->last = &emitter->own_last;
}

void gs_emit_drop(struct gs_emitter *emitter, uint64_t fingerprint)
{
    pthread_mutex_lock(&emitter->mutex);
    emitter->dropped_sum += fingerprint;
    pthread_mutex_unlock(&emitter->mutex);
}

uint64_t gs_emit_shape(struct gs_emitter *emitter, gs_key *keys, uint64_t count)
{
    const struct gs_options *options = emitter->options;
    const unsigned payload = gs_payload_bits(options);
    bool turn = options->reverse;
    if (options->unique) {
        uint64_t before = options->verify ? gs_fingerprint(keys, count) : 0;
        if (payload == 0) {
            count = gs_order_unique(keys, count);
        } else {
            count = gs_order_firsts(keys, count, payload, turn);
            turn = false;
        }
        if (options->verify)
            gs_emit_drop(emitter, before - gs_fingerprint(keys, count));
    }
    if (turn)
        gs_order_reverse(keys, count);
    return count;
}

void gs_emit_stage(struct gs_emitter *emitter, uint64_t count)
{
    struct gs_sink *sink = emitter->sink;
    const struct gs_options *options = emitter->options;
    /* Keys become records before they wait, so that others need not wait for that, unless they are
     * still to be looked at in their turn. */
    bool early = options->codec == NULL ||
                 (options->codec->record_bytes == sizeof(gs_key) && !options->verify);
    if (early && sink->stream && sink->map != NULL && !emitter->options->unique &&
        count >= STAGED_KEYS_MIN)
        emitter->staging = sink->map(sink, count, false);
    emitter->staged_keys = emitter->staging != NULL ? count : 0;
}

gs_key *gs_emit_place(const struct gs_emitter *emitter, gs_key *keys, uint64_t count,
                      uint64_t planned)
{
    if (emitter->staging == NULL)
        return keys;
    gs_key *place = emitter->staging + planned;
    if (keys == place && emitter->sorted_as_records)
        return place;
    if (emitter->options->codec != NULL)
        gs_codec_store(emitter->options->codec, keys, place, count);
    else if (keys != place)
        memcpy(place, keys, count * sizeof *keys);
    return place;
}

/* Does a piece have to wait for its turn at all? */
static bool takes_turns(const struct gs_emitter *emitter)
{
    return emitter->options->unique || emitter->sink->stream;
}

static void add_waiter(struct gs_emitter *emitter, struct gs_emit_waiter *waiter)
{
    waiter->next = emitter->waiters;
    emitter->waiters = waiter;
}

/* Remove and return the thread that waits for this piece's turn; NULL: none does. */
static struct gs_emit_waiter *take_waiter(struct gs_emitter *emitter, uint64_t piece)
{
    struct gs_emit_waiter **link = &emitter->waiters;
    while (*link != NULL && (*link)->piece != piece)
        link = &(*link)->next;
    struct gs_emit_waiter *found = *link;
    if (found != NULL)
        *link = found->next;
    return found;
}

/* Its turn has come: if its first key has the same value as the last one of the output, that was
 * the first of them, and this one goes. Called with the mutex held. */
static void follow_last(struct gs_emitter *emitter, struct gs_emit_waiter *waiter)
{
    const struct gs_options *options = emitter->options;
    struct gs_last_key *last = emitter->last;
    const unsigned payload = gs_payload_bits(options);
    if (!options->unique || waiter->count == 0 || waiter->keys == NULL)
        return;
    gs_key end = waiter->keys[waiter->count - 1];
    if (last->known && (last->key ^ waiter->keys[0]) >> payload == 0) {
        waiter->count--;
        if (options->verify)
            emitter->dropped_sum += gs_fingerprint(waiter->keys, 1);
    }
    *last = (struct gs_last_key){.key = end, .known = true};
}

/* Wake all threads whose turn has come. If each woke only the next one, the last of 16 would wait
 * for 16 wake-ups in a row. Called with the mutex held. */
static void admit_waiters(struct gs_emitter *emitter)
{
    struct gs_emit_waiter *waiter;
    while (!emitter->writing && (waiter = take_waiter(emitter, emitter->next_piece)) != NULL) {
        follow_last(emitter, waiter);
        waiter->position = emitter->position;
        waiter->admitted = true;
        emitter->position += waiter->count;
        emitter->next_piece++;
        emitter->writing = emitter->sink->stream;
        pthread_cond_signal(&waiter->turn);
    }
}

/* Wait for a piece's turn, or for a failure; returns its position. Called with the mutex held. */
static uint64_t await_turn(struct gs_emitter *emitter, uint64_t piece, const gs_key *keys,
                           uint64_t *count)
{
    struct gs_emit_waiter waiter = {
        .piece = piece, .keys = keys, .count = *count, .turn = PTHREAD_COND_INITIALIZER};
    add_waiter(emitter, &waiter);
    admit_waiters(emitter);
    while (!waiter.admitted && !emitter->failed)
        pthread_cond_wait(&waiter.turn, &emitter->mutex);
    if (!waiter.admitted)
        take_waiter(emitter, piece);
    pthread_cond_destroy(&waiter.turn);
    *count = waiter.count;
    return waiter.position;
}

static void cancel(struct gs_emitter *emitter)
{
    struct gs_error error = {.status = GS_OK};
    (void)gs_progress_check(emitter->progress, &error);
    gs_emit_fail(emitter, &error);
}

enum gs_status gs_emit_begin(struct gs_emitter *emitter, uint64_t piece, const gs_key *keys,
                             uint64_t *count, uint64_t planned, uint64_t *position)
{
    *position = planned;
    if (emitter->progress != NULL && gs_progress_check(emitter->progress, NULL) != GS_OK)
        cancel(emitter);
    pthread_mutex_lock(&emitter->mutex);
    if (emitter->begin_ns == 0)
        emitter->begin_ns = gs_now_ns();
    if (takes_turns(emitter))
        *position = await_turn(emitter, piece, keys, count);
    else
        emitter->position += *count;
    enum gs_status st = emitter->failed ? emitter->error.status : GS_OK;
    pthread_mutex_unlock(&emitter->mutex);
    return st;
}

/* Store records to memory that is not in cache, by way of a block that is. */
static void store_past_cache(const struct gs_codec *codec, const gs_key *keys, uint64_t count,
                             gs_key *to)
{
    enum { BLOCK_BYTES = 16384, BLOCK_KEYS = BLOCK_BYTES / sizeof(gs_key) };
    gs_key block[BLOCK_KEYS];
    for (uint64_t done = 0; done < count; done += BLOCK_KEYS) {
        uint64_t here = count - done < BLOCK_KEYS ? count - done : BLOCK_KEYS;
        gs_codec_store(codec, keys + done, block, here);
        gs_copy_past_cache(to + done, block, here * sizeof *block);
    }
}

/* Write to the sink's memory. A piece whose position is known beforehand is sorted there, and the
 * thread that sorts it calls the sink's make() and write(). Under options->unique the position is
 * not known before, so both are called here. */
static enum gs_status copy_to_memory(const struct gs_emitter *emitter, const gs_key *keys,
                                     uint64_t count, uint64_t position, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_sink *sink = emitter->sink;
    gs_key *to = gs_sink_keys(sink) + position;
    bool tells = emitter->options->unique && sink->make != NULL;
    if (tells)
        GS_TRY(sink->make(sink, count, position, err));
    const struct gs_codec *codec = emitter->options->codec;
    if (keys == to && emitter->sorted_as_records)
        return GS_OK;
    if (codec != NULL && keys != to && emitter->past_cache)
        store_past_cache(codec, keys, count, to);
    else if (codec != NULL)
        gs_codec_store(codec, keys, to, count);
    else if (keys != to && emitter->past_cache)
        gs_copy_past_cache(to, keys, count * sizeof *keys);
    else if (keys != to)
        memcpy(to, keys, count * sizeof *keys);
    if (tells)
        st = sink->write(sink, to, count, position, err);
cleanup:
    return st;
}

/* Turn keys into records, in place. These may be shorter, and then go through a buffer. */
static void store_records(const struct gs_codec *codec, gs_key *keys, uint64_t count)
{
    enum { BLOCK_KEYS = 256 };
    char block[BLOCK_KEYS * sizeof(gs_key)];
    char *to = (char *)keys;
    if (codec->record_bytes == sizeof *keys) {
        gs_codec_store(codec, keys, keys, count);
        return;
    }
    for (uint64_t done = 0; done < count; done += BLOCK_KEYS) {
        uint64_t here = count - done < BLOCK_KEYS ? count - done : BLOCK_KEYS;
        gs_codec_store(codec, keys + done, block, here);
        memcpy(to, block, here * codec->record_bytes);
        to += here * codec->record_bytes;
    }
}

/* Do the keys lie where they wait for their turn, and so are records already? */
static bool is_staged(const struct gs_emitter *emitter, const gs_key *keys)
{
    return emitter->staging != NULL && keys >= emitter->staging &&
           keys < emitter->staging + emitter->staged_keys;
}

gs_key gs_emit_record(const struct gs_emitter *emitter, gs_key key)
{
    if (emitter->options->codec != NULL)
        gs_codec_store(emitter->options->codec, &key, &key, 1);
    return key;
}

enum gs_status gs_emit_write(struct gs_emitter *emitter, gs_key *keys, uint64_t count,
                             uint64_t position)
{
    struct gs_error err = {.status = GS_OK};
    enum gs_status st = GS_OK;
    struct gs_sink *sink = emitter->sink;
    if (count == 0)
        return GS_OK;
    if (sink->memory != NULL) {
        st = copy_to_memory(emitter, keys, count, position, &err);
    } else {
        if (emitter->options->codec != NULL && !emitter->keeps_keys && !is_staged(emitter, keys))
            store_records(emitter->options->codec, keys, count);
        return gs_emit_write_records(emitter, keys, count, position);
    }
    if (st != GS_OK)
        gs_emit_fail(emitter, &err);
    return st;
}

enum gs_status gs_emit_write_records(struct gs_emitter *emitter, const void *records,
                                     uint64_t count, uint64_t position)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_sink *sink = emitter->sink;
    /* In the piece's turn, so without a lock. */
    enum gs_status st = gs_trail_follow(&emitter->trail, records, count, position, &err);
    if (st == GS_OK)
        st = sink->write(sink, records, count, position, &err);
    if (st != GS_OK)
        gs_emit_fail(emitter, &err);
    return st;
}

void gs_emit_end(struct gs_emitter *emitter)
{
    if (!emitter->sink->stream)
        return;
    pthread_mutex_lock(&emitter->mutex);
    emitter->writing = false;
    admit_waiters(emitter);
    pthread_mutex_unlock(&emitter->mutex);
}

void gs_emit_fail(struct gs_emitter *emitter, const struct gs_error *error)
{
    pthread_mutex_lock(&emitter->mutex);
    if (!emitter->failed) {
        emitter->failed = true;
        emitter->error = *error;
    }
    for (struct gs_emit_waiter *waiter = emitter->waiters; waiter != NULL; waiter = waiter->next)
        pthread_cond_signal(&waiter->turn);
    pthread_mutex_unlock(&emitter->mutex);
}

enum gs_status gs_emit_result(struct gs_emitter *emitter, struct gs_error *err)
{
    if (!emitter->failed)
        return GS_OK;
    return gs_fail(err, emitter->error.status, 0, "%s", emitter->error.text);
}

enum gs_status gs_emit_prove(struct gs_emitter *emitter, uint64_t expected, struct gs_error *err)
{
    return gs_trail_prove(&emitter->trail, expected - emitter->dropped_sum, NULL, err);
}

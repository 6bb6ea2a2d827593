/* test_emit.c -- pieces reach the sink in turn, and a failure wakes every waiting thread.
 * SPDX-License-Identifier: MIT
 */
#include "sort/run/emit.h"
#include "tests/unit/check.h"
#include "sort/keys/fingerprint.h"

#include <string.h>
#include <unistd.h>

enum { PIECES = 500, THREADS = 4 };

static gs_key got[PIECES * 3];
static uint64_t got_count;
static uint64_t fail_after = UINT64_MAX;

static enum gs_status take(struct gs_sink *sink, const void *data, uint64_t count,
                           uint64_t position, struct gs_error *err)
{
    const gs_key *keys = data;
    if (got_count >= fail_after)
        return gs_fail(err, GS_ERR_OUTPUT, 0, "take: enough");
    memcpy(got + position, keys, (size_t)count * sizeof *keys);
    if (sink->stream)
        CHECK_EQUAL(position, got_count);
    got_count += count; /* no lock: if a stream's writes overlapped, the count would be wrong */
    return GS_OK;
}

struct team {
    struct gs_emitter emitter;
    atomic_uint_fast64_t next;
};

/* Piece p is one to three keys of the value p. */
static void *work(void *argument)
{
    struct team *team = argument;
    for (uint64_t piece; (piece = atomic_fetch_add(&team->next, 1)) < PIECES;) {
        gs_key keys[3] = {(gs_key)piece, (gs_key)piece, (gs_key)piece};
        uint64_t count = gs_emit_shape(&team->emitter, keys, 1 + piece % 3);
        uint64_t position;
        if (gs_emit_begin(&team->emitter, piece, keys, &count, 0, &position) != GS_OK)
            break;
        enum gs_status st = gs_emit_write(&team->emitter, keys, count, position);
        gs_emit_end(&team->emitter);
        if (st != GS_OK)
            break;
    }
    return NULL;
}

static enum gs_status run_team(const struct gs_options *options, struct gs_error *err)
{
    struct gs_sink sink = {.write = take, .stream = true};
    struct team team = {.next = 0};
    pthread_t threads[THREADS];
    got_count = 0;
    gs_emit_init(&team.emitter, options, &sink);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, &team);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    enum gs_status st = gs_emit_result(&team.emitter, err);
    return st;
}

/* A stream gets pieces in order, whichever thread has its piece ready first. */
static void test_stream_in_turn(void)
{
    struct gs_options options = {0};
    struct gs_error err = {.status = GS_OK};
    CHECK(run_team(&options, &err) == GS_OK);
    uint64_t position = 0;
    for (uint64_t piece = 0; piece < PIECES; piece++) {
        for (uint64_t i = 0; i < 1 + piece % 3; i++)
            CHECK_EQUAL(got[position++], piece);
    }
    CHECK_EQUAL(got_count, position);
}

/* Where duplicates are dropped, each piece moves up to the end of the one before. */
static void test_unique_closes_the_gaps(void)
{
    struct gs_options options = {.unique = true};
    struct gs_error err = {.status = GS_OK};
    CHECK(run_team(&options, &err) == GS_OK);
    CHECK_EQUAL(got_count, PIECES);
    for (uint64_t piece = 0; piece < PIECES; piece++)
        CHECK_EQUAL(got[piece], piece);
}

/* A failed write ends the sort with its error, also for threads that wait for their turn. */
static void test_failure_ends_all(void)
{
    struct gs_options options = {0};
    for (fail_after = 0; fail_after < 600; fail_after += 100) {
        struct gs_error err = {.status = GS_OK};
        CHECK(run_team(&options, &err) == GS_ERR_OUTPUT);
        CHECK(strcmp(err.text, "take: enough") == 0);
    }
    fail_after = UINT64_MAX;
}

/* Wait for the turn of the second piece, which never comes. */
static void *wait_for_turn(void *emitter)
{
    uint64_t position;
    return gs_emit_begin(emitter, 1, NULL, &(uint64_t){1}, 0, &position) == GS_ERR_INPUT ? emitter
                                                                                         : NULL;
}

/* A failure of a thread that has no turn wakes those that wait for theirs. */
static void test_failure_outside_a_turn(void)
{
    struct gs_options options = {0};
    struct gs_sink sink = {.write = take, .stream = true};
    struct gs_error failure = {GS_ERR_INPUT, "failure"};
    struct gs_emitter emitter;
    pthread_t waiting;
    void *woken = NULL;
    gs_emit_init(&emitter, &options, &sink);
    pthread_create(&waiting, NULL, wait_for_turn, &emitter);
    usleep(20000);
    gs_emit_fail(&emitter, &failure);
    pthread_join(waiting, &woken);
    CHECK(woken == &emitter);
    CHECK(emitter.waiters == NULL); /* it was on the stack of a thread that has ended */
}

/* The first error is the cause; those that follow from it must not hide it. */
static void test_first_error_is_kept(void)
{
    struct gs_options options = {0};
    struct gs_sink sink = {.write = take};
    struct gs_error err = {.status = GS_OK};
    struct gs_error first = {GS_ERR_INPUT, "first"};
    struct gs_error second = {GS_ERR_OUTPUT, "second"};
    struct gs_emitter emitter;
    gs_emit_init(&emitter, &options, &sink);
    CHECK(gs_emit_result(&emitter, &err) == GS_OK);
    gs_emit_fail(&emitter, &first);
    gs_emit_fail(&emitter, &second);
    CHECK(gs_emit_result(&emitter, &err) == GS_ERR_INPUT);
    CHECK(strcmp(err.text, "first") == 0);
}

/* --verify of a stream fails if its keys are out of order (fault 1) or not those read (fault 2). */
static void test_stream_is_proved(void)
{
    struct gs_options options = {.verify = true};
    struct gs_sink sink = {.write = take, .stream = true};
    gs_key keys[] = {1, 2, 3, 3};
    uint64_t position = 0;
    for (int fault = 0; fault < 3; fault++) {
        struct gs_error err = {.status = GS_OK};
        struct gs_emitter emitter;
        got_count = 0;
        gs_emit_init(&emitter, &options, &sink);
        CHECK(gs_emit_begin(&emitter, 0, keys, &(uint64_t){4}, 0, &position) == GS_OK);
        CHECK(gs_emit_write(&emitter, keys, 4, position) == GS_OK);
        gs_emit_end(&emitter);
        gs_key next = fault == 1 ? 2 : 4;
        CHECK(gs_emit_begin(&emitter, 1, &next, &(uint64_t){1}, 4, &position) == GS_OK);
        enum gs_status st = gs_emit_write(&emitter, &next, 1, position);
        CHECK(st == (fault == 1 ? GS_ERR_VERIFY : GS_OK));
        gs_emit_end(&emitter);
        uint64_t expected = gs_fingerprint(keys, 4) + gs_fingerprint(&(gs_key){4}, 1);
        if (fault != 1)
            CHECK(gs_emit_prove(&emitter, expected + (fault == 2), &err) ==
                  (fault == 2 ? GS_ERR_VERIFY : GS_OK));
    }
}

int main(void)
{
    test_stream_in_turn();
    test_unique_closes_the_gaps();
    test_failure_ends_all();
    test_failure_outside_a_turn();
    test_first_error_is_kept();
    test_stream_is_proved();
    return check_failures();
}

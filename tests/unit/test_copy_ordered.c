/* test_copy_ordered.c -- ordered keys are copied in either direction, disorder is never passed on.
 * SPDX-License-Identifier: MIT
 */
#include "sort/run/copy_ordered.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <stdlib.h>

enum { N = 10007, PIECE = 512, THREADS = 3 };

static gs_key *source;
static gs_key *changed; /* source of pieces that end behind change_at; NULL: no change */
static uint64_t change_at;
static gs_key output[N];

static enum gs_status fetch(void *context, unsigned thread, uint64_t first, uint64_t count,
                            gs_key *to, struct gs_error *err)
{
    (void)thread;
    const uint64_t *fail_at = context;
    if (first <= *fail_at && *fail_at < first + count)
        return gs_fail(err, GS_ERR_DEVICE, 0, "fetch: lost");
    const gs_key *now = changed != NULL && first + count > change_at ? changed : source;
    memcpy(to, now + first, (size_t)count * sizeof *to);
    return GS_OK;
}

static enum gs_status store(struct gs_sink *sink, const void *data, uint64_t count,
                            uint64_t position, struct gs_error *err)
{
    const gs_key *keys = data;
    (void)sink;
    if (position > N || count > N - position)
        return gs_fail(err, GS_ERR_INTERNAL, 0, "store: outside");
    memcpy(output + position, keys, (size_t)count * sizeof *keys);
    return GS_OK;
}

/* Copy count keys of `source`, which lie in descending order if `reversed`. The fetch of key
 * fail_at fails. *kept: number of keys that came out. */
static enum gs_status copy(uint64_t count, bool reversed, const struct gs_options *options,
                           uint64_t fail_at, uint64_t *kept, struct gs_error *err)
{
    struct gs_sink sink = {.write = store, .stream = options->verify};
    struct gs_progress progress = {.phase = NULL};
    struct gs_stats stats = {.keys_in = 0};
    struct gs_run run = {.options = options, .progress = &progress, .stats = &stats};
    gs_emit_init(&run.emitter, options, &sink);
    static _Alignas(64) gs_key scratch[THREADS * (PIECE + GS_ORDERED_LEAD)];
    const struct gs_error disorder = {GS_ERR_INPUT, "it changed"};
    struct gs_ordered ordered = {.reversed = reversed,
                                 .count = count,
                                 .fetch = fetch,
                                 .context = &fail_at,
                                 .disorder = &disorder,
                                 .stage = GS_STAGE_SORT_BINS,
                                 .device = GS_DEVICE_CPU,
                                 .piece_keys = PIECE,
                                 .scratch = scratch,
                                 .scratch_keys = PIECE + GS_ORDERED_LEAD,
                                 .threads = THREADS,
                                 .books_fetch = true};
    run.plan = (struct gs_plan){.count = count, .threads = THREADS};
    enum gs_status st = gs_copy_ordered(&run, &ordered, err);
    *kept = run.emitter.position;
    return st;
}

/* Ascending and descending input gives the right output in both directions, with all options. */
static void test_directions(void)
{
    static const uint64_t counts[] = {0, 1, 2, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, N};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (unsigned flags = 0; flags < 16; flags++) {
            struct gs_options options = {.key_bytes = GS_KEY_BYTES,
                                         .reverse = (flags & 1) != 0,
                                         .unique = (flags & 2) != 0,
                                         .verify = (flags & 4) != 0};
            bool reversed = (flags & 8) != 0;
            struct gs_error err = {.status = GS_OK};
            uint64_t kept = 0;
            uint64_t count = counts[c];
            source = sample_make(reversed ? SAMPLE_REVERSED : SAMPLE_SORTED, count);
            gs_key *wanted = sample_sorted(source, &count, options.reverse, options.unique);
            CHECK(copy(counts[c], reversed, &options, UINT64_MAX, &kept, &err) == GS_OK);
            CHECK_EQUAL(kept, count);
            if (!CHECK(memcmp(output, wanted, (size_t)count * sizeof *wanted) == 0))
                fprintf(stderr, "%" PRIu64 " keys, flags %u\n", counts[c], flags);
            free(source);
            free(wanted);
        }
    }
}

/* One key out of order is reported wherever it is, also at the seam between two pieces. */
static void test_disorder_is_noticed(void)
{
    static const uint64_t places[] = {1, 2, PIECE - 1, PIECE, PIECE + 1, 5 * PIECE, N - 1};
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        for (unsigned flags = 0; flags < 4; flags++) {
            struct gs_options options = {
                .key_bytes = GS_KEY_BYTES, .reverse = (flags & 1) != 0, .unique = (flags & 2) != 0};
            for (int reversed = 0; reversed < 2; reversed++) {
                struct gs_error err = {.status = GS_OK};
                uint64_t kept;
                source = sample_make(reversed ? SAMPLE_REVERSED : SAMPLE_SORTED, N);
                for (uint64_t i = 0; i < N; i++)
                    source[i] += 10;
                source[places[p]] = reversed ? GS_KEY_MAX : 0;
                CHECK(copy(N, reversed != 0, &options, UINT64_MAX, &kept, &err) == GS_ERR_INPUT);
                CHECK(strcmp(err.text, "it changed") == 0);
                free(source);
            }
        }
    }
}

/* Keys in order that are replaced by others in order during the copy: each piece is in order, so
 * only the seam between two pieces shows the change. */
static void test_change_is_noticed(void)
{
    for (change_at = PIECE; change_at < N; change_at += PIECE) {
        for (unsigned flags = 0; flags < 8; flags++) {
            struct gs_options options = {.key_bytes = GS_KEY_BYTES,
                                         .reverse = (flags & 1) != 0,
                                         .unique = (flags & 2) != 0,
                                         .verify = flags % 3 == 0};
            bool reversed = (flags & 4) != 0;
            struct gs_error err = {.status = GS_OK};
            uint64_t kept;
            source = sample_make(reversed ? SAMPLE_REVERSED : SAMPLE_SORTED, N);
            changed = sample_make(reversed ? SAMPLE_REVERSED : SAMPLE_SORTED, N);
            for (uint64_t i = 0; i < N; i++)
                (reversed ? changed : source)[i] += N;
            CHECK(copy(N, reversed, &options, UINT64_MAX, &kept, &err) == GS_ERR_INPUT);
            CHECK(strcmp(err.text, "it changed") == 0);
            free(source);
            free(changed);
        }
    }
    changed = NULL;
}

/* A failed fetch ends the copy with its error, and no thread waits for the missing piece. */
static void test_failed_fetch_ends_all(void)
{
    struct gs_options options = {.key_bytes = GS_KEY_BYTES, .threads = THREADS};
    source = sample_make(SAMPLE_SORTED, N);
    for (uint64_t at = 0; at < N; at += 999) {
        struct gs_error err = {.status = GS_OK};
        uint64_t kept;
        CHECK(copy(N, false, &options, at, &kept, &err) == GS_ERR_DEVICE);
        CHECK(strcmp(err.text, "fetch: lost") == 0);
    }
    free(source);
}

int main(void)
{
    test_directions();
    test_disorder_is_noticed();
    test_change_is_noticed();
    test_failed_fetch_ends_all();
    return check_failures();
}

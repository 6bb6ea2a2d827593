/* partial_guess.c -- guess the bound of a partial sort by a sample of its input.
 * SPDX-License-Identifier: MIT
 */
#include "sort/api/partial.h"
#include "sort/api/record_sample.h"

#include "common/clock.h"

#include <math.h>

/* Records in the sample for a guess, from so many records on that it is worth drawing it; and how
 * many standard deviations beyond the rank expected for the bound it is taken. */
#define SAMPLES      ((uint64_t)16384)
#define GUESS_MIN    ((uint64_t)1 << 20)
#define GUESS_BEYOND 5

/* A record of the sample goes to the room. */
static void take(void *context, uint64_t i, const char *record, uint64_t position)
{
    const struct gs_partial *partial = context;
    const unsigned bytes = gs_record_bytes(partial->options);
    (void)position;
    memcpy(partial->records + i * bytes, record, bytes);
}

enum gs_status gs_partial_guess(struct gs_partial *partial, const struct gs_span *spans,
                                uint64_t keys, struct gs_error *err)
{
    struct gs_options options = *partial->options;
    const uint64_t samples = SAMPLES < partial->room ? SAMPLES : partial->room;
    const double rank = (double)options.wanted.count / (double)keys * (double)samples;
    const uint64_t guess = (uint64_t)(rank + GUESS_BEYOND * (sqrt(rank) + 1));
    struct gs_stats stats;
    if (keys < GUESS_MIN || keys / 2 < partial->room || guess >= samples ||
        options.wanted.count == 0)
        return GS_OK;
    options.index_bytes = 0;
    options.unique = options.verify = false;
    options.own.incoming = NULL;
    const uint64_t begin = gs_now_ns();
    const struct gs_span sample = {.keys = partial->records, .count = samples, .name = "-"};
    struct gs_room_sink to = gs_room_sink(partial->sorted, gs_record_bytes(&options));
    gs_sample_draw(spans, to.bytes, keys, samples, take, partial);
    const enum gs_status st =
        gs_width(&options)->sort(&options, &sample, 1, &to.sink, NULL, &stats, err);
    if (st == GS_OK)
        gs_partial_bound(partial, partial->sorted,
                         options.wanted.end == GS_WANTED_TAIL ? samples - 1 - guess : guess);
    partial->guessed = st == GS_OK;
    const struct gs_stage_stats row =
        gs_stage_since(begin, samples, samples * gs_record_bytes(&options));
    gs_stage_add(&partial->stats.stages[GS_STAGE_SELECT_SAMPLES], &row);
    return st;
}

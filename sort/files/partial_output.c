/* partial_output.c -- --head and --tail: sort only what the output will have.
 * SPDX-License-Identifier: MIT
 *
 * Inputs are read once, in their order, mapped ones as pipes, and what the partial sort keeps of
 * them is in memory. Where that has no room, or most is wanted, all is sorted, and the sink takes
 * what is wanted of it (output_sink.c).
 */
#include "sort/files/partial_output.h"

#include "sort/files/ahead.h"
#include "sort/files/each_record.h"
#include "sort/files/output_sink.h"
#include "sort/files/work.h"
#include "sort/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Bytes that are read of a pipe, or taken of a file, before they are looked at. */
#define PIECE_BYTES ((size_t)32 << 20)

/* If more than one in so many records is wanted, all are sorted. */
#define WANTED_PART 4

uint64_t gs_wanted_of(const struct gs_options *options, uint64_t keys)
{
    const struct gs_wanted *wanted = &options->wanted;
    return wanted->end != GS_WANTED_ALL && wanted->count < keys ? wanted->count : keys;
}

enum gs_status gs_partial_choose(const struct gs_options *options, uint64_t memory_bytes,
                                 uint64_t keys, bool pending, bool *partial, struct gs_error *err)
{
    static const struct gs_wanted all = {.end = GS_WANTED_ALL};
    const struct gs_wanted *wanted = options->shuffled ? &all : &options->wanted;
    const bool only = options->unique && wanted->end == GS_WANTED_TAIL;
    const uint64_t most = memory_bytes > PIECE_BYTES ? memory_bytes - PIECE_BYTES : memory_bytes;
    struct gs_forecast forecast = {.memory_bytes = 0};
    if (wanted->end != GS_WANTED_ALL)
        gs_partial_forecast(options, pending ? UINT64_MAX : keys, &forecast);
    const bool fits = forecast.memory_bytes <= most;
    *partial = wanted->end != GS_WANTED_ALL && fits &&
               (only || pending || wanted->count <= keys / WANTED_PART);
    if (!only || fits)
        return GS_OK;
    return gs_fail(err, GS_ERR_MEMORY, 0,
                   "--tail=%" PRIu64 ": with -u, memory for three times as many records is needed, "
                   "and only %" PRIu64 " MiB may be used (-S)",
                   wanted->count, memory_bytes >> 20);
}

/* What reads and keeps. */
struct reading {
    const struct gs_options *options;
    struct gs_partial *partial;
    struct gs_progress *progress;
    uint64_t keys; /* so far */
    enum gs_status st;
    struct gs_error *err;
};

static bool take(void *context, const struct gs_input *input, uint64_t index, const char *records,
                 uint64_t count)
{
    struct reading *reading = context;
    const struct gs_options *options = reading->options;
    (void)input;
    (void)index;
    reading->keys += count;
    reading->st = gs_width(options)->check_count(options, reading->keys, reading->err);
    if (reading->st == GS_OK)
        reading->st = gs_partial_add(reading->partial, records, count, reading->err);
    return reading->st == GS_OK;
}

static enum gs_status take_all(struct reading *reading, struct gs_inputs *inputs,
                               struct gs_error *err)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->list[i].size > 0 && !inputs->list[i].pending)
            gs_inputs_advise(inputs, inputs->list[i].bytes, inputs->list[i].size, MADV_SEQUENTIAL);
    reading->keys = 0;
    const enum gs_status st =
        gs_each_record(inputs, gs_record_bytes(reading->options), PIECE_BYTES, take, reading,
                       gs_stage_name(GS_STAGE_READ), reading->progress, err);
    return st != GS_OK ? st : reading->st;
}

/* Read everything; twice, if the first guess at what is wanted was wrong. */
static enum gs_status keep_wanted(struct reading *reading, struct gs_inputs *inputs,
                                  uint64_t *count, struct gs_error *err)
{
    enum gs_status st;
    struct gs_span *spans = NULL;
    bool again = true;
    if (!gs_inputs_pending(inputs)) {
        uint64_t keys;
        GS_TRY(gs_make_spans(inputs, gs_record_bytes(reading->options), &spans, &keys, err));
        GS_TRY(gs_partial_guess(reading->partial, spans, keys, err));
    }
    while (again) {
        GS_TRY(take_all(reading, inputs, err));
        GS_TRY(gs_partial_finish(reading->partial, count, &again, err));
    }
cleanup:
    free(spans);
    return st;
}

enum gs_status gs_partial_output(const struct gs_task *task, struct gs_inputs *inputs,
                                 struct gs_output *output, struct gs_progress *progress,
                                 struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    struct gs_options options = task->sort;
    const bool pending = gs_inputs_pending(inputs);
    const uint64_t keys = gs_inputs_bytes(inputs) / gs_record_bytes(&options);
    struct reading reading = {.options = &options, .progress = progress, .err = err};
    struct gs_output_sink to = gs_output_sink(output, &options, NULL);
    uint64_t count;
    options.own.leave_device = task->hooks.ends;
    GS_TRY(gs_partial_new(&reading.partial, &options, pending ? UINT64_MAX : keys, err));
    (void)gs_fetch_inputs(inputs);
    GS_TRY(keep_wanted(&reading, inputs, &count, err));
    gs_output_begin(output); /* its file position may be shared with an input's */
    GS_TRY(gs_output_reserve(output, count * gs_output_bytes(&options), err));
    gs_output_sink_expect(&to, count);
    gs_output_sink_choose(&to, count * gs_output_bytes(&options));
    gs_progress_enter(progress, gs_stage_name(GS_STAGE_WRITE), count);
    GS_TRY(gs_partial_write(reading.partial, &to.sink, stats, err));
cleanup:
    st = gs_output_sink_close(&to, st, stats, err);
    gs_partial_free(reading.partial);
    return st;
}

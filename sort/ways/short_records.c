/* short_records.c -- sort records of one or two bytes by counting how often each value occurs.
 * SPDX-License-Identifier: MIT
 *
 * They are counted and written as they are in files, not as the wider keys that stand for them.
 */
#include "sort/ways/short_records.h"
#include "sort/keys/fingerprint.h"
#include "sort/run/thread_work.h"
#include "sort/types/values.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <stdlib.h>

/* Bytes that are read before they are counted. */
#define READ_BYTES ((size_t)4 << 20)

/* The values, and what their counts add up to. */
struct tally {
    struct gs_values values;
    uint64_t counts[GS_VALUES_MAX];
};

static uint64_t fingerprint_of(const struct gs_codec *codec, uint16_t value)
{
    gs_key key;
    gs_codec_load(codec, &value, &key, 1);
    return gs_fingerprint(&key, 1);
}

/* Book the fingerprints of what was read, and of what is left out. */
static void book_fingerprints(struct gs_run *run, const struct tally *tally)
{
    const struct gs_codec *codec = run->options->codec;
    const struct gs_values *values = &tally->values;
    uint64_t kept = 0;
    for (uint32_t v = 0; v < 1U << 8 * codec->record_bytes; v++)
        if (tally->counts[v] > 0)
            run->fingerprint += tally->counts[v] * fingerprint_of(codec, (uint16_t)v);
    for (uint32_t i = 0; i < values->count; i++)
        kept +=
            (values->starts[i + 1] - values->starts[i]) * fingerprint_of(codec, values->values[i]);
    gs_emit_drop(&run->emitter, run->fingerprint - kept);
}

/* Write one piece of the output. */
static enum gs_status write_piece(struct gs_run *run, const struct gs_values *values,
                                  uint64_t piece, void *records, struct gs_thread_work *work)
{
    uint64_t first = piece * GS_VALUES_PIECE;
    uint64_t left = values->starts[values->count] - first;
    uint64_t count = left < GS_VALUES_PIECE ? left : GS_VALUES_PIECE;
    uint64_t position;
    uint64_t start = gs_now_ns();
    gs_values_write(values, first, count, records);
    enum gs_status st = gs_emit_begin(&run->emitter, piece, NULL, &count, first, &position);
    if (st != GS_OK)
        return st;
    st = gs_emit_write_records(&run->emitter, records, count, position);
    gs_emit_end(&run->emitter);
    work->write_ns += gs_now_ns() - start;
    work->keys_out += count;
    return st;
}

static void write_pieces(struct gs_run *run, const struct gs_values *values)
{
    const struct gs_error no_memory = {.status = GS_ERR_MEMORY, .text = "not enough memory"};
    const uint64_t count = values->starts[values->count];
    atomic_uint_fast64_t next = 0;
    gs_run_phase(run, GS_STAGE_WRITE, count);
#pragma omp parallel num_threads(run->plan.threads)
    {
        struct gs_thread_work work = {0};
        void *records = malloc(GS_VALUES_PIECE * values->record_bytes + 1);
        if (records == NULL)
            gs_emit_fail(&run->emitter, &no_memory);
        for (uint64_t piece; (piece = atomic_fetch_add(&next, 1)) * GS_VALUES_PIECE < count;) {
            if (records == NULL || write_piece(run, values, piece, records, &work) != GS_OK)
                break;
            atomic_fetch_add_explicit(&run->progress->done, GS_VALUES_PIECE, memory_order_relaxed);
        }
        free(records);
        gs_work_account(run, &work, run->plan.threads);
    }
}

/* Count records, which are not needed again. */
static enum gs_status count(struct gs_run *run, struct tally *tally, const void *records,
                            uint64_t number, struct gs_error *err)
{
    const uint32_t record_bytes = run->options->codec->record_bytes;
    uint64_t start = gs_now_ns();
    enum gs_status st =
        gs_values_count(records, number, record_bytes, (int)run->plan.threads, tally->counts, err);
    gs_run_account(run, GS_STAGE_COUNT_BINS, GS_DEVICE_CPU, gs_now_ns() - start, number,
                   number * record_bytes);
    run->plan.count += number;
    return st;
}

/* Count the records that are still to be read. */
static enum gs_status count_rest(struct gs_run *run, const struct gs_external *source,
                                 struct tally *tally, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint32_t record_bytes = run->options->codec->record_bytes;
    uint64_t got = 1;
    char *buffer = gs_pages_alloc(READ_BYTES);
    if (buffer == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to read");
    while (got > 0) {
        uint64_t start = gs_now_ns();
        GS_TRY(source->read(source->context, buffer, READ_BYTES / record_bytes, &got, err));
        gs_run_account(run, GS_STAGE_READ, GS_DEVICE_CPU, gs_now_ns() - start, got,
                       got * record_bytes);
        GS_TRY(count(run, tally, buffer, got, err));
        atomic_fetch_add(&run->progress->done, got);
    }
cleanup:
    gs_pages_free(buffer, READ_BYTES);
    return st;
}

/* Write all that was counted. */
static enum gs_status write_all(struct gs_run *run, struct tally *tally, struct gs_error *err)
{
    const struct gs_options *options = run->options;
    struct gs_format format = *options->format;
    format.reverse = options->reverse;
    gs_values_arrange(&tally->values, &format, options->unique, tally->counts);
    if (options->verify)
        book_fingerprints(run, tally);
    write_pieces(run, &tally->values);
    run->stats->bins = run->stats->equality_bins = tally->values.count;
    run->stats->equality_keys = run->plan.count;
    return gs_emit_result(&run->emitter, err);
}

enum gs_status gs_sort_short_records(struct gs_run *run, const struct gs_external *source,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct tally *tally = calloc(1, sizeof *tally);
    if (tally == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to count values");
    gs_run_phase(run, GS_STAGE_COUNT_BINS, run->plan.count);
    run->plan.count = 0;
    for (size_t i = 0; i < source->span_count; i++) {
        const struct gs_span *span = &source->spans[i];
        GS_TRY(count(run, tally, span->keys, span->count, err));
        if (source->advise != NULL && span->count > 0)
            source->advise(source->context, GS_USE_DONE, span->keys, span->count);
    }
    if (source->read != NULL)
        GS_TRY(count_rest(run, source, tally, err));
    st = write_all(run, tally, err);
cleanup:
    free(tally);
    return st;
}

enum gs_status gs_sort_short_source(const struct gs_options *options,
                                    const struct gs_external *source, struct gs_sink *sink,
                                    struct gs_progress *progress, struct gs_stats *stats,
                                    struct gs_error *err)
{
    enum gs_status st;
    struct gs_progress own_progress = {.phase = NULL};
    struct gs_run *run = calloc(1, sizeof *run); /* too large for a small stack */
    *stats = (struct gs_stats){.order = "none",
                               .engine = gs_engine_name(GS_ENGINE_SAMPLESORT),
                               .device = GS_DEVICE_CPU,
                               .device_text = "counting",
                               .reason = "records of one or two bytes are counted as they come"};
    if (run == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to count values");
    run->options = options;
    run->progress = progress != NULL ? progress : &own_progress;
    run->stats = stats;
    run->plan.threads = gs_threads(options);
    run->plan.memory_bytes = gs_values_memory(run->plan.threads);
    gs_emit_init(&run->emitter, options, sink);
    GS_TRY(gs_sort_short_records(run, source, err));
    st = gs_emit_prove(&run->emitter, run->fingerprint, err);
cleanup:
    gs_run_describe(run);
    free(run);
    return st;
}

/* short_records.c -- sort records of one or two bytes by counting how often each value occurs.
 * SPDX-License-Identifier: MIT
 *
 * They are counted and written as they are in files, not as the wider keys that stand for them.
 */
#include "sort/ways/short_records.h"
#include "sort/keys/fingerprint.h"
#include "sort/run/thread_work.h"

#include "common/clock.h"
#include "common/values.h"

#include <stdlib.h>

/* Records that a thread writes at a time. */
#define PIECE_RECORDS ((uint64_t)1 << 18)

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

/* Count all records of the input. */
static enum gs_status count_records(struct gs_run *run, struct tally *tally, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_options *options = run->options;
    struct gs_format format = *options->format;
    uint64_t start = gs_now_ns();
    gs_run_phase(run, GS_STAGE_COUNT_BINS, run->plan.count);
    for (size_t i = 0; i < run->tiles.span_count; i++)
        GS_TRY(gs_values_count(run->tiles.spans[i].keys, run->tiles.spans[i].count,
                               options->codec->record_bytes, (int)run->plan.threads, tally->counts,
                               err));
    format.reverse = options->reverse;
    gs_values_arrange(&tally->values, &format, options->unique, tally->counts);
    if (options->verify)
        book_fingerprints(run, tally);
    gs_run_account(run, GS_STAGE_COUNT_BINS, "cpu", gs_now_ns() - start, run->plan.count,
                   run->plan.count * options->codec->record_bytes);
cleanup:
    return st;
}

/* Write one piece of the output. */
static enum gs_status write_piece(struct gs_run *run, const struct gs_values *values,
                                  uint64_t piece, void *records, struct gs_thread_work *work)
{
    uint64_t first = piece * PIECE_RECORDS;
    uint64_t left = values->starts[values->count] - first;
    uint64_t count = left < PIECE_RECORDS ? left : PIECE_RECORDS;
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
        void *records = malloc(PIECE_RECORDS * values->record_bytes + 1);
        if (records == NULL)
            gs_emit_fail(&run->emitter, &no_memory);
        for (uint64_t piece; (piece = atomic_fetch_add(&next, 1)) * PIECE_RECORDS < count;) {
            if (records == NULL || write_piece(run, values, piece, records, &work) != GS_OK)
                break;
            atomic_fetch_add_explicit(&run->progress->done, PIECE_RECORDS, memory_order_relaxed);
        }
        free(records);
        gs_work_account(run, &work, run->plan.threads);
    }
}

enum gs_status gs_sort_short_records(struct gs_run *run, bool *sorted, struct gs_error *err)
{
    const struct gs_options *options = run->options;
    *sorted = false;
    if (run->tiles.codec == NULL || run->tiles.codec->record_bytes > 2 || run->plan.one_bin ||
        options->format == NULL || options->bins > 0 || options->samples > 0)
        return GS_OK;
    struct tally *tally = calloc(1, sizeof *tally);
    if (tally == NULL)
        return GS_OK; /* the caller falls back to another method */
    enum gs_status st = count_records(run, tally, err);
    if (st == GS_OK) {
        write_pieces(run, &tally->values);
        st = gs_emit_result(&run->emitter, err);
        run->stats->bins = run->stats->equality_bins = tally->values.count;
        run->stats->equality_keys = run->plan.count;
        *sorted = true;
    }
    free(tally);
    return st;
}

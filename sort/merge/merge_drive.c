/* merge_drive.c -- the threads of a merge, of keys or of records.
 * SPDX-License-Identifier: MIT
 */
#include "sort/merge/merge_drive.h"
#include "sort/types/key_text.h"

#include "common/clock.h"

#include <inttypes.h>
#include <stdio.h>

unsigned gs_merge_threads(const struct gs_options *options, uint64_t bytes_each)
{
    uint64_t threads = gs_threads(options);
    uint64_t fit = options->memory_bytes / bytes_each;
    if (options->memory_bytes > 0 && threads > fit)
        threads = fit;
    return threads > 0 ? (unsigned)threads : 1;
}

uint64_t gs_merge_memory(const struct gs_options *options, size_t span_count, uint64_t bytes_each)
{
    return gs_merge_threads(options, bytes_each) * bytes_each + span_count * GS_CUT_SPAN_BYTES;
}

void gs_merge_predict(const struct gs_options *options, size_t span_count, uint64_t count,
                      double seconds, uint64_t bytes_each, struct gs_forecast *forecast)
{
    *forecast = (struct gs_forecast){
        .engine = "merge",
        .device = GS_DEVICE_CPU,
        .reason = GS_MERGE_REASON,
        .seconds = (double)count * seconds / gs_merge_threads(options, bytes_each),
        .memory_bytes = gs_merge_memory(options, span_count, bytes_each)};
}

void gs_merge_open(struct gs_merge_drive *drive, const struct gs_options *emit_options,
                   struct gs_sink *sink, struct gs_progress *progress, struct gs_stats *stats)
{
    *stats = (struct gs_stats){
        .engine = "merge", .device = GS_DEVICE_CPU, .order = "none", .threads = drive->threads};
    snprintf(stats->reason, sizeof stats->reason, "%s", GS_MERGE_REASON);
    for (size_t i = 0; i < drive->span_count; i++)
        stats->keys_in += drive->spans[i].count;
    drive->stats = stats;
    drive->progress = progress != NULL ? progress : &drive->own_progress;
    gs_progress_enter(drive->progress, "merge", stats->keys_in);
    drive->emitter = &drive->own_emitter;
    gs_emit_init(drive->emitter, emit_options, sink);
    drive->emitter->progress = drive->progress;
}

void gs_merge_fail(struct gs_merge_drive *drive, enum gs_status status)
{
    struct gs_error error = {.status = status};
    gs_emit_fail(drive->emitter, &error);
}

/* Add ns of a thread's time to a stage. */
static void add_row(struct gs_merge_drive *drive, enum gs_stage stage, uint64_t ns)
{
    struct gs_stage_stats row = gs_stage_since(drive->begin_ns, 0, 0);
    row.ns = ns / drive->threads;
    gs_stage_add(&drive->stats->stages[stage], &row);
}

/* Cut the worker's next segment, under the lock; false: none is left, or an input is out of order.
 */
static bool cut_segment(struct gs_merge_drive *drive, struct gs_merge_worker *worker)
{
    if (gs_cut_done(&drive->cut))
        return false;
    gs_cut_next(&drive->cut, &worker->segment);
    if (worker->segment.count == 0)
        gs_merge_fail(drive, GS_ERR_INPUT);
    return worker->segment.count > 0;
}

void gs_merge_take(struct gs_merge_drive *drive, struct gs_merge_worker *worker)
{
    for (;;) {
        pthread_mutex_lock(&drive->lock);
        const bool more = cut_segment(drive, worker);
        pthread_mutex_unlock(&drive->lock);
        if (!more || drive->merge(drive, worker) != GS_OK)
            break;
        atomic_fetch_add(&drive->progress->done, worker->segment.count);
    }
    atomic_fetch_add(&drive->fingerprint, worker->fingerprint);
#pragma omp critical(gs_merge_account)
    {
        add_row(drive, GS_STAGE_SORT_BINS, worker->work.sort_ns);
        add_row(drive, GS_STAGE_WRITE, worker->work.write_ns);
    }
}

/* Report the first disorder of the first span that has one. */
static enum gs_status name_disorder(const struct gs_merge_drive *drive, struct gs_error *err)
{
    struct gs_options order = *drive->options;
    order.unique = false;
    order.threads = drive->threads;
    for (size_t i = 0; i < drive->span_count; i++) {
        const struct gs_span *span = &drive->spans[i];
        const uint64_t bad = drive->first_disorder(&order, span->keys, span->count, NULL);
        if (bad < span->count) {
            char text[GS_DISORDER_TEXT];
            const char *record = (const char *)span->keys + bad * gs_record_bytes(&order);
            gs_disorder_text(&order, record - gs_record_bytes(&order), record, text);
            return gs_fail(err, GS_ERR_INPUT, 0, "%s:%" PRIu64 ": disorder: %s", span->name, bad,
                           text);
        }
    }
    return gs_fail(err, GS_ERR_INPUT, 0, "an input changed while it was being merged");
}

static enum gs_status find_failure(struct gs_merge_drive *drive, struct gs_error *err)
{
    struct gs_error first = {.status = GS_OK};
    const enum gs_status st = gs_emit_result(drive->emitter, &first);
    if (st == GS_OK || first.text[0] != '\0')
        return st == GS_OK ? GS_OK : gs_fail(err, st, 0, "%s", first.text);
    if (st == GS_ERR_MEMORY)
        return gs_fail(err, st, 0, "not enough memory to merge %zu inputs", drive->span_count);
    return drive->first_disorder != NULL ? name_disorder(drive, err) : st;
}

enum gs_status gs_merge_run(struct gs_merge_drive *drive, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_stats *stats = drive->stats;
    struct gs_stage_stats *sort = &stats->stages[GS_STAGE_SORT_BINS];
    struct gs_stage_stats *write = &stats->stages[GS_STAGE_WRITE];
    pthread_mutex_init(&drive->lock, NULL);
    drive->begin_ns = gs_now_ns();
    stats->threads = drive->threads;
#pragma omp parallel num_threads(drive->threads)
    drive->run(drive);
    GS_TRY(find_failure(drive, err));
    stats->keys_out = drive->emitter->position;
    stats->fingerprint = drive->fingerprint - drive->emitter->dropped_sum;
    sort->keys = stats->keys_in;
    sort->bytes = stats->keys_in * drive->sort_bytes;
    write->keys = stats->keys_out;
    write->bytes = stats->keys_out * drive->write_bytes;
cleanup:
    return st;
}

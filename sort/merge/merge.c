/* merge.c -- merge keys that are already in order, from any number of inputs.
 * SPDX-License-Identifier: MIT
 *
 * A thread cuts a segment off all inputs, under a lock, and then works on it alone.
 */
#include "sort/merge/merge.h"
#include "sort/keys/typed.h"
#include "sort/types/key_text.h"
#include "sort/merge/merge_segment.h"
#include "sort/keys/order.h"

#include "common/clock.h"
#include "common/memory.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* Per thread: 1 GiB in 16 files took 0.43 s with two (Xeon, ext4, in the page cache). */
#define BYTES_PER_SECOND 1.2e9

/* Bytes of a thread's buffers, for segments of `room` keys. */
static uint64_t buffer_bytes(uint64_t room)
{
    return (GS_CACHE_SORT_SCRATCH + room + GS_SEGMENT_GAPS) * sizeof(gs_key);
}

/* Bytes of all that a thread allocates. */
static uint64_t worker_bytes(size_t span_count)
{
    uint64_t room = GS_SEGMENT_KEYS > span_count ? GS_SEGMENT_KEYS : span_count;
    return buffer_bytes(room) + span_count * sizeof(struct gs_part);
}

static unsigned choose_threads(const struct gs_options *options, size_t span_count)
{
    uint64_t threads = gs_threads(options);
    uint64_t fit = options->memory_bytes / worker_bytes(span_count);
    if (options->memory_bytes > 0 && threads > fit)
        threads = fit;
    return threads > 0 ? (unsigned)threads : 1;
}

uint64_t gs_merge_memory(const struct gs_options *options, size_t span_count)
{
    return choose_threads(options, span_count) * worker_bytes(span_count) +
           span_count * GS_CUT_SPAN_BYTES;
}

double gs_merge_seconds(const struct gs_options *options, uint64_t count)
{
    return (double)count * GS_KEY_BYTES / (BYTES_PER_SECOND * choose_threads(options, 1));
}

/* Report the first disorder of the first span that has one. */
static enum gs_status name_disorder(const struct gs_merge_shared *merge, struct gs_error *err)
{
    struct gs_options order = merge->order;
    order.threads = merge->threads;
    for (size_t i = 0; i < merge->span_count; i++) {
        const struct gs_span *span = &merge->cut.spans[i];
        uint64_t bad = gs_first_record_disorder(&order, span->keys, span->count, NULL);
        if (bad < span->count) {
            char text[GS_KEY_TEXT];
            gs_record_text(merge->options, gs_span_at(span, order.codec, bad), text);
            return gs_fail(err, GS_ERR_INPUT, 0, "%s:%" PRIu64 ": disorder: %s", span->name, bad,
                           text);
        }
    }
    return gs_fail(err, GS_ERR_INPUT, 0, "an input changed while it was being merged");
}

/* Take segments until none is left or some thread has failed. */
static void work(struct gs_merge_shared *merge, struct gs_merger *worker)
{
    for (;;) {
        pthread_mutex_lock(&merge->lock);
        bool done = gs_cut_done(&merge->cut);
        if (!done)
            gs_cut_next(&merge->cut, &worker->segment);
        pthread_mutex_unlock(&merge->lock);
        if (done)
            return;
        if (worker->segment.count == 0) {
            gs_merge_fail(merge, GS_ERR_INPUT);
            return;
        }
        if (gs_merge_segment(merge, worker) != GS_OK)
            return;
        atomic_fetch_add(&merge->progress->done, worker->segment.count);
    }
}

/* Add ns of a thread's time to a stage; all threads began at begin_ns. */
static void add_row(struct gs_stats *stats, enum gs_stage stage, uint64_t begin_ns, uint64_t ns,
                    uint64_t keys)
{
    struct gs_stage_stats row = gs_stage_since(begin_ns, keys, keys * GS_KEY_BYTES);
    row.ns = ns;
    gs_stage_add(&stats->stages[stage], &row);
}

/* Run all threads. Returns the fingerprint of the keys read. */
static uint64_t run_threads(struct gs_merge_shared *merge, char *memory, uint64_t bytes_each)
{
    uint64_t fingerprint = 0, begin = gs_now_ns();
#pragma omp parallel num_threads(merge->threads) reduction(+ : fingerprint)
    {
        char *own = memory + (size_t)omp_get_thread_num() * bytes_each;
        struct gs_merger worker = {.scratch = (gs_key *)(void *)own};
        worker.keys = worker.scratch + GS_CACHE_SORT_SCRATCH;
        worker.segment.parts = calloc(merge->span_count, sizeof *worker.segment.parts);
        if (worker.segment.parts == NULL)
            gs_merge_fail(merge, GS_ERR_MEMORY);
        else
            work(merge, &worker);
        free(worker.segment.parts);
        fingerprint += worker.fingerprint;
#pragma omp critical(gs_merge_account)
        {
            const struct gs_thread_work *did = &worker.work;
            add_row(merge->stats, GS_STAGE_SORT_BINS, begin, did->sort_ns / merge->threads, 0);
            add_row(merge->stats, GS_STAGE_WRITE, begin, did->write_ns / merge->threads,
                    did->keys_out);
        }
    }
    return fingerprint;
}

static enum gs_status find_failure(struct gs_merge_shared *merge, struct gs_error *err)
{
    struct gs_error ignored = {.status = GS_OK};
    enum gs_status st = gs_emit_result(&merge->emitter, &ignored);
    if (st == GS_OK || ignored.text[0] != '\0')
        return st == GS_OK ? GS_OK : gs_fail(err, st, 0, "%s", ignored.text);
    if (st == GS_ERR_MEMORY)
        return gs_fail(err, st, 0, "not enough memory for %zu inputs", merge->span_count);
    return name_disorder(merge, err);
}

/* The name of the method, for --stats. */
static const char *name_method(enum gs_merge_method method)
{
    static const char *const names[] = {[GS_MERGE_AVX2] = "AVX2", [GS_MERGE_AVX512] = "AVX-512"};
    return method == GS_MERGE_NONE ? gs_cache_sort_name() : names[method];
}

enum gs_status gs_merge(const struct gs_options *options, const struct gs_span *spans,
                        size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                        struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    struct gs_progress own_progress = {.phase = NULL};
    struct gs_merge_shared merge = {
        .options = options,
        .order = {.reverse = options->reverse, .threads = 1, .codec = options->codec},
        .span_count = span_count,
        .progress = progress != NULL ? progress : &own_progress,
        .stats = stats,
        .threads = choose_threads(options, span_count),
        .method = gs_merge_method(),
        .lock = PTHREAD_MUTEX_INITIALIZER};
    uint64_t bytes_each = 0;
    char *memory = NULL;
    *stats = (struct gs_stats){.engine = "merge",
                               .device = "cpu",
                               .device_text = name_method(merge.method),
                               .order = "none",
                               .threads = merge.threads,
                               .memory_bytes = gs_merge_memory(options, span_count)};
    snprintf(stats->reason, sizeof stats->reason, "a merge runs on the CPU");
    for (size_t i = 0; i < span_count; i++)
        stats->keys_in += spans[i].count;
    gs_progress_enter(merge.progress, "merge", stats->keys_in);
    gs_emit_init(&merge.emitter, options, sink);
    GS_TRY(gs_cut_open(&merge.cut, options->codec, spans, span_count, options->reverse,
                       GS_SEGMENT_KEYS, err));
    gs_emit_stage(&merge.emitter, stats->keys_in);
    bytes_each = buffer_bytes(merge.cut.room);
    memory = gs_pages_alloc(merge.threads * bytes_each);
    while (memory == NULL && merge.threads > 1) { /* where memory is short, fewer threads will do */
        merge.threads /= 2;
        memory = gs_pages_alloc(merge.threads * bytes_each);
    }
    stats->threads = merge.threads;
    if (memory == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to merge %zu inputs", span_count);
        goto cleanup;
    }
    uint64_t fingerprint = run_threads(&merge, memory, bytes_each);
    GS_TRY(find_failure(&merge, err));
    GS_TRY(gs_emit_prove(&merge.emitter, fingerprint, err));
    stats->keys_out = merge.emitter.position;
    stats->fingerprint = fingerprint - merge.emitter.dropped_sum;
    stats->bins = merge.cut.segments;
    stats->stages[GS_STAGE_SORT_BINS].keys = stats->keys_in;
    stats->stages[GS_STAGE_SORT_BINS].bytes = 2 * stats->keys_in * GS_KEY_BYTES;
cleanup:
    gs_cut_close(&merge.cut);
    gs_pages_free(memory, merge.threads * bytes_each);
    return st;
}

/* merge_records.c -- merge inputs of sorted records.
 * SPDX-License-Identifier: MIT
 *
 * A thread cuts a segment off all inputs, under a lock, and then works on it alone: it merges the
 * places of the records, and then copies those, which are still in cache, to the output. Each pair
 * of neighbouring records of an input is compared in the segment that has the second, so disorder
 * is never missed, even where it misled the search for a cut.
 */
#include "sort/wide/record_calls.h"
#include "sort/run/emit.h"
#include "sort/types/key_text.h"
#include "sort/tags/check_records.h"
#include "sort/wide/record_cut.h"
#include "sort/wide/record_tree.h"
#include "sort/tags/trail.h"
#include "sort/tags/record_fingerprint.h"

#include "common/clock.h"
#include "common/memory.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a segment: few enough to stay in the second-level cache, enough to make cutting, a few
 * cache misses per input, cheap. Records are written in blocks of as many. */
#define SEGMENT_BYTES ((uint64_t)1 << 20)

#define AHEAD 4  /* records that are under way while one is copied */
#define LINE  64 /* bytes of a cache line */

/* For forecasts, of a thread. */
#define BYTES_PER_SECOND 1e9

/* What the threads share. */
struct merging {
    const struct gs_options *options;
    struct gs_options emit_options; /* what the emitter has to know of them */
    struct gs_record_cut cut;       /* guarded by the lock */
    pthread_mutex_t lock;
    struct gs_emitter emitter;
    struct gs_record_trail trail; /* of the stream whose turn it is */
    struct gs_progress *progress;
    unsigned threads;
};

/* What one thread owns. */
struct merger {
    struct gs_record_segment segment;
    struct gs_record_tree tree;
    const char **places; /* [cut.room]: of the segment's records, in order */
    char *block;         /* of records: SEGMENT_BYTES, or one */
    uint64_t fingerprint;
    uint64_t sort_ns;
    uint64_t write_ns;
};

static uint64_t records_in_block(const struct gs_options *options)
{
    const uint64_t records = SEGMENT_BYTES / gs_record_bytes(options);
    return records > 0 ? records : 1;
}

/* Records of a segment. */
static uint64_t choose_room(const struct gs_options *options, size_t span_count)
{
    const uint64_t room = records_in_block(options);
    return room > 2 * span_count ? room : 2 * span_count;
}

/* Bytes of all that a thread allocates. */
static uint64_t merger_bytes(const struct gs_options *options, size_t span_count)
{
    const struct merger *merger = NULL;
    return choose_room(options, span_count) * sizeof *merger->places +
           records_in_block(options) * gs_record_bytes(options) +
           (span_count + 1) * (sizeof *merger->segment.parts + sizeof *merger->tree.runs +
                               sizeof *merger->tree.losers);
}

static unsigned choose_threads(const struct gs_options *options, size_t span_count)
{
    uint64_t threads = gs_threads(options);
    uint64_t fit = options->memory_bytes / merger_bytes(options, span_count);
    if (options->memory_bytes > 0 && threads > fit)
        threads = fit;
    return threads > 0 ? (unsigned)threads : 1;
}

uint64_t gs_records_merge_memory(const struct gs_options *options, size_t span_count)
{
    return choose_threads(options, span_count) * merger_bytes(options, span_count) +
           span_count * GS_RECORD_CUT_BYTES;
}

double gs_records_merge_seconds(const struct gs_options *options, uint64_t count)
{
    return (double)count * gs_record_bytes(options) /
           (BYTES_PER_SECOND * choose_threads(options, 1));
}

/* Tell the emitter of a failure, without text: that is found when all threads are done. */
static void fail_silently(struct merging *merging, enum gs_status status)
{
    struct gs_error error = {.status = status};
    gs_emit_fail(&merging->emitter, &error);
}

static bool merger_open(struct merger *merger, const struct merging *merging)
{
    const struct gs_options *options = merging->options;
    const size_t spans = merging->cut.span_count + 1;
    *merger = (struct merger){.tree = {.order = options->records, .reverse = options->reverse}};
    merger->segment.parts = calloc(spans, sizeof *merger->segment.parts);
    merger->tree.runs = calloc(spans, sizeof *merger->tree.runs);
    merger->tree.losers = calloc(spans, sizeof *merger->tree.losers);
    merger->places = malloc(merging->cut.room * sizeof *merger->places);
    merger->block = gs_pages_alloc(records_in_block(options) * gs_record_bytes(options));
    return merger->segment.parts != NULL && merger->tree.runs != NULL &&
           merger->tree.losers != NULL && merger->places != NULL && merger->block != NULL;
}

static void merger_close(struct merger *merger, const struct merging *merging)
{
    const struct gs_options *options = merging->options;
    free(merger->segment.parts);
    free(merger->tree.runs);
    free(merger->tree.losers);
    free(merger->places);
    gs_pages_free(merger->block, records_in_block(options) * gs_record_bytes(options));
}

/* Does the first record of a part follow the one before it in its span? */
static bool follows(const struct merging *merging, const struct gs_part *part, const char *first)
{
    if (part->first == 0)
        return true;
    int sign = gs_record_compare(merging->options->records,
                                 first - gs_record_bytes(merging->options), first);
    return merging->options->reverse ? sign >= 0 : sign <= 0;
}

/* Make the parts of a segment the runs of the tree; false: an input is out of order. */
static bool open_tree(const struct merging *merging, struct merger *merger)
{
    const struct gs_record_segment *segment = &merger->segment;
    const uint64_t bytes = gs_record_bytes(merging->options);
    for (size_t i = 0; i < segment->part_count; i++) {
        const struct gs_part *part = &segment->parts[i];
        const char *first = (const char *)merging->cut.spans[part->span].keys + part->first * bytes;
        if (!follows(merging, part, first))
            return false;
        merger->tree.runs[i] = (struct gs_record_run){first, first + part->count * bytes};
    }
    merger->tree.count = segment->part_count;
    gs_record_tree_open(&merger->tree);
    return segment->part_count > 0;
}

/* Put the places of a segment's records in order, under unique the first of each key. Returns their
 * number; GS_ERR_INPUT: an input is out of order. */
static enum gs_status merge_places(struct merging *merging, struct merger *merger, uint64_t *kept)
{
    const struct gs_options *options = merging->options;
    const uint64_t bytes = gs_record_bytes(options);
    uint64_t dropped_sum = 0;
    bool ordered = merger->segment.count > 0 && open_tree(merging, merger);
    *kept = 0;
    while (ordered) {
        const char *record = gs_record_tree_first(&merger->tree);
        if (record == NULL)
            break;
        const uint64_t sum = options->verify ? gs_records_fingerprint(record, bytes, 1) : 0;
        merger->fingerprint += sum;
        if (options->unique && *kept > 0 &&
            gs_record_same_keys(options->records, merger->places[*kept - 1], record))
            dropped_sum += sum;
        else if (*kept < merging->cut.room)
            merger->places[(*kept)++] = record;
        else
            ordered = false;
        ordered = ordered && gs_record_tree_next(&merger->tree);
    }
    gs_emit_drop(&merging->emitter, dropped_sum);
    return ordered ? GS_OK : GS_ERR_INPUT;
}

/* Copy records from their places. */
static void copy_records(const char *const *places, uint64_t count, uint64_t bytes, char *to)
{
    for (uint64_t i = 0; i < count; i++, to += bytes) {
        if (i + AHEAD < count)
            for (uint64_t at = 0; at < bytes; at += LINE)
                __builtin_prefetch(places[i + AHEAD] + at);
        memcpy(to, places[i], bytes);
    }
}

/* Write records in blocks to the sink; the first block has been copied if it is all of them. */
static enum gs_status write_blocks(struct merging *merging, const struct merger *merger,
                                   uint64_t kept, uint64_t position, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_sink *sink = merging->emitter.sink;
    const uint64_t room = records_in_block(merging->options);
    for (uint64_t done = 0, here; done < kept; done += here) {
        here = kept - done < room ? kept - done : room;
        if (kept > room)
            copy_records(merger->places + done, here, gs_record_bytes(merging->options),
                         merger->block);
        GS_TRY(gs_record_trail_follow(&merging->trail, merger->block, here, position + done, err));
        GS_TRY(sink->write(sink, merger->block, here, position + done, err));
    }
cleanup:
    return st;
}

/* Hand out the segment's records. */
static enum gs_status emit(struct merging *merging, struct merger *merger, uint64_t kept)
{
    struct gs_emitter *emitter = &merging->emitter;
    const struct gs_record_segment *segment = &merger->segment;
    const uint64_t bytes = gs_record_bytes(merging->options);
    char *memory = emitter->sink->memory;
    struct gs_error err = {.status = GS_OK};
    uint64_t position;
    const uint64_t start = gs_now_ns();
    /* Others need not wait for the copying. */
    if (memory == NULL && kept <= records_in_block(merging->options))
        copy_records(merger->places, kept, bytes, merger->block);
    enum gs_status st =
        gs_emit_begin(emitter, segment->index, NULL, &kept, segment->position, &position);
    if (st != GS_OK)
        return st;
    if (memory != NULL)
        copy_records(merger->places, kept, bytes, memory + position * bytes);
    else
        st = write_blocks(merging, merger, kept, position, &err);
    if (st != GS_OK)
        gs_emit_fail(emitter, &err);
    gs_emit_end(emitter);
    merger->write_ns += gs_now_ns() - start;
    return st;
}

static enum gs_status merge_segment(struct merging *merging, struct merger *merger)
{
    uint64_t kept;
    const uint64_t start = gs_now_ns();
    enum gs_status st = merge_places(merging, merger, &kept);
    merger->sort_ns += gs_now_ns() - start;
    if (st != GS_OK) {
        fail_silently(merging, st);
        return st;
    }
    return emit(merging, merger, kept);
}

/* Take segments until none is left or some thread has failed. */
static void work(struct merging *merging, struct merger *merger)
{
    for (;;) {
        pthread_mutex_lock(&merging->lock);
        bool done = gs_record_cut_done(&merging->cut);
        if (!done)
            gs_record_cut_next(&merging->cut, &merger->segment);
        pthread_mutex_unlock(&merging->lock);
        if (done || merge_segment(merging, merger) != GS_OK)
            return;
        atomic_fetch_add(&merging->progress->done, merger->segment.count);
    }
}

/* Add ns of a thread's time to a stage; all threads began at begin_ns. */
static void add_row(struct gs_stats *stats, enum gs_stage stage, uint64_t begin_ns, uint64_t ns)
{
    struct gs_stage_stats row = {
        .device = "cpu", .begin_ns = begin_ns, .end_ns = gs_now_ns(), .ns = ns};
    gs_stage_add(&stats->stages[stage], &row);
}

/* Run all threads. Returns the fingerprint of the records read. */
static uint64_t run_threads(struct merging *merging, struct gs_stats *stats)
{
    uint64_t fingerprint = 0;
    const uint64_t begin = gs_now_ns();
#pragma omp parallel num_threads(merging->threads) reduction(+ : fingerprint)
    {
        struct merger merger;
        if (merger_open(&merger, merging))
            work(merging, &merger);
        else
            fail_silently(merging, GS_ERR_MEMORY);
        merger_close(&merger, merging);
        fingerprint += merger.fingerprint;
#pragma omp critical(gs_merge_account)
        {
            add_row(stats, GS_STAGE_SORT_BINS, begin, merger.sort_ns / merging->threads);
            add_row(stats, GS_STAGE_WRITE, begin, merger.write_ns / merging->threads);
        }
    }
    return fingerprint;
}

/* Report the first disorder of the first span that has one. */
static enum gs_status name_disorder(const struct merging *merging, struct gs_error *err)
{
    struct gs_options order = *merging->options;
    order.unique = false;
    for (size_t i = 0; i < merging->cut.span_count; i++) {
        const struct gs_span *span = &merging->cut.spans[i];
        uint64_t bad = gs_records_first_disorder(&order, span->keys, span->count, NULL);
        if (bad < span->count) {
            char text[GS_KEY_TEXT];
            gs_record_text(&order, (const char *)span->keys + bad * gs_record_bytes(&order), text);
            return gs_fail(err, GS_ERR_INPUT, 0, "%s:%" PRIu64 ": disorder: %s", span->name, bad,
                           text);
        }
    }
    return gs_fail(err, GS_ERR_INPUT, 0, "an input changed while it was being merged");
}

static enum gs_status find_failure(struct merging *merging, struct gs_error *err)
{
    struct gs_error first = {.status = GS_OK};
    enum gs_status st = gs_emit_result(&merging->emitter, &first);
    if (st == GS_OK || first.text[0] != '\0')
        return st == GS_OK ? GS_OK : gs_fail(err, st, 0, "%s", first.text);
    if (st == GS_ERR_MEMORY)
        return gs_fail(err, st, 0, "not enough memory to merge %zu inputs",
                       merging->cut.span_count);
    return name_disorder(merging, err);
}

/* Note what was done, once no thread works any more. */
static void describe(const struct merging *merging, struct gs_stats *stats, uint64_t fingerprint)
{
    struct gs_stage_stats *rows = stats->stages;
    const uint64_t bytes = gs_record_bytes(merging->options);
    stats->keys_out = merging->emitter.position;
    stats->fingerprint = fingerprint - merging->emitter.dropped_sum;
    stats->bins = merging->cut.segments;
    rows[GS_STAGE_SORT_BINS].keys = stats->keys_in;
    rows[GS_STAGE_SORT_BINS].bytes = stats->keys_in * bytes;
    rows[GS_STAGE_WRITE].keys = stats->keys_out;
    rows[GS_STAGE_WRITE].bytes = 2 * stats->keys_out * bytes;
}

enum gs_status gs_records_merge(const struct gs_options *options, const struct gs_span *spans,
                                size_t span_count, struct gs_sink *sink,
                                struct gs_progress *progress, struct gs_stats *stats,
                                struct gs_error *err)
{
    enum gs_status st;
    struct gs_progress own_progress = {.phase = NULL};
    struct merging merging = {
        .options = options,
        .emit_options = {.unique = options->unique, .key_bytes = GS_KEY_BYTES},
        .progress = progress != NULL ? progress : &own_progress,
        .threads = choose_threads(options, span_count),
        .lock = PTHREAD_MUTEX_INITIALIZER};
    *stats = (struct gs_stats){.engine = "merge",
                               .device = "cpu",
                               .device_text = "tree of losers",
                               .order = "none",
                               .threads = merging.threads,
                               .memory_bytes = gs_records_merge_memory(options, span_count)};
    snprintf(stats->reason, sizeof stats->reason, "a merge runs on the CPU");
    for (size_t i = 0; i < span_count; i++)
        stats->keys_in += spans[i].count;
    gs_progress_enter(merging.progress, "merge", stats->keys_in);
    gs_emit_init(&merging.emitter, &merging.emit_options, sink);
    GS_TRY(gs_record_cut_open(&merging.cut, options, spans, span_count,
                              choose_room(options, span_count), err));
    GS_TRY(gs_record_trail_open(&merging.trail, options, sink, err));
    uint64_t fingerprint = run_threads(&merging, stats);
    GS_TRY(find_failure(&merging, err));
    describe(&merging, stats, fingerprint);
    st = gs_record_trail_prove(&merging.trail, stats, err);
cleanup:
    gs_record_trail_close(&merging.trail);
    gs_record_cut_close(&merging.cut);
    return st;
}

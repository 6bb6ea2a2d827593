/* merge_records.c -- merge inputs of sorted records.
 * SPDX-License-Identifier: MIT
 *
 * A thread merges the places of its segment's records, and then copies those, which are still in
 * cache, to the output. Each pair of neighbouring records of an input is compared in the segment
 * that has the second, so disorder is never missed, even where it misled the search for a cut.
 */
#include "sort/wide/record_calls.h"
#include "sort/merge/merge_drive.h"
#include "sort/check/check_records.h"
#include "sort/wide/record_tree.h"
#include "sort/check/trail.h"
#include "sort/check/record_fingerprint.h"

#include "common/clock.h"
#include "common/memory/memory.h"
#include "common/formats/record_copy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a segment: few enough to stay in the second-level cache, enough to make cutting, a few
 * cache misses per input, cheap. Records are written in blocks of as many. */
#define SEGMENT_BYTES ((uint64_t)1 << 20)

/* Records that lie in front of a block. */
#define BESIDE_BLOCK 3

#define AHEAD 4  /* records that are under way while one is copied */
#define LINE  64 /* bytes of a cache line */

#define COPIED 64 /* records that are copied, then compared */

/* For forecasts, of a thread: for a record, each time that the number of inputs doubles, and for
 * each byte. 256 MiB in 2 and 16 files take two 0.17 and 0.24 s in records of 24 bytes, 0.075 and
 * 0.09 in those of 100 (tests/bench/plan.sh). */
#define RECORD_SECONDS 17e-9
#define LOG_SECONDS    4.5e-9
#define BYTE_SECONDS   0.35e-9

/* What the threads share. */
struct merging {
    struct gs_merge_drive drive; /* the first member */
    struct gs_trail trail;       /* of the stream whose turn it is */
};

/* What one thread owns. */
struct merger {
    struct gs_merge_worker worker; /* the first member */
    struct gs_record_tree tree;
    const char **places; /* [cut.room]: of the segment's records, in order */
    char *memory;        /* for three records: the last of the block before, and bounds; then */
    char *block;         /* for others: SEGMENT_BYTES, or one */
};

static uint64_t records_in_block(const struct gs_options *options)
{
    const uint64_t records = SEGMENT_BYTES / gs_record_bytes(options);
    return records > 0 ? records : 1;
}

static size_t block_bytes(const struct gs_options *options)
{
    return (BESIDE_BLOCK + records_in_block(options)) * gs_record_bytes(options);
}

/* Bytes of all that a thread allocates. */
static uint64_t merger_bytes(const struct gs_options *options, size_t span_count)
{
    const struct merger *merger = NULL;
    return gs_cut_room(span_count, records_in_block(options)) * sizeof *merger->places +
           block_bytes(options) +
           (span_count + 1) * (sizeof *merger->worker.segment.parts + sizeof *merger->tree.runs +
                               sizeof *merger->tree.losers);
}

void gs_records_merge_forecast(const struct gs_options *options, size_t span_count, uint64_t count,
                               struct gs_forecast *forecast)
{
    const double record = RECORD_SECONDS + LOG_SECONDS * log2((double)span_count + 1) +
                          BYTE_SECONDS * gs_record_bytes(options);
    gs_merge_predict(options, span_count, count, record, merger_bytes(options, span_count),
                     forecast);
}

static bool merger_open(struct merger *merger, const struct merging *merging)
{
    const struct gs_options *options = merging->drive.options;
    const size_t spans = merging->drive.cut.span_count + 1;
    *merger = (struct merger){.tree = {.order = options->records, .reverse = options->reverse}};
    merger->worker.segment.parts = calloc(spans, sizeof *merger->worker.segment.parts);
    merger->tree.runs = calloc(spans, sizeof *merger->tree.runs);
    merger->tree.losers = calloc(spans, sizeof *merger->tree.losers);
    merger->places = malloc(merging->drive.cut.room * sizeof *merger->places);
    merger->memory = gs_pages_alloc(block_bytes(options));
    if (merger->memory != NULL) {
        const unsigned bytes = gs_record_bytes(options);
        merger->worker.segment.bounds[0].record = merger->memory;
        merger->worker.segment.bounds[1].record = merger->memory + bytes;
        merger->block = merger->memory + (size_t)BESIDE_BLOCK * bytes;
    }
    return merger->worker.segment.parts != NULL && merger->tree.runs != NULL &&
           merger->tree.losers != NULL && merger->places != NULL && merger->block != NULL;
}

static void merger_close(struct merger *merger, const struct merging *merging)
{
    const struct gs_options *options = merging->drive.options;
    free(merger->worker.segment.parts);
    free(merger->tree.runs);
    free(merger->tree.losers);
    free(merger->places);
    gs_pages_free(merger->memory, block_bytes(options));
}

/* Does the first record of a part follow the one before it in its span? */
static bool follows(const struct merging *merging, const struct gs_part *part, const char *first)
{
    if (part->first == 0)
        return true;
    int sign = gs_record_compare(merging->drive.options->records,
                                 first - gs_record_bytes(merging->drive.options), first);
    return merging->drive.options->reverse ? sign >= 0 : sign <= 0;
}

/* Make the parts of a segment the runs of the tree; false: an input is out of order. */
static bool open_tree(const struct merging *merging, struct merger *merger)
{
    const struct gs_segment *segment = &merger->worker.segment;
    const uint64_t bytes = gs_record_bytes(merging->drive.options);
    for (size_t i = 0; i < segment->part_count; i++) {
        const struct gs_part *part = &segment->parts[i];
        const char *first =
            (const char *)merging->drive.cut.spans[part->span].keys + part->first * bytes;
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
    const struct gs_options *options = merging->drive.options;
    const uint64_t bytes = gs_record_bytes(options);
    uint64_t dropped_sum = 0;
    bool ordered = open_tree(merging, merger);
    *kept = 0;
    while (ordered) {
        const char *record = gs_record_tree_first(&merger->tree);
        if (record == NULL)
            break;
        const uint64_t sum = options->verify ? gs_records_fingerprint(record, bytes, 1) : 0;
        merger->worker.fingerprint += sum;
        if (options->unique && *kept > 0 &&
            gs_record_same_keys(options->records, merger->places[*kept - 1], record))
            dropped_sum += sum;
        else if (*kept < merging->drive.cut.room)
            merger->places[(*kept)++] = record;
        else
            ordered = false;
        ordered = ordered && gs_record_tree_next(&merger->tree);
    }
    gs_emit_drop(merging->drive.emitter, dropped_sum);
    return ordered ? GS_OK : GS_ERR_INPUT;
}

/* Copy records from their places. */
static void copy_few(const char *const *places, uint64_t count, uint64_t ahead, uint64_t bytes,
                     char *to)
{
    for (uint64_t i = 0; i < count; i++, to += bytes) {
        if (i + AHEAD < ahead)
            for (uint64_t at = 0; at < bytes; at += LINE)
                __builtin_prefetch(places[i + AHEAD] + at);
        gs_record_copy(to, places[i], bytes);
    }
}

/* Copy records, a few at a time, and compare those while they are in the first-level cache. Are
 * they in order, within the bounds of the segment and, unless first, behind the record in front of
 * them? Else an input has changed. */
static bool copy_records(const struct merging *merging, const struct merger *merger,
                         const char *const *places, uint64_t count, bool first, char *to)
{
    const struct gs_options *options = merging->drive.options;
    const uint64_t bytes = gs_record_bytes(options);
    for (uint64_t done = 0, here; done < count; done += here) {
        char *copies = to + done * bytes;
        here = count - done < COPIED ? count - done : COPIED;
        copy_few(places + done, here, count - done, bytes, copies);
        if (gs_records_find_disorder(options, copies, first && done == 0 ? 1 : 0, here) < here)
            return false;
    }
    return count == 0 ||
           gs_cut_holds(&merging->drive.cut, &merger->worker.segment, to, to + (count - 1) * bytes);
}

/* Write records in blocks to the sink; one that is all of them has been copied and checked. */
static enum gs_status write_blocks(struct merging *merging, const struct merger *merger,
                                   uint64_t kept, uint64_t position, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_sink *sink = merging->drive.emitter->sink;
    const uint64_t bytes = gs_record_bytes(merging->drive.options);
    const uint64_t room = records_in_block(merging->drive.options);
    for (uint64_t done = 0, here; done < kept; done += here) {
        here = kept - done < room ? kept - done : room;
        if (done > 0)
            memcpy(merger->block - bytes, merger->block + (room - 1) * bytes, bytes);
        if (kept > room &&
            !copy_records(merging, merger, merger->places + done, here, done == 0, merger->block))
            return GS_ERR_INPUT;
        GS_TRY(gs_trail_follow(&merging->trail, merger->block, here, position + done, err));
        GS_TRY(sink->write(sink, merger->block, here, position + done, err));
    }
cleanup:
    return st;
}

/* Copy records to memory that the sink has. */
static enum gs_status write_in_place(const struct merging *merging, const struct merger *merger,
                                     uint64_t kept, uint64_t position)
{
    const uint64_t bytes = gs_record_bytes(merging->drive.options);
    char *to = (char *)merging->drive.emitter->sink->memory + position * bytes;
    return copy_records(merging, merger, merger->places, kept, true, to) ? GS_OK : GS_ERR_INPUT;
}

/* Hand out the segment's records. */
static enum gs_status emit(struct merging *merging, struct merger *merger, uint64_t kept)
{
    struct gs_emitter *emitter = merging->drive.emitter;
    const struct gs_segment *segment = &merger->worker.segment;
    const bool in_place = emitter->sink->memory != NULL;
    struct gs_error err = {.status = GS_OK};
    uint64_t position;
    const uint64_t start = gs_now_ns();
    /* Others need not wait for the copying. */
    if (!in_place && kept <= records_in_block(merging->drive.options) &&
        !copy_records(merging, merger, merger->places, kept, true, merger->block)) {
        gs_merge_fail(&merging->drive, GS_ERR_INPUT);
        return GS_ERR_INPUT;
    }
    enum gs_status st =
        gs_emit_begin(emitter, segment->index, NULL, &kept, segment->position, &position);
    if (st != GS_OK)
        return st;
    st = in_place ? write_in_place(merging, merger, kept, position)
                  : write_blocks(merging, merger, kept, position, &err);
    err.status = st;
    if (st != GS_OK)
        gs_emit_fail(emitter, &err);
    gs_emit_end(emitter);
    merger->worker.work.write_ns += gs_now_ns() - start;
    return st;
}

/* As merge of struct gs_merge_drive. */
static enum gs_status merge_segment(struct gs_merge_drive *drive, struct gs_merge_worker *worker)
{
    struct merging *merging = (struct merging *)drive;
    struct merger *merger = (struct merger *)worker;
    uint64_t kept;
    const uint64_t start = gs_now_ns();
    enum gs_status st = merge_places(merging, merger, &kept);
    worker->work.sort_ns += gs_now_ns() - start;
    if (st != GS_OK) {
        gs_merge_fail(drive, st);
        return st;
    }
    return emit(merging, merger, kept);
}

/* As compare of struct gs_cut_order. */
static int compare_records(const void *order, const void *a, const void *b)
{
    return gs_record_compare(order, a, b);
}

static void run_thread(struct gs_merge_drive *drive)
{
    struct merger merger;
    const struct merging *merging = (const struct merging *)drive;
    if (merger_open(&merger, merging))
        gs_merge_take(drive, &merger.worker);
    else
        gs_merge_fail(drive, GS_ERR_MEMORY);
    merger_close(&merger, merging);
}

enum gs_status gs_records_merge(const struct gs_options *options, const struct gs_span *spans,
                                size_t span_count, struct gs_sink *sink,
                                struct gs_progress *progress, struct gs_stats *stats,
                                struct gs_error *err)
{
    enum gs_status st;
    struct gs_format format = options->records->format;
    struct gs_record_order by_keys;
    format.stable = true;
    gs_record_order_init(&by_keys, &format);
    const struct gs_cut_order order = {.record_bytes = gs_record_bytes(options),
                                       .reverse = options->reverse,
                                       .unique = options->unique,
                                       .compare = compare_records,
                                       .context = options->unique ? &by_keys : options->records};
    const struct gs_options emit_options = {.unique = options->unique, .key_bytes = GS_KEY_BYTES};
    struct merging merging = {
        .drive = {.options = options,
                  .spans = spans,
                  .span_count = span_count,
                  .threads = gs_merge_threads(options, merger_bytes(options, span_count)),
                  .sort_bytes = gs_record_bytes(options),
                  .write_bytes = 2 * gs_record_bytes(options),
                  .run = run_thread,
                  .merge = merge_segment,
                  .first_disorder = gs_records_first_disorder}};
    gs_merge_open(&merging.drive, &emit_options, sink, progress, stats);
    stats->device_text = "tree of losers";
    stats->memory_bytes = gs_merge_memory(options, span_count, merger_bytes(options, span_count));
    GS_TRY(
        gs_cut_open(&merging.drive.cut, &order, spans, span_count, records_in_block(options), err));
    GS_TRY(gs_trail_open(&merging.trail, options, gs_records_look, sink, err));
    GS_TRY(gs_merge_run(&merging.drive, err));
    stats->bins = merging.drive.cut.segments;
    st = gs_trail_prove(&merging.trail, stats->fingerprint, stats, err);
cleanup:
    gs_trail_close(&merging.trail);
    gs_cut_close(&merging.drive.cut);
    return st;
}

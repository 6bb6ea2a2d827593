/* merge.c -- merge keys that are already in order, from any number of inputs.
 * SPDX-License-Identifier: MIT
 */
#include "sort/merge/merge.h"
#include "sort/merge/merge_segment.h"
#include "sort/keys/order.h"

#include "common/memory/memory.h"

#include <math.h>
#include <stdlib.h>

/* Of a thread for each key, and each time that the number of inputs doubles: 512 MiB in 2, 4, 16
 * and 64 files take two 0.11, 0.13, 0.16 and 0.24 s; of wider keys 256 MiB in 2 and 16 files 0.18
 * and 0.20 s, 0.15 in 2 (tests/bench/plan.sh). */
#define KEY_SECONDS (GS_BITS == 32 ? 1.1e-9 : GS_BITS == 64 ? 10e-9 : 17e-9)
#define LOG_SECONDS 0.4e-9

/* Keys of a segment of ordered runs: two of them are merged in 0.95 of the time that twice as many
 * keys take; of files, many of them in 1.1. */
#define ORDERED_KEYS (GS_SEGMENT_KEYS / 2)

/* Bytes of a thread's buffers, for segments of `room` keys. */
static uint64_t buffer_bytes(uint64_t room)
{
    return (GS_CACHE_SORT_SCRATCH + room + GS_SEGMENT_GAPS) * sizeof(gs_key);
}

/* Bytes of all that a thread allocates. */
static uint64_t worker_bytes(size_t span_count)
{
    return buffer_bytes(gs_cut_room(span_count, GS_SEGMENT_KEYS)) +
           span_count * sizeof(struct gs_part);
}

void gs_merge_forecast(const struct gs_options *options, size_t span_count, uint64_t count,
                       struct gs_forecast *forecast)
{
    const double key = KEY_SECONDS + LOG_SECONDS * log2((double)span_count + 1);
    gs_merge_predict(options, span_count, count, key, worker_bytes(span_count), forecast);
}

/* As compare of struct gs_cut_order. */
static int compare_keys(const void *codec, const void *a, const void *b)
{
    const gs_key first = gs_span_key(&(struct gs_span){.keys = a}, codec, 0);
    const gs_key second = gs_span_key(&(struct gs_span){.keys = b}, codec, 0);
    return (first > second) - (first < second);
}

static void run_thread(struct gs_merge_drive *drive)
{
    struct gs_merge_shared *merge = (struct gs_merge_shared *)drive;
    char *own = merge->memory + gs_cpu_thread() * merge->bytes_each;
    struct gs_merger merger = {.scratch = (gs_key *)(void *)own};
    merger.keys = merger.scratch + GS_CACHE_SORT_SCRATCH;
    merger.worker.segment.bounds[0].record = (char *)&merger.bounds[0];
    merger.worker.segment.bounds[1].record = (char *)&merger.bounds[1];
    merger.worker.segment.parts =
        calloc(drive->span_count + 1, sizeof *merger.worker.segment.parts);
    if (merger.worker.segment.parts == NULL)
        gs_merge_fail(drive, GS_ERR_MEMORY);
    else
        gs_merge_take(drive, &merger.worker);
    free(merger.worker.segment.parts);
}

/* The name of the method, for --stats. */
static const char *name_method(enum gs_merge_method method)
{
    static const char *const names[] = {[GS_MERGE_AVX2] = "AVX2", [GS_MERGE_AVX512] = "AVX-512"};
    return method == GS_MERGE_NONE ? gs_cache_sort_name() : names[method];
}

/* What any merge of keys has; spans are keys, or records of the codec. */
static struct gs_merge_shared merge_of(const struct gs_options *options,
                                       const struct gs_codec *codec, const struct gs_span *spans,
                                       size_t span_count, unsigned threads)
{
    return (struct gs_merge_shared){
        .drive = {.options = options,
                  .spans = spans,
                  .span_count = span_count,
                  .threads = threads,
                  .sort_bytes = 2 * GS_KEY_BYTES,
                  .write_bytes = GS_KEY_BYTES,
                  .run = run_thread,
                  .merge = gs_merge_segment},
        .codec = codec,
        .order = {.reverse = options->reverse, .threads = 1, .codec = codec},
        .method = gs_merge_method()};
}

/* Merge, with memory for as many threads as there is some for. */
static enum gs_status run_merge(struct gs_merge_shared *merge, const bool *backwards,
                                uint64_t segment_keys, struct gs_error *err)
{
    enum gs_status st;
    struct gs_merge_drive *drive = &merge->drive;
    const size_t span_count = drive->span_count;
    const struct gs_codec *codec = merge->codec;
    const struct gs_cut_order order = {.record_bytes =
                                           codec != NULL ? codec->record_bytes : GS_KEY_BYTES,
                                       .reverse = drive->options->reverse,
                                       .compare = compare_keys,
                                       .context = codec,
                                       .backwards = backwards};
    GS_TRY(gs_cut_open(&drive->cut, &order, drive->spans, span_count, segment_keys, err));
    merge->bytes_each = buffer_bytes(drive->cut.room);
    merge->memory = gs_pages_alloc(drive->threads * merge->bytes_each);
    while (merge->memory == NULL && drive->threads > 1) { /* with little memory, fewer will do */
        drive->threads /= 2;
        merge->memory = gs_pages_alloc(drive->threads * merge->bytes_each);
    }
    if (merge->memory == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to merge %zu inputs", span_count);
        goto cleanup;
    }
    GS_TRY(gs_merge_run(drive, err));
    drive->stats->bins = drive->cut.segments;
cleanup:
    gs_cut_close(&drive->cut);
    gs_pages_free(merge->memory, drive->threads * merge->bytes_each);
    return st;
}

enum gs_status gs_merge(const struct gs_options *options, const struct gs_span *spans,
                        size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                        struct gs_stats *stats, struct gs_error *err)
{
    struct gs_merge_shared merge = merge_of(options, options->codec, spans, span_count,
                                            gs_merge_threads(options, worker_bytes(span_count)));
    struct gs_merge_drive *drive = &merge.drive;
    drive->first_disorder = gs_first_record_disorder;
    gs_merge_open(drive, options, sink, progress, stats);
    stats->device_text = name_method(merge.method);
    stats->memory_bytes = gs_merge_memory(options, span_count, worker_bytes(span_count));
    gs_emit_stage(drive->emitter, stats->keys_in);
    const enum gs_status st = run_merge(&merge, NULL, GS_SEGMENT_KEYS, err);
    return st == GS_OK ? gs_emit_prove(drive->emitter, drive->fingerprint, err) : st;
}

enum gs_status gs_merge_ordered(struct gs_run *run, const struct gs_span *spans, size_t span_count,
                                const bool *backwards, struct gs_error *err)
{
    struct gs_stats stats = {.keys_in = run->plan.count};
    struct gs_merge_shared merge =
        merge_of(run->options, run->tiles.codec, spans, span_count, run->plan.threads);
    struct gs_merge_drive *drive = &merge.drive;
    drive->emitter = &run->emitter;
    drive->progress = run->progress;
    drive->stats = &stats;
    gs_run_phase(run, GS_STAGE_SORT_BINS, run->plan.count);
    const enum gs_status st = run_merge(&merge, backwards, ORDERED_KEYS, err);
    run->fingerprint += drive->fingerprint;
    run->stats->bins = stats.bins;
    for (int i = 0; i < GS_STAGES; i++)
        if (stats.stages[i].ns > 0)
            gs_run_account(run, (enum gs_stage)i, GS_DEVICE_CPU, stats.stages[i].ns,
                           stats.stages[i].keys, stats.stages[i].bytes);
    return st == GS_ERR_INPUT ? gs_tiles_fail_changed(&run->tiles, 0, run->plan.count, err) : st;
}

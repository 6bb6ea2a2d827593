/* combined_sort.c -- sort inputs larger than memory whose equal keys become one, and are many.
 * SPDX-License-Identifier: MIT
 *
 *   input --> chunk by chunk: sort in memory, combine --> runs --> merge, combine --> output
 *
 * A chunk is sorted as an input of its own, and what is left of it is a run (runs.h). Runs are
 * merged when their room is full, and at the end. So what goes to temporary files has been combined
 * with as much of the input as half a room holds when that is combined. In runs, records have
 * behind them what they stand for (combine.h). Equal keys are combined in the order of the input,
 * in which chunks, runs and what is made of them are.
 */
#include "sort/files/combined_sort.h"
#include "sort/files/combined_plan.h"
#include "sort/files/runs.h"

#include "common/memory/memory.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* More keys are not sorted by bins unless told to use them, which takes longer where many are equal
 * (sort/ways/shares.c). */
#define FEW_KEYS ((uint64_t)1 << 16)
#define BIN_KEYS ((uint64_t)1 << 12)

/* The largest packet that a read may get: more than a socket's buffer takes by default. */
#define PACKET_BYTES ((uint64_t)256 << 10)

struct combining {
    struct gs_sink sink; /* of the run that is being written; the first member */
    const struct gs_task *task;
    const struct gs_external *source;
    struct gs_options chunk; /* of the sort of a chunk, */
    struct gs_options parts; /* and of the runs */
    struct gs_record_order order;
    struct gs_combiner *combiner; /* in front of the run, or NULL */
    struct gs_runs runs;
    struct gs_span *spans; /* of the chunk */
    uint64_t held_bytes;   /* anonymous memory that the input still occupies */
    struct gs_progress *progress;
    struct gs_stats *stats;
};

/* ---- runs ---- */

static enum gs_status append(void *context, const void *records, uint64_t count, uint64_t position,
                             struct gs_error *err)
{
    struct combining *all = context;
    (void)position;
    return gs_runs_append(&all->runs, records, count, err);
}

static enum gs_status write_run(struct gs_sink *sink, const void *records, uint64_t count,
                                uint64_t position, struct gs_error *err)
{
    struct combining *all = (struct combining *)sink;
    return all->combiner != NULL ? gs_combiner_add(all->combiner, records, count, err)
                                 : append(all, records, count, position, err);
}

/* Sort spans, or merge runs from `first` on, to a run that takes the place of those. */
static enum gs_status make_run(struct combining *all, const struct gs_span *spans, size_t count,
                               size_t first, struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const bool merges = first < all->runs.count;
    const struct gs_options *options = merges ? &all->parts : &all->chunk;
    uint64_t written;
    all->combiner = NULL;
    if (all->task->sort.own.combine != NULL) {
        all->combiner =
            gs_combiner_new(&all->task->sort, "temporary file",
                            (struct gs_combiner_parts){.in = merges, .out = true}, append, all);
        if (all->combiner == NULL)
            return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to combine records");
    }
    GS_TRY(merges ? gs_width(options)->merge(options, spans, count, &all->sink, NULL, stats, err)
                  : gs_width(options)->sort(options, spans, count, &all->sink, NULL, stats, err));
    if (all->combiner != NULL)
        GS_TRY(gs_combiner_end(all->combiner, &written, err));
    st = gs_runs_end(&all->runs, first, err);
cleanup:
    gs_combiner_free(all->combiner);
    return st;
}

static void list_runs(const struct gs_runs *runs, size_t first, struct gs_span spans[GS_RUNS_MAX])
{
    for (size_t i = first; i < runs->count; i++)
        spans[i - first] = runs->list[i].span;
}

/* Make room for one more run, about as large as the last one. */
static enum gs_status make_room(struct combining *all, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_runs *runs = &all->runs;
    struct gs_span spans[GS_RUNS_MAX];
    struct gs_stats stats;
    size_t first;
    uint64_t most;
    if (!gs_runs_are_full(runs, &first, &most))
        return GS_OK;
    GS_TRY(gs_runs_check(runs, first, err));
    GS_TRY(gs_runs_begin(runs, true, most, err));
    list_runs(runs, first, spans);
    st = make_run(all, spans, runs->count - first, first, &stats, err);
cleanup:
    return st;
}

/* Add what the sort of a chunk did. */
static void add_stats(struct gs_stats *sum, const struct gs_stats *chunk)
{
    for (int i = 0; i < GS_STAGES; i++)
        gs_stage_add(&sum->stages[i], &chunk->stages[i]);
    sum->keys_in += chunk->keys_in;
    sum->samples += chunk->samples;
    sum->bins += chunk->bins;
    sum->largest_bin =
        sum->largest_bin > chunk->largest_bin ? sum->largest_bin : chunk->largest_bin;
    sum->equality_bins += chunk->equality_bins;
    sum->equality_keys += chunk->equality_keys;
    sum->threads = sum->threads > chunk->threads ? sum->threads : chunk->threads;
    sum->engine = chunk->engine;
    sum->device = chunk->device;
    sum->device_text = chunk->device_text;
    snprintf(sum->reason, sizeof sum->reason, "%.160s; chunks are combined, then merged",
             chunk->reason);
}

static enum gs_status add_chunk(struct combining *all, const struct gs_span *spans, size_t count,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_stats stats;
    GS_TRY(make_room(all, err));
    GS_TRY(gs_runs_begin(&all->runs, false, UINT64_MAX, err));
    GS_TRY(make_run(all, spans, count, all->runs.count, &stats, err));
    add_stats(all->stats, &stats);
    atomic_fetch_add(&all->progress->done, stats.keys_in);
    st = gs_progress_check(all->progress, err);
cleanup:
    return st;
}

/* ---- the input ---- */

static uint64_t next_chunk(struct combining *all)
{
    struct gs_options *options = &all->chunk;
    const uint64_t fit = gs_combined_chunk(options, all->source->memory_bytes, all->held_bytes);
    if (options->records == NULL && all->task->sort.bins == 0)
        options->bins = fit > FEW_KEYS ? fit / BIN_KEYS : 0;
    return fit > GS_COMBINED_CHUNK_MIN ? fit : GS_COMBINED_CHUNK_MIN;
}

static void give_back(struct combining *all, const struct gs_span *spans, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t bytes = spans[i].count * gs_record_bytes(&all->chunk);
        all->held_bytes -= bytes < all->held_bytes ? bytes : all->held_bytes;
        if (all->source->advise != NULL && spans[i].count > 0)
            all->source->advise(all->source->context, GS_USE_DONE, spans[i].keys, spans[i].count);
    }
}

/* Combine what is in memory or mapped. */
static enum gs_status take_spans(struct combining *all, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t chunk = next_chunk(all);
    uint64_t left = chunk;
    size_t count = 0;
    for (size_t i = 0; i < all->source->span_count; i++) {
        struct gs_span rest = all->source->spans[i];
        while (rest.count > 0) {
            struct gs_span *here = &all->spans[count++];
            *here = rest;
            here->count = rest.count < left ? rest.count : left;
            rest.keys = (const char *)rest.keys + here->count * gs_record_bytes(&all->chunk);
            rest.count -= here->count;
            left -= here->count;
            if (left > 0)
                continue;
            GS_TRY(add_chunk(all, all->spans, count, err));
            give_back(all, all->spans, count);
            count = 0;
            left = chunk = all->held_bytes > 0 ? next_chunk(all) : chunk;
        }
    }
    if (count > 0)
        GS_TRY(add_chunk(all, all->spans, count, err));
    give_back(all, all->spans, count);
cleanup:
    return st;
}

/* Combine what is still to be read: a read needs room for a whole packet. */
static enum gs_status take_rest(struct combining *all, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t bytes = gs_record_bytes(&all->chunk);
    const uint64_t chunk = next_chunk(all);
    const uint64_t most = PACKET_BYTES / bytes + 1;
    const uint64_t packet = most < chunk / 2 ? most : chunk / 2;
    uint64_t more = 1;
    char *buffer = gs_pages_alloc(chunk * bytes);
    if (buffer == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to read");
    while (more > 0) {
        uint64_t got = 0;
        for (; chunk - got > packet && more > 0; got += more)
            GS_TRY(all->source->read(all->source->context, buffer + got * bytes, chunk - got, &more,
                                     err));
        const struct gs_span span = {.keys = buffer, .count = got, .name = "input"};
        if (got > 0)
            GS_TRY(add_chunk(all, &span, 1, err));
    }
cleanup:
    gs_pages_free(buffer, chunk * bytes);
    return st;
}

/* ---- all of it ---- */

/* In runs, records that are combined are parts; of those that are equal, all bytes but these say
 * which comes first. */
static void describe_parts(struct combining *all)
{
    const struct gs_combine *combine = all->task->sort.own.combine;
    all->parts = all->chunk;
    all->parts.memory_bytes = all->source->memory_bytes / GS_COMBINED_MERGE_SHARE;
    if (combine == NULL)
        return;
    struct gs_format format = combine->order.format;
    if (combine->order.part_count > combine->order.key_parts)
        format.keys[format.key_count++] = (struct gs_key_field){
            .type = {.kind = GS_TYPE_BYTES, .bytes = format.record_bytes, .big_endian = true}};
    format.stable = true;
    format.record_bytes = combine->part_bytes;
    format.element_bytes = 0;
    gs_record_order_init(&all->order, &format);
    all->parts.key_bytes = 16;
    all->parts.codec = NULL;
    all->parts.format = &all->order.format;
    all->parts.records = &all->order;
}

/* Merge the runs to the output. */
static enum gs_status write_all(struct combining *all, struct gs_output_sink *to,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_span spans[GS_RUNS_MAX];
    struct gs_stats merge;
    struct gs_stats *stats = all->stats;
    const struct gs_runs *runs = &all->runs;
    GS_TRY(gs_runs_check(runs, 0, err));
    list_runs(runs, 0, spans);
    to->parts.in = true;
    GS_TRY(gs_width(&all->parts)
               ->merge(&all->parts, spans, runs->count, &to->sink, all->progress, &merge, err));
    for (int i = 0; i < GS_STAGES; i++)
        gs_stage_add(&stats->stages[i], &merge.stages[i]);
    stats->keys_out = merge.keys_out;
    stats->fingerprint = merge.fingerprint;
    stats->summary = merge.summary;
    st = gs_runs_check(runs, 0, err);
cleanup:
    return st;
}

enum gs_status gs_combined_sort(const struct gs_task *task, const struct gs_external *source,
                                struct gs_output_sink *to, struct gs_progress *progress,
                                struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_progress own = {.phase = NULL};
    struct combining all = {.sink = {.write = write_run, .stream = true},
                            .task = task,
                            .source = source,
                            .chunk = gs_combined_options(&task->sort, source->memory_bytes),
                            .runs = {.directories = source->directories,
                                     .directory_count = source->directory_count,
                                     .room_bytes = source->memory_bytes / GS_COMBINED_ROOM_SHARE},
                            .held_bytes = source->held_bytes,
                            .progress = progress != NULL ? progress : &own,
                            .stats = stats};
    uint64_t total = 0;
    for (size_t i = 0; i < source->span_count; i++)
        total += source->spans[i].count;
    *stats = (struct gs_stats){.order = "none", .memory_bytes = source->memory_bytes};
    describe_parts(&all);
    all.runs.options = &all.parts;
    all.spans = calloc(source->span_count + 1, sizeof *all.spans);
    if (all.spans == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu inputs",
                       source->span_count);
    gs_progress_enter(all.progress, gs_stage_name(GS_STAGE_SORT_BINS),
                      source->read == NULL ? total : 0);
    GS_TRY(take_spans(&all, err));
    if (source->read != NULL)
        GS_TRY(take_rest(&all, err));
    st = write_all(&all, to, err);
cleanup:
    stats->temporary_bytes = all.runs.temporary_bytes;
    gs_runs_free(&all.runs);
    free(all.spans);
    return st;
}

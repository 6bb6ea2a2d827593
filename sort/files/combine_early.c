/* combine_early.c -- equal keys that become one do so before they go to temporary files.
 * SPDX-License-Identifier: MIT
 *
 *   input --> tables, one a thread --> sort in memory --> combine --> output
 *                     |
 *                     +-- whenever they are full --> external sort --> combine --> output
 *
 * A table has a part (combine.h) of each key that has come. Where they have room for all keys, that
 * is sorted in memory at the end; else they are an input that the external sort reads. Where keys
 * are many, and none are frequent, there are no tables: a part of each record is read instead. In
 * temporary files parts are combined whenever these grow (external_compact.c). Parts of a key are
 * combined in the order of the input.
 */
#include "sort/files/combine_early.h"
#include "sort/files/combine_plan.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that a thread takes at a time; with fewer in all, others are not worth waking. */
#define SLICE_BYTES ((uint64_t)64 << 10)

/* One thread's. */
struct worker {
    struct gs_part_table table;
    const char *rest; /* of a slice, when the table was full, */
    uint64_t left;    /* so many records */
    uint64_t handed;  /* parts that were handed on */
};

struct early {
    const struct gs_external *source;
    struct gs_combine_plan plan;
    struct gs_combining combining; /* of the external sort */
    struct worker *workers;
    size_t span;               /* of the source, the next one, */
    uint64_t taken;            /* and its records before the batch */
    const char *batch;         /* records that are being combined, */
    uint64_t count;            /* so many; 0: none */
    uint64_t made;             /* of those parts are made, without tables */
    bool given;                /* they are the caller's, and are given back */
    atomic_uint_fast64_t next; /* of them, that no thread has taken */
    char *buffer;              /* what is read, or NULL */
    uint64_t held_bytes;       /* memory that the input still occupies */
    uint64_t records;          /* of the input, so far */
    uint64_t handed;           /* parts, all in all */
    struct gs_stage_stats filling;
};

/* ---- combine ---- */

/* Memory for the table of each thread: less while the input takes that. */
static void set_limits(struct early *early)
{
    const uint64_t memory = early->source->memory_bytes;
    const uint64_t taken = early->held_bytes + early->plan.buffer_bytes;
    const uint64_t most = early->plan.tables_bytes;
    const uint64_t least = memory / GS_TABLES_LEAST;
    uint64_t bytes = memory > taken ? memory - taken : 0;
    bytes = bytes < least ? least : bytes < most ? bytes : most;
    for (unsigned i = 0; i < early->plan.threads; i++)
        early->workers[i].table.limit_bytes = bytes / early->plan.threads;
}

/* A buffer, of less than was planned if that is refused: two packets are enough. */
static enum gs_status need_buffer(struct early *early, struct gs_error *err)
{
    uint64_t *bytes = &early->plan.buffer_bytes;
    const uint64_t least = early->plan.form.record_bytes + GS_COMBINE_PACKET;
    while (early->buffer == NULL && (early->buffer = gs_pages_alloc(*bytes)) == NULL) {
        if (*bytes / 4 < least)
            return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to read");
        *bytes /= 2;
    }
    return GS_OK;
}

/* Fill the buffer, but for the room that a whole packet may want. */
static enum gs_status read_batch(struct early *early, struct gs_error *err)
{
    const uint64_t bytes = early->plan.form.record_bytes;
    const uint64_t most = GS_COMBINE_PACKET / bytes + 1;
    enum gs_status st = GS_OK;
    uint64_t more = 1;
    GS_TRY(need_buffer(early, err));
    const uint64_t room = early->plan.buffer_bytes / bytes;
    const uint64_t packet = most < room / 2 ? most : room / 2;
    early->given = false;
    early->batch = early->buffer;
    for (; st == GS_OK && room - early->count > packet && more > 0; early->count += more) {
        more = 0;
        st = early->source->read(early->source->context, early->buffer + early->count * bytes,
                                 room - early->count, &more, err);
    }
cleanup:
    return st;
}

/* The next records of the input: none at its end. */
static enum gs_status next_batch(struct early *early, struct gs_error *err)
{
    const struct gs_external *source = early->source;
    const uint64_t bytes = early->plan.form.record_bytes;
    const uint64_t most = source->memory_bytes / GS_BATCH_SHARE / bytes + 1;
    early->count = 0;
    atomic_store(&early->next, 0);
    for (; early->span < source->span_count; early->span++, early->taken = 0) {
        const struct gs_span *span = &source->spans[early->span];
        const uint64_t left = span->count - early->taken;
        if (left == 0)
            continue;
        early->given = true;
        early->batch = (const char *)span->keys + early->taken * bytes;
        early->count = left < most ? left : most;
        early->taken += early->count;
        return GS_OK;
    }
    return source->read != NULL ? read_batch(early, err) : GS_OK;
}

/* Combine slices of the batch until there is none, or the table is full. */
static void combine_slices(struct early *early, struct worker *worker)
{
    const uint64_t bytes = early->plan.form.record_bytes;
    const uint64_t slice = SLICE_BYTES / bytes + 1;
    for (;;) {
        if (worker->left == 0) {
            const uint64_t from = atomic_fetch_add(&early->next, slice);
            if (from >= early->count)
                return;
            worker->rest = early->batch + from * bytes;
            worker->left = early->count - from < slice ? early->count - from : slice;
        }
        const uint64_t done = gs_part_table_add(&worker->table, worker->rest, worker->left);
        worker->rest += done * bytes;
        worker->left -= done;
        if (worker->left > 0)
            return;
    }
}

/* The batch, as far as tables have room. Returns whether that was enough. */
static bool combine_batch(struct early *early)
{
    const bool few = early->count * early->plan.form.record_bytes <= SLICE_BYTES;
    bool all = true;
#pragma omp parallel num_threads(few ? 1 : early->plan.threads)
    {
        const unsigned step = (unsigned)omp_get_num_threads(); /* there may be fewer */
        for (unsigned i = (unsigned)omp_get_thread_num(); i < early->plan.threads; i += step)
            combine_slices(early, &early->workers[i]);
    }
    for (unsigned i = 0; i < early->plan.threads; i++)
        all = all && early->workers[i].left == 0;
    return all && atomic_load(&early->next) >= early->count;
}

static void end_batch(struct early *early)
{
    const struct gs_external *source = early->source;
    const uint64_t bytes = early->count * early->plan.form.record_bytes;
    early->records += early->count;
    if (!early->given)
        return;
    early->held_bytes -= bytes < early->held_bytes ? bytes : early->held_bytes;
    if (source->advise != NULL)
        source->advise(source->context, GS_USE_DONE, early->batch, early->count);
}

/* Combine until the input has ended (then early->count is 0), or tables are full. */
static enum gs_status fill(struct early *early, struct gs_progress *progress, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t start = gs_now_ns();
    const uint64_t before = early->records;
    if (early->count == 0)
        GS_TRY(next_batch(early, err));
    while (early->count > 0) {
        set_limits(early);
        if (!combine_batch(early))
            break;
        end_batch(early);
        if (progress != NULL) {
            atomic_fetch_add(&progress->done, early->count);
            GS_TRY(gs_progress_check(progress, err));
        }
        GS_TRY(next_batch(early, err));
    }
    const uint64_t records = early->records - before;
    const struct gs_stage_stats row =
        gs_stage_since(start, records, records * early->plan.form.record_bytes);
    if (progress != NULL) /* else it is time of the external sort's reads */
        gs_stage_add(&early->filling, &row);
cleanup:
    return st;
}

/* ---- sort what is left ---- */

/* read() of the external sort. */
static enum gs_status read_parts(void *context, void *to, uint64_t room, uint64_t *got,
                                 struct gs_error *err)
{
    struct early *early = context;
    enum gs_status st = GS_OK;
    for (*got = 0; *got == 0;) {
        uint64_t bytes = early->plan.form.part_bytes;
        for (unsigned i = 0; i < early->plan.threads && *got == 0; i++) {
            struct worker *worker = &early->workers[i];
            const uint64_t left = worker->table.count - worker->handed;
            *got = left < room ? left : room;
            if (left > 0)
                memcpy(to, worker->table.parts + worker->handed * bytes, *got * bytes);
            worker->handed += *got;
        }
        early->handed += *got;
        if (*got > 0 || early->count == 0)
            break;
        for (unsigned i = 0; i < early->plan.threads; i++) {
            early->workers[i].handed = 0;
            if (early->workers[i].table.count > 0)
                gs_part_table_clear(&early->workers[i].table);
        }
        GS_TRY(fill(early, NULL, err));
    }
cleanup:
    return st;
}

/* The same without tables. */
static enum gs_status read_made(void *context, void *to, uint64_t room, uint64_t *got,
                                struct gs_error *err)
{
    struct early *early = context;
    const struct gs_part_form *form = &early->plan.form;
    enum gs_status st = GS_OK;
    *got = 0;
    if (early->made == early->count) {
        end_batch(early);
        early->made = 0;
        GS_TRY(next_batch(early, err));
    }
    const uint64_t left = early->count - early->made;
    *got = left < room ? left : room;
    gs_parts_make(form, early->batch + early->made * form->record_bytes, *got, to);
    early->made += *got;
    early->handed += *got;
cleanup:
    return st;
}

static uint64_t combine_spilled(const void *context, void *records, uint64_t count, uint32_t *slots)
{
    return gs_parts_combine(context, records, count, slots);
}

static enum gs_status sort_parts(struct early *early, struct gs_sink *sink,
                                 struct gs_progress *progress, struct gs_stats *stats,
                                 struct gs_error *err)
{
    const struct gs_width *width = gs_width(&early->plan.parts);
    const uint64_t memory = early->source->memory_bytes;
    if (early->workers == NULL || early->count > 0) { /* there is more than tables have room for */
        struct gs_external source = *early->source;
        source.spans = NULL;
        source.span_count = 0;
        source.advise = NULL;
        source.read = early->workers == NULL ? read_made : read_parts;
        source.combining = &early->combining;
        source.context = early;
        source.memory_bytes = memory - early->plan.tables_bytes - early->plan.buffer_bytes;
        source.held_bytes = 0;
        return width->sort_external(&early->plan.parts, &source, sink, progress, stats, err);
    }
    struct gs_span *spans = calloc(early->plan.threads, sizeof *spans);
    if (spans == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u tables",
                       early->plan.threads);
    for (unsigned i = 0; i < early->plan.threads; i++) {
        const struct gs_part_table *table = &early->workers[i].table;
        spans[i] = (struct gs_span){.keys = table->parts, .count = table->count, .name = "memory"};
        early->handed += table->count;
    }
    enum gs_status st =
        width->sort(&early->plan.parts, spans, early->plan.threads, sink, progress, stats, err);
    free(spans);
    return st;
}

/* Say of all records what is known of their parts. */
static void tell(const struct early *early, struct gs_stats *stats)
{
    const size_t length = strlen(stats->reason);
    snprintf(stats->reason + length, sizeof stats->reason - length,
             "; equal keys are combined first");
    gs_stage_add(&stats->stages[GS_STAGE_READ], &early->filling);
    stats->keys_in = early->records;
    stats->keys_combined += early->records - early->handed;
    stats->memory_bytes = early->source->memory_bytes;
}

static enum gs_status combine(struct early *early, struct gs_output_sink *to,
                              struct gs_progress *progress, struct gs_stats *stats,
                              struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const unsigned threads = early->plan.threads;
    struct gs_progress own = {.phase = NULL};
    *stats = (struct gs_stats){.order = "none"};
    to->parts = early->plan.form.how != NULL;
    if (early->plan.way == GS_COMBINE_MADE) {
        st = sort_parts(early, &to->sink, progress, stats, err);
        gs_pages_free(early->buffer, early->plan.buffer_bytes);
        return st;
    }
    early->workers = calloc(threads, sizeof *early->workers);
    if (early->workers == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u tables", threads);
    for (unsigned i = 0; i < threads; i++)
        early->workers[i].table.form = &early->plan.form;
    progress = progress != NULL ? progress : &own;
    gs_progress_enter(progress, gs_stage_name(GS_STAGE_READ), 0);
    GS_TRY(fill(early, progress, err));
    GS_TRY(sort_parts(early, &to->sink, progress, stats, err));
cleanup:
    for (unsigned i = 0; i < threads; i++)
        gs_part_table_free(&early->workers[i].table);
    gs_pages_free(early->buffer, early->plan.buffer_bytes);
    free(early->workers);
    return st;
}

enum gs_status gs_sort_combining(const struct gs_task *task, const struct gs_external *source,
                                 struct gs_output_sink *to, struct gs_progress *progress,
                                 struct gs_stats *stats, struct gs_error *err)
{
    struct early early = {.source = source, .held_bytes = source->held_bytes};
    gs_combine_plan(&early.plan, task, source);
    early.combining = (struct gs_combining){
        .combine = combine_spilled, .context = &early.plan.form, .keys = early.plan.keys};
    if (early.plan.way == GS_COMBINE_TABLES || early.plan.way == GS_COMBINE_MADE) {
        const enum gs_status st = combine(&early, to, progress, stats, err);
        if (st == GS_OK)
            tell(&early, stats);
        return st;
    }
    struct gs_external plain = *source;
    plain.combining = early.plan.way == GS_COMBINE_COMPACTS ? &early.combining : NULL;
    return gs_width(&task->sort)
        ->sort_external(&task->sort, &plain, &to->sink, progress, stats, err);
}

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
#include "sort/files/key_estimate.h"
#include "sort/files/memory_limit.h"
#include "sort/files/part_table.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parts of the memory: at least for tables, which have half if the sort of parts can do with the
 * rest; and of what is taken from the input at a time. */
#define TABLES_LEAST 16
#define BATCH_SHARE  32

/* Bytes that a thread takes at a time; with fewer in all, others are not worth waking. */
#define SLICE_BYTES ((uint64_t)64 << 10)

/* The largest packet that a read may get: more than a socket's buffer takes by default. */
#define PACKET_BYTES ((uint64_t)256 << 10)

/* So many times as many records as are in memory may come from a pipe. */
#define TIMES_HELD 8

/* Bytes of a part's slots, on average. */
#define SLOT_BYTES 12

/* What is done before records go to temporary files. */
enum way {
    CLASSIC,  /* nothing: equal keys are combined in the output */
    COMPACTS, /* nothing, but there they are combined */
    MADE,     /* a part is made of each, and there these are */
    TABLES
};

/* One thread's. */
struct worker {
    struct gs_part_table table;
    const char *rest; /* of a slice, when the table was full, */
    uint64_t left;    /* so many records */
    uint64_t handed;  /* parts that were handed on */
};

struct early {
    const struct gs_external *source;
    struct gs_part_form form;
    struct gs_record_order order; /* of the parts; */
    struct gs_options parts;      /* of their sort */
    struct gs_combining combining;
    struct worker *workers;
    unsigned threads;
    uint64_t tables_bytes;     /* of the memory */
    size_t span;               /* of the source, the next one, */
    uint64_t taken;            /* and its records before the batch */
    const char *batch;         /* records that are being combined, */
    uint64_t count;            /* so many; 0: none */
    uint64_t made;             /* of those parts are made, without tables */
    bool given;                /* they are the caller's, and are given back */
    atomic_uint_fast64_t next; /* of them, that no thread has taken */
    char *buffer;              /* what is read, or NULL */
    uint64_t buffer_bytes;
    uint64_t held_bytes; /* memory that the input still occupies */
    uint64_t records;    /* of the input, so far */
    uint64_t handed;     /* parts, all in all */
    struct gs_stage_stats filling;
};

/* ---- what is combined, and does it pay? ---- */

/* What parts are, and how they are sorted: those that are equal, by all bytes of their records,
 * unless they stay in their order. */
static void describe_parts(struct early *early, const struct gs_task *task)
{
    const struct gs_combine *how = task->sort.own.combine;
    struct gs_part_form *form = &early->form;
    struct gs_format format = *task->sort.format;
    *form = (struct gs_part_form){.how = how,
                                  .order = &early->order,
                                  .reverse = task->sort.reverse,
                                  .counts = how != NULL && how->counts,
                                  .alike = how != NULL && how->alike,
                                  .rows = gs_key_rows(&format),
                                  .record_bytes = gs_record_bytes(&task->sort)};
    form->part_bytes = how != NULL ? how->part_bytes : form->record_bytes;
    early->parts = task->sort;
    early->parts.device = GS_DEVICE_CPU;
    early->parts.own = (struct gs_own_options){.combine = NULL};
    gs_record_order_init(&early->order, &format);
    form->chooses = early->order.part_count > early->order.key_parts && !form->alike;
    if (how == NULL)
        return;
    if (form->chooses)
        format.keys[format.key_count++] = (struct gs_key_field){
            .type = {.kind = GS_TYPE_BYTES, .bytes = format.record_bytes, .big_endian = true}};
    format.stable = true;
    format.record_bytes = form->part_bytes;
    format.element_bytes = !form->chooses && form->part_bytes <= 16 ? 16 : 0;
    gs_record_order_init(&early->order, &format);
    early->parts.key_bytes = 16;
    early->parts.codec = NULL;
    early->parts.format = &early->order.format;
    early->parts.records = &early->order;
}

/* Bytes for what is read at a time: a share of the memory, and at least two packets or records. */
static uint64_t buffer_for(const struct early *early)
{
    const uint64_t share = early->source->memory_bytes / BATCH_SHARE;
    const uint64_t one = early->form.record_bytes + PACKET_BYTES;
    return share > 2 * one ? share : 2 * one;
}

/* Tables pay if they have room for all keys; or if most records are of keys that are frequent, which
 * stay there, while the others take no more than all records would. Each thread's table has all
 * keys: where that is too much, there are fewer of them. */
static bool tables_pay(struct early *early, uint64_t keys, double rare)
{
    const struct gs_part_form *form = &early->form;
    const uint64_t room = early->tables_bytes / (form->part_bytes + SLOT_BYTES);
    const bool fit = keys < room;
    const uint64_t threads = fit ? room / (keys + keys / 4 + 1) : early->threads;
    if (!fit && rare * form->part_bytes >= 0.5 * form->record_bytes)
        return false;
    if (threads < early->threads)
        early->threads = threads > 0 ? (unsigned)threads : 1;
    if (!form->chooses && !form->alike && early->order.key_bytes < form->record_bytes)
        early->threads = 1; /* so that the first of each key is known */
    return true;
}

/* Can the external sort of parts do with so much memory? */
static bool serves(const struct early *early, uint64_t memory, uint64_t total)
{
    const struct gs_width *width = gs_width(&early->parts);
    struct gs_error error = {.status = GS_OK};
    return memory >= gs_memory_least(&early->parts) &&
           (width->check_external == NULL ||
            width->check_external(&early->parts, memory, total, &error) == GS_OK);
}

static enum way choose_way(struct early *early, const struct gs_task *task)
{
    const struct gs_part_form *form = &early->form;
    const uint64_t memory = early->source->memory_bytes;
    const uint64_t least = gs_memory_least(&early->parts);
    const uint64_t sort = least > memory / 2 ? least : memory / 2;
    const enum way plain = form->how == NULL ? COMPACTS : CLASSIC;
    struct gs_forecast forecast;
    double rare;
    uint64_t total = 0;
    for (size_t i = 0; i < early->source->span_count; i++)
        total += early->source->spans[i].count;
    gs_width(&task->sort)->forecast(&task->sort, total, &forecast);
    early->combining.keys = UINT64_MAX;
    if (forecast.counted || total < GS_ESTIMATE_PLACES)
        return forecast.counted ? CLASSIC : plain;
    const uint64_t keys = gs_estimate_keys(form, early->source, total, &rare);
    early->combining.keys = keys;
    early->buffer_bytes = early->source->read != NULL ? buffer_for(early) : 0;
    early->tables_bytes = memory - sort - early->buffer_bytes;
    if (sort + early->buffer_bytes + memory / TABLES_LEAST <= memory &&
        serves(early, sort, total) && tables_pay(early, keys, rare)) {
        if (sort / least < early->parts.threads)
            early->parts.threads = (unsigned)(sort / least);
        return TABLES;
    }
    early->tables_bytes = 0;
    if (plain == COMPACTS)
        return COMPACTS;
    total *= early->source->read != NULL ? TIMES_HELD : 1;
    return memory > early->buffer_bytes && serves(early, memory - early->buffer_bytes, total) &&
                   (double)keys * form->part_bytes * 2 <= (double)total * form->record_bytes
               ? MADE
               : CLASSIC;
}

/* ---- combine ---- */

/* Memory for the table of each thread: less while the input takes that. */
static void set_limits(struct early *early)
{
    const uint64_t memory = early->source->memory_bytes;
    const uint64_t taken = early->held_bytes + early->buffer_bytes;
    const uint64_t most = early->tables_bytes;
    const uint64_t least = memory / TABLES_LEAST;
    uint64_t bytes = memory > taken ? memory - taken : 0;
    bytes = bytes < least ? least : bytes < most ? bytes : most;
    for (unsigned i = 0; i < early->threads; i++)
        early->workers[i].table.limit_bytes = bytes / early->threads;
}

/* Fill the buffer, but for the room that a whole packet may want. */
static enum gs_status read_batch(struct early *early, struct gs_error *err)
{
    const uint64_t bytes = early->form.record_bytes;
    const uint64_t room = early->buffer_bytes / bytes;
    const uint64_t most = PACKET_BYTES / bytes + 1;
    const uint64_t packet = most < room / 2 ? most : room / 2;
    enum gs_status st = GS_OK;
    uint64_t more = 1;
    if (early->buffer == NULL)
        early->buffer = gs_pages_alloc(early->buffer_bytes);
    if (early->buffer == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to read");
    early->given = false;
    early->batch = early->buffer;
    for (; st == GS_OK && room - early->count > packet && more > 0; early->count += more) {
        more = 0;
        st = early->source->read(early->source->context, early->buffer + early->count * bytes,
                                 room - early->count, &more, err);
    }
    return st;
}

/* The next records of the input: none at its end. */
static enum gs_status next_batch(struct early *early, struct gs_error *err)
{
    const struct gs_external *source = early->source;
    const uint64_t bytes = early->form.record_bytes;
    const uint64_t most = source->memory_bytes / BATCH_SHARE / bytes + 1;
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
    const uint64_t bytes = early->form.record_bytes;
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
    const bool few = early->count * early->form.record_bytes <= SLICE_BYTES;
    bool all = true;
#pragma omp parallel num_threads(few ? 1 : early->threads)
    {
        const unsigned step = (unsigned)omp_get_num_threads(); /* there may be fewer */
        for (unsigned i = (unsigned)omp_get_thread_num(); i < early->threads; i += step)
            combine_slices(early, &early->workers[i]);
    }
    for (unsigned i = 0; i < early->threads; i++)
        all = all && early->workers[i].left == 0;
    return all && atomic_load(&early->next) >= early->count;
}

static void end_batch(struct early *early)
{
    const struct gs_external *source = early->source;
    const uint64_t bytes = early->count * early->form.record_bytes;
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
        gs_stage_since(start, records, records * early->form.record_bytes);
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
        uint64_t bytes = early->form.part_bytes;
        for (unsigned i = 0; i < early->threads && *got == 0; i++) {
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
        for (unsigned i = 0; i < early->threads; i++) {
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
    const struct gs_part_form *form = &early->form;
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

static uint64_t combine_spilled(const void *context, void *records, uint64_t count,
                                uint32_t *slots)
{
    return gs_parts_combine(context, records, count, slots);
}

static enum gs_status sort_parts(struct early *early, struct gs_sink *sink,
                                 struct gs_progress *progress, struct gs_stats *stats,
                                 struct gs_error *err)
{
    const struct gs_width *width = gs_width(&early->parts);
    const uint64_t memory = early->source->memory_bytes;
    if (early->workers == NULL || early->count > 0) { /* there is more than tables have room for */
        struct gs_external source = *early->source;
        source.spans = NULL;
        source.span_count = 0;
        source.advise = NULL;
        source.read = early->workers == NULL ? read_made : read_parts;
        source.combining = &early->combining;
        source.context = early;
        source.memory_bytes = memory - early->tables_bytes - early->buffer_bytes;
        source.held_bytes = 0;
        return width->sort_external(&early->parts, &source, sink, progress, stats, err);
    }
    struct gs_span *spans = calloc(early->threads, sizeof *spans);
    if (spans == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u tables", early->threads);
    for (unsigned i = 0; i < early->threads; i++) {
        const struct gs_part_table *table = &early->workers[i].table;
        spans[i] = (struct gs_span){.keys = table->parts, .count = table->count, .name = "memory"};
        early->handed += table->count;
    }
    enum gs_status st =
        width->sort(&early->parts, spans, early->threads, sink, progress, stats, err);
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

enum gs_status gs_combine_early(const struct gs_task *task, const struct gs_external *source,
                                struct gs_output_sink *to, struct gs_progress *progress,
                                struct gs_stats *stats, bool *done, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct early early = {
        .source = source, .threads = gs_threads(&task->sort), .held_bytes = source->held_bytes};
    struct gs_progress own = {.phase = NULL};
    *done = false;
    describe_parts(&early, task);
    if ((early.form.how == NULL && !task->sort.unique) || early.form.part_bytes == 0 ||
        task->sort.index_bytes != 0 || source->journal != NULL)
        return GS_OK;
    early.combining =
        (struct gs_combining){.combine = combine_spilled, .context = &early.form};
    const enum way way = choose_way(&early, task);
    if (way == CLASSIC)
        return GS_OK;
    *done = true;
    if (way == COMPACTS) {
        struct gs_external compacted = *source;
        compacted.combining = &early.combining;
        return gs_width(&task->sort)
            ->sort_external(&task->sort, &compacted, &to->sink, progress, stats, err);
    }
    *stats = (struct gs_stats){.order = "none"};
    to->parts = early.form.how != NULL;
    if (way == MADE) {
        GS_TRY(sort_parts(&early, &to->sink, progress, stats, err));
        tell(&early, stats);
        goto cleanup;
    }
    early.workers = calloc(early.threads, sizeof *early.workers);
    if (early.workers == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u tables", early.threads);
    for (unsigned i = 0; i < early.threads; i++)
        early.workers[i].table.form = &early.form;
    progress = progress != NULL ? progress : &own;
    gs_progress_enter(progress, gs_stage_name(GS_STAGE_READ), 0);
    GS_TRY(fill(&early, progress, err));
    GS_TRY(sort_parts(&early, &to->sink, progress, stats, err));
    tell(&early, stats);
cleanup:
    for (unsigned i = 0; i < early.threads && early.workers != NULL; i++)
        gs_part_table_free(&early.workers[i].table);
    gs_pages_free(early.buffer, early.buffer_bytes);
    free(early.workers);
    return st;
}

/* combine_plan.c -- are equal keys combined before they go to temporary files, and how?
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/combine_plan.h"
#include "sort/files/key_estimate.h"
#include "sort/files/memory_limit.h"

#include "common/clock.h"

#include <sys/random.h>

/* A pipe may bring so many times as much as memory has room for. */
#define MEMORIES 8

/* Bytes of a part's slots, on average. */
#define SLOT_BYTES 12

/* What parts are, and how they are sorted: those that are equal, by all bytes of their records,
 * unless they stay in their order. */
static void describe_parts(struct gs_combine_plan *plan, const struct gs_task *task)
{
    const struct gs_combine *how = task->sort.own.combine;
    struct gs_part_form *form = &plan->form;
    struct gs_format format = *task->sort.format;
    *form = (struct gs_part_form){.how = how,
                                  .order = &plan->order,
                                  .reverse = task->sort.reverse,
                                  .counts = how != NULL && how->counts,
                                  .alike = how != NULL && how->alike,
                                  .rows = gs_key_rows(&format),
                                  .record_bytes = gs_record_bytes(&task->sort)};
    if (getrandom(&form->seed, sizeof form->seed, GRND_NONBLOCK) != (ssize_t)sizeof form->seed)
        form->seed = gs_now_ns() ^ (uintptr_t)plan;
    form->part_bytes = how != NULL ? how->part_bytes : form->record_bytes;
    plan->parts = task->sort;
    plan->parts.device = GS_DEVICE_CPU;
    plan->parts.own = (struct gs_own_options){.combine = NULL};
    gs_record_order_init(&plan->order, &format);
    form->chooses = plan->order.part_count > plan->order.key_parts && !form->alike;
    if (how == NULL)
        return;
    if (form->chooses)
        format.keys[format.key_count++] = (struct gs_key_field){
            .type = {.kind = GS_TYPE_BYTES, .bytes = format.record_bytes, .big_endian = true}};
    format.stable = true;
    format.record_bytes = form->part_bytes;
    format.element_bytes = !form->chooses && form->part_bytes <= 16 ? 16 : 0;
    gs_record_order_init(&plan->order, &format);
    plan->parts.key_bytes = 16;
    plan->parts.codec = NULL;
    plan->parts.format = &plan->order.format;
    plan->parts.records = &plan->order;
}

/* Bytes for what is read at a time: a share of the memory, and at least two packets or records. */
static uint64_t buffer_for(const struct gs_combine_plan *plan, const struct gs_external *source)
{
    const uint64_t share = source->memory_bytes / GS_BATCH_SHARE;
    const uint64_t one = plan->form.record_bytes + GS_COMBINE_PACKET;
    return source->read == NULL ? 0 : share > 2 * one ? share : 2 * one;
}

/* Can the external sort of parts do with so much memory, by as many threads as that serves? */
static bool serves(struct gs_combine_plan *plan, unsigned threads, uint64_t memory, uint64_t total)
{
    const uint64_t least = gs_memory_least(&plan->parts);
    struct gs_error error = {.status = GS_OK};
    plan->parts.threads = memory / least < threads ? (unsigned)(memory / least) : threads;
    return memory >= least &&
           gs_memory_check_external(&plan->parts, memory, total, &error) == GS_OK;
}

/* Tables pay if they have room for all keys; or if most records are of keys that are frequent,
 * which stay there, while the others take no more than all records would. Each thread's table has
 * all keys: where that is too much, there are fewer of them. */
static bool tables_pay(struct gs_combine_plan *plan, double rare)
{
    const struct gs_part_form *form = &plan->form;
    const uint64_t room = plan->tables_bytes / (form->part_bytes + SLOT_BYTES);
    const bool fit = plan->keys < room;
    const uint64_t threads = fit ? room / (plan->keys + plan->keys / 4 + 1) : plan->threads;
    if (!fit && rare * form->part_bytes >= 0.5 * form->record_bytes)
        return false;
    if (threads < plan->threads)
        plan->threads = threads > 0 ? (unsigned)threads : 1;
    if (!form->chooses && !form->alike && plan->order.key_bytes < form->record_bytes)
        plan->threads = 1; /* so that the first of each key is known */
    return true;
}

/* If there is memory for tables beside a sort in half of it. */
static bool takes_tables(struct gs_combine_plan *plan, uint64_t memory, uint64_t total, double rare)
{
    const uint64_t least = gs_memory_least(&plan->parts);
    const uint64_t sort = least > memory / 2 ? least : memory / 2;
    if (sort + plan->buffer_bytes + memory / GS_TABLES_LEAST > memory ||
        !serves(plan, plan->threads, sort, total))
        return false;
    plan->tables_bytes = memory - sort - plan->buffer_bytes;
    return tables_pay(plan, rare);
}

/* Parts, which take more than records, pay if those that differ take no more than a third of all
 * records: there is up to twice as much in temporary files. */
static bool takes_parts(struct gs_combine_plan *plan, const struct gs_external *source,
                        uint64_t total)
{
    const uint64_t memory = source->memory_bytes;
    const uint64_t all = source->read != NULL ? MEMORIES * memory : total * plan->form.record_bytes;
    plan->tables_bytes = 0;
    return 3 * (double)plan->keys * plan->form.part_bytes <= (double)all &&
           memory > plan->buffer_bytes &&
           serves(plan, plan->threads, memory - plan->buffer_bytes, total);
}

void gs_combine_plan(struct gs_combine_plan *plan, const struct gs_task *task,
                     const struct gs_external *source)
{
    const struct gs_combine *how = task->sort.own.combine;
    struct gs_forecast forecast;
    double rare;
    uint64_t total = 0;
    *plan = (struct gs_combine_plan){.threads = gs_threads(&task->sort), .keys = UINT64_MAX};
    if ((how == NULL && !task->sort.unique) || (how != NULL && how->part_bytes == 0) ||
        task->sort.index_bytes != 0 || source->journal != NULL)
        return;
    describe_parts(plan, task);
    for (size_t i = 0; i < source->span_count; i++)
        total += source->spans[i].count;
    gs_width(&task->sort)->forecast(&task->sort, total, &forecast);
    if (forecast.counted)
        return;
    plan->way = how == NULL ? GS_COMBINE_COMPACTS : GS_COMBINE_CLASSIC;
    if (total < GS_ESTIMATE_PLACES)
        return;
    plan->keys = gs_estimate_keys(&plan->form, source, total, &rare);
    plan->buffer_bytes = buffer_for(plan, source);
    if (takes_tables(plan, source->memory_bytes, total, rare))
        plan->way = GS_COMBINE_TABLES;
    else if (how != NULL && takes_parts(plan, source, total))
        plan->way = GS_COMBINE_MADE;
}

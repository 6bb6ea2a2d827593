/* plan_files.c -- what a run would do, without doing it.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files.h"
#include "sort/files/combine.h"
#include "sort/files/memory_limit.h"
#include "sort/files/pace_look.h"
#include "sort/files/partial_output.h"
#include "sort/files/file_plan.h"
#include "sort/files/record_format.h"
#include "common/files/input.h"
#include "common/memory/memory.h"
#include "sort/sort.h"

#include <limits.h>
#include <stdio.h>

/* What the forecast takes for fresh memory: 4 GB/s. */
#define FRESH_SECONDS 0.25e-9

/* To copy what is in the page cache, for --split: 2.5 GB/s. */
#define COPY_SECONDS 0.4e-9

/* Linux lets a fifth of what is available wait for the disk; a control group, what it has room for,
 * as gs_memory_bound_dirty has it. */
static uint64_t awaited_bytes(const struct gs_file_plan *plan)
{
    const uint64_t written = plan->temporary_bytes + plan->output_bytes + plan->split_bytes;
    const uint64_t left = gs_memory_group_left();
    uint64_t room = gs_memory_available() / 5;
    if (left < gs_memory_total())
        room = left > plan->forecast.memory_bytes ? (left - plan->forecast.memory_bytes) / 2 : 0;
    return written > room ? written - room : 0;
}

/* The forecast is that of inputs in the page cache, of memory at hand and of a page cache that
 * takes all: add what this machine takes beyond that just now. */
static void look_at_pace(const struct gs_task *task, const struct gs_inputs *inputs,
                         struct gs_file_plan *plan)
{
    char beside[PATH_MAX] = ""; /* a name where the run would write */
    if (plan->temporary_bytes > 0)
        snprintf(beside, sizeof beside, "%s/gsort", task->found.directories[0]);
    else if (task->found.output != NULL)
        snprintf(beside, sizeof beside, "%s", task->found.output);
    plan->awaited_bytes = plan->pending || *beside == '\0' ? 0 : awaited_bytes(plan);
    plan->look = gs_pace_look(inputs, plan->awaited_bytes > 0 ? beside : NULL);
    const double slower = plan->look.fresh - FRESH_SECONDS;
    plan->forecast.seconds += (double)plan->fresh_bytes * (slower > 0 ? slower : 0);
    plan->forecast.seconds += (double)plan->look.cold_bytes * plan->look.disk;
    plan->forecast.seconds += (double)plan->split_bytes * COPY_SECONDS;
    plan->forecast.seconds += (double)plan->awaited_bytes * plan->look.written;
}

static enum gs_status plan_sort(const struct gs_task *task, struct gs_file_plan *plan,
                                struct gs_error *err)
{
    struct gs_options options = task->sort;
    bool partial;
    const enum gs_status st =
        gs_partial_choose(&options, plan->limit_bytes, plan->keys, plan->pending, &partial, err);
    if (st != GS_OK)
        return st;
    /* With --argsort, a record has its position beside it in temporary files. */
    const unsigned position_bytes = task->sort.index_bytes != 0 ? GS_NUMBER_BYTES : 0;
    const bool fits = gs_memory_fits(&options, plan->limit_bytes, 0, plan->keys, &plan->forecast);
    if (partial) {
        plan->method = "partial sort in memory";
        plan->passes = 1;
        gs_partial_forecast(&options, plan->pending ? UINT64_MAX : plan->keys, &plan->forecast);
        return GS_OK;
    }
    if (fits) {
        plan->method = "sort in memory";
        plan->passes = 1;
        return GS_OK;
    }
    plan->method = "external sort";
    plan->passes = 2;
    plan->forecast.memory_bytes = plan->limit_bytes;
    plan->forecast.seconds += plan->forecast.external_seconds;
    plan->temporary_bytes = plan->keys * (gs_record_bytes(&task->sort) + position_bytes);
    return gs_memory_check_external(&task->sort, plan->limit_bytes, plan->keys, err);
}

static void plan_merge(const struct gs_task *task, size_t count, struct gs_file_plan *plan)
{
    struct gs_options options = task->sort;
    options.memory_bytes = plan->limit_bytes / 2;
    plan->method = "merge";
    plan->passes = 1;
    gs_width(&options)->forecast_merge(&options, count, plan->keys, &plan->forecast);
}

enum gs_status gs_plan_files(struct gs_task *task, bool merges, struct gs_file_plan *plan,
                             struct gs_error *err)
{
    struct gs_inputs inputs;
    *plan = (struct gs_file_plan){0};
    enum gs_status st = gs_open_records(task, &inputs, err);
    if (st != GS_OK)
        return st;
    st = gs_decide_records(task, &inputs, err);
    const bool has_set = task->combine != NULL && task->combine->set.name != NULL;
    inputs.count -= has_set; /* it is the last, and not sorted */
    plan->pending = gs_inputs_pending(&inputs);
    plan->keys = gs_inputs_bytes(&inputs) / gs_record_bytes(&task->sort);
    plan->limit_bytes = gs_memory_limit(task, plan->keys, plan->pending);
    if (st == GS_OK && merges) {
        plan_merge(task, inputs.count, plan);
    } else if (st == GS_OK) {
        st = gs_width(&task->sort)->check_count(&task->sort, plan->keys, err);
        if (st == GS_OK)
            st = plan_sort(task, plan, err);
    }
    plan->input_count = inputs.count;
    plan->output_bytes = gs_wanted_of(&task->sort, plan->keys) * gs_written_bytes(&task->sort);
    if (task->split > 0)
        plan->split_bytes = plan->output_bytes - plan->output_bytes / task->split;
    plan->fresh_bytes = plan->forecast.memory_bytes + plan->temporary_bytes + plan->output_bytes +
                        plan->split_bytes;
    if (st == GS_OK)
        st = gs_plan_check_room(task, plan, err);
    if (st == GS_OK)
        look_at_pace(task, &inputs, plan);
    inputs.count += has_set;
    gs_inputs_close(&inputs);
    return st;
}

/* mode_plan.c -- --plan: print what a run would do, and do nothing.
 * SPDX-License-Identifier: MIT
 */
#include "cli/combine.h"
#include "cli/memory_limit.h"
#include "cli/modes.h"
#include "cli/pace_look.h"
#include "cli/partial_output.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/record_format.h"
#include "cli/report.h"
#include "common/files/input.h"
#include "common/memory/memory.h"
#include "sort/gsort.h"

#include <limits.h>
#include <stdio.h>

/* What the forecast takes for fresh memory: 4 GB/s. */
#define FRESH_SECONDS 0.25e-9

/* To copy what is in the page cache, for --split: 2.5 GB/s. */
#define COPY_SECONDS 0.4e-9

/* Linux lets a fifth of what is available wait for the disk; a control group, what it has room for,
 * as gs_memory_bound_dirty has it. */
static uint64_t awaited_bytes(const struct gs_plan *plan)
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
static void look_at_pace(const struct gs_command *command, const struct gs_inputs *inputs,
                         struct gs_plan *plan)
{
    char beside[PATH_MAX] = ""; /* a name where the run would write */
    if (plan->temporary_bytes > 0)
        snprintf(beside, sizeof beside, "%s/gsort", command->directories[0]);
    else if (command->output != NULL)
        snprintf(beside, sizeof beside, "%s", command->output);
    plan->awaited_bytes = plan->pending || *beside == '\0' ? 0 : awaited_bytes(plan);
    plan->look = gs_pace_look(inputs, plan->awaited_bytes > 0 ? beside : NULL);
    const double slower = plan->look.fresh - FRESH_SECONDS;
    plan->forecast.seconds += (double)plan->fresh_bytes * (slower > 0 ? slower : 0);
    plan->forecast.seconds += (double)plan->look.cold_bytes * plan->look.disk;
    plan->forecast.seconds += (double)plan->split_bytes * COPY_SECONDS;
    plan->forecast.seconds += (double)plan->awaited_bytes * plan->look.written;
}

static enum gs_status plan_sort(const struct gs_command *command, struct gs_plan *plan,
                                struct gs_error *err)
{
    struct gs_options options = command->sort;
    bool partial;
    const enum gs_status st =
        gs_partial_choose(&options, plan->limit_bytes, plan->keys, plan->pending, &partial, err);
    if (st != GS_OK)
        return st;
    /* With --argsort, a record has its position beside it in temporary files. */
    const unsigned position_bytes = command->sort.index_bytes != 0 ? GS_NUMBER_BYTES : 0;
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
    plan->temporary_bytes = plan->keys * (gs_record_bytes(&command->sort) + position_bytes);
    return gs_memory_check_external(command, plan->limit_bytes, plan->keys, err);
}

static void plan_merge(const struct gs_command *command, size_t count, struct gs_plan *plan)
{
    struct gs_options options = command->sort;
    options.memory_bytes = plan->limit_bytes / 2;
    plan->method = "merge";
    plan->passes = 1;
    gs_width(&options)->forecast_merge(&options, count, plan->keys, &plan->forecast);
}

enum gs_status gs_mode_plan(struct gs_command *command, struct gs_error *err)
{
    struct gs_inputs inputs;
    struct gs_plan plan = {0};
    enum gs_status st = gs_open_records(command, &inputs, err);
    if (st != GS_OK)
        return st;
    st = gs_decide_records(command, &inputs, err);
    const bool has_set = command->combine != NULL && command->combine->set.name != NULL;
    inputs.count -= has_set; /* it is the last, and not sorted */
    plan.pending = gs_inputs_pending(&inputs);
    plan.keys = gs_inputs_bytes(&inputs) / gs_record_bytes(&command->sort);
    plan.limit_bytes = gs_memory_limit(command, plan.keys, plan.pending);
    if (st == GS_OK && command->mode == GS_MODE_MERGE) {
        plan_merge(command, inputs.count, &plan);
    } else if (st == GS_OK) {
        st = gs_width(&command->sort)->check_count(&command->sort, plan.keys, err);
        if (st == GS_OK)
            st = plan_sort(command, &plan, err);
    }
    plan.input_count = inputs.count;
    plan.output_bytes = gs_wanted_of(&command->sort, plan.keys) * gs_written_bytes(&command->sort);
    if (command->split > 0)
        plan.split_bytes = plan.output_bytes - plan.output_bytes / command->split;
    plan.fresh_bytes =
        plan.forecast.memory_bytes + plan.temporary_bytes + plan.output_bytes + plan.split_bytes;
    if (st == GS_OK)
        st = gs_plan_check_room(command, &plan, err);
    if (st == GS_OK)
        look_at_pace(command, &inputs, &plan);
    gs_progress_stop();
    if (st == GS_OK)
        gs_plan_print(command, &plan);
    inputs.count += has_set;
    gs_inputs_close(&inputs);
    if (st == GS_OK && gs_report_close_stdout() != GS_EXIT_DONE)
        st = GS_ERR_OUTPUT; /* reported already */
    return st;
}

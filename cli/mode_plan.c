/* mode_plan.c -- --plan: print what a run would do, and do nothing.
 * SPDX-License-Identifier: MIT
 */
#include "cli/memory_limit.h"
#include "cli/modes.h"
#include "cli/pace_look.h"
#include "cli/progress.h"
#include "cli/record_format.h"
#include "cli/report.h"
#include "common/input.h"
#include "sort/gsort.h"

#include <inttypes.h>
#include <stdio.h>

struct plan {
    bool pending; /* there are inputs of unknown size, which all figures leave out */
    uint64_t keys;
    uint64_t limit_bytes;
    const char *method;
    struct gs_stats stats; /* only engine, device and reason */
    unsigned passes;       /* how often each key is read, and written */
    uint64_t memory_bytes;
    uint64_t temporary_bytes;
    uint64_t fresh_bytes; /* memory and page cache that the run touches for the first time */
    double seconds;
    struct gs_pace_look look;
};

/* What the forecast takes for fresh memory: 4 GB/s. */
#define FRESH_SECONDS 0.25e-9

/* The forecast is that of inputs in the page cache and of memory at hand: add what this machine
 * takes beyond that just now. */
static void look_at_pace(const struct gs_inputs *inputs, struct plan *plan)
{
    plan->look = gs_pace_look(inputs);
    const double slower = plan->look.fresh - FRESH_SECONDS;
    plan->seconds += (double)plan->fresh_bytes * (slower > 0 ? slower : 0);
    plan->seconds += (double)plan->look.cold_bytes * plan->look.disk;
}

static void plan_sort(const struct gs_command *command, struct plan *plan)
{
    gs_width(&command->sort)->forecast(&command->sort, plan->keys, &plan->stats, &plan->seconds);
    /* With --argsort, a record has its position beside it in temporary files. */
    const unsigned position_bytes = command->sort.index_bytes != 0 ? GS_NUMBER_BYTES : 0;
    if (gs_width(&command->sort)
            ->external_needed(&command->sort, plan->limit_bytes, 0, plan->keys)) {
        plan->method = "external sort";
        plan->passes = 2;
        plan->memory_bytes = plan->limit_bytes;
        plan->temporary_bytes = plan->keys * (gs_record_bytes(&command->sort) + position_bytes);
        plan->seconds += gs_width(&command->sort)->external_seconds(plan->keys);
    } else {
        plan->method = "sort in memory";
        plan->passes = 1;
        plan->memory_bytes = gs_width(&command->sort)->memory(&command->sort, plan->keys);
    }
}

static void plan_merge(const struct gs_command *command, size_t count, struct plan *plan)
{
    struct gs_options options = command->sort;
    options.memory_bytes = plan->limit_bytes / 2;
    plan->stats =
        (struct gs_stats){.engine = "merge", .device = "cpu", .reason = "a merge runs on the CPU"};
    plan->method = "merge";
    plan->passes = 1;
    plan->memory_bytes = gs_width(&options)->merge_memory(&options, count);
    plan->seconds = gs_width(&options)->merge_seconds(&options, plan->keys);
}

static void print_plan(const struct gs_command *command, size_t count, const struct plan *plan)
{
    const char *more = plan->pending ? " and what pipes will bring" : "";
    char format[GS_FORMAT_TEXT];
    const char *most = command->sort.unique ? " at most" : "";
    printf("%-10s %zu, %" PRIu64 " keys%s\n", "inputs", count, plan->keys, more);
    gs_format_name(&command->format, format);
    printf("%-10s %s\n", "type", format);
    printf("%-10s %s\n", "method", plan->method);
    printf("%-10s %s\n", "engine", plan->stats.engine);
    printf("%-10s %s (%s)\n", "device", plan->stats.device, plan->stats.reason);
    printf("%-10s %u\n", "passes", plan->passes);
    printf("%-10s %" PRIu64 " bytes of %" PRIu64 "\n", "memory", plan->memory_bytes,
           plan->limit_bytes);
    /* Less, if chunks stay in memory. */
    printf("%-10s %" PRIu64 " bytes%s", "temporary", plan->temporary_bytes,
           plan->temporary_bytes > 0 ? " at most" : "");
    for (size_t i = 0; i < command->directory_count; i++)
        printf("%s%s", i == 0 ? " in " : ", ", command->directories[i]);
    printf("\n%-10s %" PRIu64 " bytes%s\n", "output", plan->keys * gs_output_bytes(&command->sort),
           most);
    printf("%-10s %" PRIu64 " bytes", "fresh", plan->fresh_bytes);
    if (plan->look.fresh > 0)
        printf(", at %.1f GB/s now", 1e-9 / plan->look.fresh);
    printf("\n%-10s %" PRIu64 " bytes", "cold", plan->look.cold_bytes);
    if (plan->look.disk > 0)
        printf(", at %.1f GB/s now", 1e-9 / plan->look.disk);
    printf("\n%-10s about %.1f s\n", "time", plan->seconds);
}

enum gs_status gs_mode_plan(const struct gs_command *command, struct gs_error *err)
{
    struct gs_inputs inputs;
    struct plan plan = {0};
    enum gs_status st = gs_open_records(command, &inputs, err);
    if (st != GS_OK)
        return st;
    plan.pending = gs_inputs_pending(&inputs);
    plan.keys = gs_inputs_bytes(&inputs) / gs_record_bytes(&command->sort);
    plan.limit_bytes = gs_memory_limit(command, plan.keys, plan.pending);
    if (command->mode == GS_MODE_MERGE) {
        plan_merge(command, inputs.count, &plan);
    } else {
        st = gs_width(&command->sort)->check_count(&command->sort, plan.keys, err);
        if (st == GS_OK)
            plan_sort(command, &plan);
    }
    plan.fresh_bytes =
        plan.memory_bytes + plan.temporary_bytes + plan.keys * gs_output_bytes(&command->sort);
    if (st == GS_OK)
        look_at_pace(&inputs, &plan);
    gs_progress_stop();
    if (st == GS_OK)
        print_plan(command, inputs.count, &plan);
    gs_inputs_close(&inputs);
    if (st == GS_OK && gs_report_close_stdout() != GS_EXIT_DONE)
        st = GS_ERR_OUTPUT; /* reported already */
    return st;
}

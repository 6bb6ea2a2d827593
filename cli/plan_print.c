/* plan_print.c -- --plan: print what a run would do, as text or JSON.
 * SPDX-License-Identifier: MIT
 *
 * The meaning of the JSON fields changes only with the version.
 */
#include "cli/plan_print.h"

#include "cli/json.h"
#include "cli/row.h"
#include "common/human.h"

#include <inttypes.h>
#include <stdio.h>

#define GS_PLAN_VERSION 1

#define NAME_COLUMNS 10
#define ROW(...)     gs_print_row(stdout, NAME_COLUMNS, __VA_ARGS__)

static void print_inputs(const struct gs_file_plan *plan)
{
    if (plan->pending && plan->keys == 0)
        ROW("inputs", "%zu, unknown: what pipes will bring", plan->input_count);
    else
        ROW("inputs", "%zu, %" PRIu64 " keys%s", plan->input_count, plan->keys,
            plan->pending ? " and what pipes will bring" : "");
}

/* " in A, B (79.0 GiB free)". */
static void describe_directories(const struct gs_command *command, const struct gs_file_plan *plan,
                                 char *text, size_t size)
{
    char free_text[GS_HUMAN_TEXT];
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < command->task.found.directory_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? " in " : ", ",
                                 command->task.found.directories[i]);
    if (plan->temporary_room != UINT64_MAX && used < size)
        snprintf(text + used, size - used, " (%s free)",
                 gs_human_bytes(plan->temporary_room, free_text));
}

static void print_sizes(const struct gs_command *command, const struct gs_file_plan *plan)
{
    char bytes[GS_HUMAN_TEXT];
    char most[GS_HUMAN_TEXT];
    char room[GS_HUMAN_TEXT];
    char directories[2048];
    describe_directories(command, plan, directories, sizeof directories);
    gs_human_bytes(plan->limit_bytes, most);
    if (plan->pending) {
        ROW("memory", "unknown, at most %" PRIu64 " bytes (%s)", plan->limit_bytes, most);
        ROW("temporary", "unknown%s", directories);
        ROW("output", "unknown");
        return;
    }
    ROW("memory", "%" PRIu64 " bytes of %" PRIu64 " (%s of %s)", plan->forecast.memory_bytes,
        plan->limit_bytes, gs_human_bytes(plan->forecast.memory_bytes, bytes), most);
    /* Less, if chunks stay in memory. */
    ROW("temporary", "%s%s%s", gs_human_exact(plan->temporary_bytes, bytes),
        plan->temporary_bytes > 0 ? " at most" : "", directories);
    ROW("output", "%s%s%s%s%s%s", gs_human_exact(plan->output_bytes, bytes),
        gs_writes_fewer(&command->task.sort) ? " at most" : "",
        plan->split_bytes > 0 ? ", for a while nearly twice" : "",
        plan->output_room != UINT64_MAX ? ", with " : "",
        plan->output_room != UINT64_MAX ? gs_human_bytes(plan->output_room, room) : "",
        plan->output_room != UINT64_MAX ? " free" : "");
}

/* An amount, and how fast it comes if that is known. */
static void print_pace(const char *name, uint64_t amount, double seconds_per_byte)
{
    char bytes[GS_HUMAN_TEXT];
    gs_human_exact(amount, bytes);
    if (seconds_per_byte > 0)
        ROW(name, "%s, at %.1f GB/s now", bytes, 1e-9 / seconds_per_byte);
    else
        ROW(name, "%s", bytes);
}

static void print_text(const struct gs_command *command, const struct gs_file_plan *plan)
{
    char format[GS_FORMAT_TEXT];
    char time[GS_HUMAN_TEXT];
    const bool unsure = plan->pending && plan->temporary_bytes == 0 &&
                        command->mode == GS_MODE_SORT &&
                        command->task.sort.wanted.end == GS_WANTED_ALL;
    print_inputs(plan);
    gs_format_name(&command->task.found.format, format);
    ROW("type", "%s", format);
    ROW("method", "%s%s", plan->method, unsure ? ", or external sort if pipes bring more" : "");
    ROW("engine", "%s", plan->forecast.engine);
    ROW("device", "%s (%s)", gs_device_name(plan->forecast.device), plan->forecast.reason);
    ROW("passes", "%u%s", plan->passes, unsure ? " or 2" : "");
    print_sizes(command, plan);
    if (!plan->pending) {
        print_pace("fresh", plan->fresh_bytes, plan->look.fresh);
        print_pace("cold", plan->look.cold_bytes, plan->look.disk);
        if (plan->awaited_bytes > 0)
            print_pace("to disk", plan->awaited_bytes, plan->look.written);
    }
    ROW("time", "%s%s", plan->pending ? "" : "about ",
        plan->pending ? "unknown" : gs_human_time(plan->forecast.seconds, time));
}

static void print_number(const char *name, bool known, uint64_t number)
{
    if (known)
        printf("  \"%s\": %" PRIu64 ",\n", name, number);
    else
        printf("  \"%s\": null,\n", name);
}

static void print_text_field(const char *name, const char *text)
{
    printf("  \"%s\": ", name);
    gs_json_string(stdout, text);
    printf(",\n");
}

static void print_json(const struct gs_command *command, const struct gs_file_plan *plan)
{
    char format[GS_FORMAT_TEXT];
    const bool known = !plan->pending;
    gs_format_name(&command->task.found.format, format);
    printf("{\n  \"version\": %d,\n  \"inputs\": ", GS_PLAN_VERSION);
    gs_json_strings(stdout, command->task.found.files, command->task.found.file_count);
    printf(",\n  \"pipes\": %s,\n", plan->pending ? "true" : "false");
    print_number("keys", known, plan->keys);
    print_text_field("type", format);
    print_text_field("method", plan->method);
    print_text_field("engine", plan->forecast.engine);
    print_text_field("device", gs_device_name(plan->forecast.device));
    print_text_field("reason", plan->forecast.reason);
    print_number("passes", known || command->mode == GS_MODE_MERGE, plan->passes);
    print_number("memory_bytes", known, plan->forecast.memory_bytes);
    print_number("memory_limit_bytes", true, plan->limit_bytes);
    print_number("temporary_bytes", known, plan->temporary_bytes);
    print_number("temporary_free_bytes", plan->temporary_room != UINT64_MAX, plan->temporary_room);
    printf("  \"directories\": ");
    gs_json_strings(stdout, command->task.found.directories, command->task.found.directory_count);
    printf(",\n");
    print_text_field("output", command->task.found.output);
    print_number("output_bytes", known, plan->output_bytes);
    print_number("output_free_bytes", plan->output_room != UINT64_MAX, plan->output_room);
    print_number("fresh_bytes", known, plan->fresh_bytes);
    print_number("cold_bytes", known, plan->look.cold_bytes);
    print_number("split_bytes", known, plan->split_bytes);
    print_number("awaited_bytes", known, plan->awaited_bytes);
    if (known)
        printf("  \"seconds\": %.6f\n}\n", plan->forecast.seconds);
    else
        printf("  \"seconds\": null\n}\n");
}

void gs_plan_print(const struct gs_command *command, const struct gs_file_plan *plan)
{
    if (command->planned == GS_STATS_JSON)
        print_json(command, plan);
    else
        print_text(command, plan);
}

/* mode_check.c -- -c and -C: are the inputs in order, one after the other?
 * SPDX-License-Identifier: MIT
 *
 * The first record of a file must continue the last one before it.
 */
#include "cli/each_record.h"
#include "cli/memory_limit.h"
#include "cli/modes.h"
#include "cli/progress.h"
#include "cli/record_format.h"
#include "cli/report.h"
#include "cli/slips.h"

#include <inttypes.h>
#include <string.h>

/* The record before the one that is looked at, and that one if it is out of order. */
static char last[GS_RECORD_BYTES_MAX];
static char disordered[GS_RECORD_BYTES_MAX];

/* The state after some keys. */
struct check {
    const struct gs_options *options;
    bool begun; /* `last` is a key: there was one, in this input or an earlier one */
    bool ordered;
    const struct gs_input *input; /* once ordered is false: where the disorder is */
    uint64_t index;
};

/* Carry on with the next `count` keys. */
static bool check_keys(void *context, const struct gs_input *input, uint64_t index,
                       const char *keys, uint64_t count)
{
    struct check *check = context;
    const unsigned record_bytes = gs_record_bytes(check->options);
    const void *previous = check->begun ? last : NULL;
    uint64_t bad = gs_width(check->options)->first_disorder(check->options, keys, count, previous);
    check->ordered = bad == count;
    check->begun = check->begun || count > 0;
    check->input = input;
    check->index = index + bad;
    if (bad > 0)
        memcpy(last, keys + (bad - 1) * record_bytes, record_bytes);
    if (!check->ordered)
        memcpy(disordered, keys + bad * record_bytes, record_bytes);
    return check->ordered;
}

enum gs_status gs_mode_check(struct gs_command *command, struct gs_progress *progress,
                             bool *ordered, struct gs_error *err)
{
    struct gs_inputs inputs;
    struct check check = {.options = &command->sort, .ordered = true};
    enum gs_status st = gs_open_records(command, &inputs, err);
    if (st != GS_OK)
        return st;
    gs_inputs_make_room(&inputs, gs_address_space_wanted(command, 0, false));
    gs_report_watch(&inputs, NULL, "checked");
    gs_progress_enter(progress, "check", 0);
    st = gs_decide_records(command, &inputs, err);
    if (st == GS_OK)
        st = gs_inputs_consume(&inputs, err);
    if (st == GS_OK)
        st = gs_each_record(&inputs, gs_record_bytes(&command->sort), check_keys, &check, "check",
                            progress, err);
    gs_progress_stop();
    if (st == GS_OK && !check.ordered && !command->quiet) {
        char text[GS_DISORDER_TEXT];
        gs_disorder_text(&command->sort, last, disordered, text);
        gs_report_line("%s:%" PRIu64 ": disorder: %s", check.input->name, check.index, text);
    }
    if (st == GS_OK && !command->quiet)
        gs_slip_note(command, "checked");
    gs_report_watch(NULL, NULL, NULL);
    gs_inputs_close(&inputs);
    *ordered = check.ordered;
    return st;
}

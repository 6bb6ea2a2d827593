/* check_files.c -- are the inputs in order, one after the other?
 * SPDX-License-Identifier: MIT
 *
 * The first record of a file must continue the last one before it.
 */
#include "sort/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The state after some keys. */
struct check {
    const struct gs_options *options;
    bool begun; /* `last` is one: there was one, in this input or an earlier one */
    bool ordered;
    const struct gs_input *input; /* once ordered is false: where the disorder is */
    uint64_t index;
    /* The record before the one that is looked at, and that one if it is out of order. */
    char last[GS_RECORD_BYTES_MAX];
    char disordered[GS_RECORD_BYTES_MAX];
};

/* Carry on with the next `count` keys. */
static bool check_keys(void *context, const struct gs_input *input, uint64_t index,
                       const char *keys, uint64_t count)
{
    struct check *check = context;
    const unsigned record_bytes = gs_record_bytes(check->options);
    const void *previous = check->begun ? check->last : NULL;
    uint64_t bad = gs_width(check->options)->first_disorder(check->options, keys, count, previous);
    check->ordered = bad == count;
    check->begun = check->begun || count > 0;
    check->input = input;
    check->index = index + bad;
    if (bad > 0)
        memcpy(check->last, keys + (bad - 1) * record_bytes, record_bytes);
    if (!check->ordered)
        memcpy(check->disordered, keys + bad * record_bytes, record_bytes);
    return check->ordered;
}

enum gs_status gs_check_files(struct gs_task *task, struct gs_progress *progress,
                              struct gs_disorder *disorder, struct gs_error *err)
{
    struct gs_inputs inputs;
    struct check *check = calloc(1, sizeof *check);
    *disorder = (struct gs_disorder){.found = false};
    if (check == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "-c");
    check->options = &task->sort;
    check->ordered = true;
    enum gs_status st = gs_open_records(task, &inputs, err);
    if (st != GS_OK)
        goto free_check;
    gs_inputs_make_room(&inputs, gs_address_space_wanted(task, 0, false));
    gs_task_watch(task, &inputs, NULL, "checked");
    gs_progress_enter(progress, "check", 0);
    st = gs_decide_records(task, &inputs, err);
    if (st == GS_OK)
        st = gs_inputs_consume(&inputs, err);
    if (st == GS_OK)
        st = gs_each_record(&inputs, gs_record_bytes(&task->sort), 0, check_keys, check, "check",
                            progress, err);
    if (st == GS_OK && !check->ordered) {
        disorder->found = true;
        disorder->name = check->input->name;
        disorder->index = check->index;
        gs_disorder_text(&task->sort, check->last, check->disordered, disorder->text);
    }
    gs_task_watch(task, NULL, NULL, NULL);
    gs_inputs_close(&inputs);
free_check:
    free(check);
    return st;
}

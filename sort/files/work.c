/* work.c -- what sorting and -m have in common: open inputs and output, work, publish.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/work.h"

#include "sort/files/combine.h"
#include "sort/files/npy_files.h"
#include "sort/files/offsets.h"
#include "sort/files/record_format.h"
#include "sort/files/redirection.h"
#include "sort/files/sets.h"
#include "sort/files/split_output.h"
#include "sort/files/table_files.h"
#include "common/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum gs_status gs_make_spans(const struct gs_inputs *inputs, unsigned record_bytes,
                             struct gs_span **spans, uint64_t *keys, struct gs_error *err)
{
    *keys = 0;
    *spans = calloc(inputs->count, sizeof **spans);
    if (*spans == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%zu inputs", inputs->count);
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        (*spans)[i] = (struct gs_span){
            .keys = input->bytes, .count = input->size / record_bytes, .name = input->name};
        *keys += input->size / record_bytes;
    }
    return GS_OK;
}

/* Verify the output (options->verify), then publish it, which counts as time of stage "write". */
static enum gs_status prove_and_publish(struct gs_task *task, struct gs_inputs *inputs,
                                        struct gs_output *output, struct gs_stats *stats,
                                        struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_options *options = &task->sort;
    struct gs_stage_stats publishing;
    struct gs_output *parts = NULL;
    uint64_t own_keys = stats->keys_out;
    uint64_t tail_bytes = 0;
    uint64_t start;
    if (options->verify && output->kind == GS_OUTPUT_TEMPORARY && options->own.combine == NULL) {
        GS_TRY(gs_output_settle(output, err));
        GS_TRY(gs_verify_file(options, output->fd, output->head_bytes, stats, output->name, err));
    }
    start = gs_now_ns();
    if (task->split > 1)
        GS_TRY(gs_split_copy(task, output, stats->keys_out, gs_work_write_head, &parts, &own_keys,
                             err));
    if (task->found.npy != NULL && task->found.npy->head.table && options->index_bytes == 0) {
        tail_bytes = task->found.npy->tail_bytes;
        GS_TRY(gs_table_write_tail(task->found.npy, output, err));
    }
    if (task->hooks.consent != NULL)
        GS_TRY(task->hooks.consent(task->hooks.consent_context, err));
    if (output->target.kind == GS_TARGET_REPLACE)
        gs_inputs_let_go(inputs, output->target.status.st_dev, output->target.status.st_ino);
    if (task->split > 1)
        GS_TRY(gs_split_publish(task, parts, stats->keys_out, err));
    GS_TRY(gs_offsets_publish(task->offsets, stats->keys_out, task->synced, err));
    GS_TRY(gs_output_publish(output, own_keys * gs_written_bytes(options) + tail_bytes, err));
    publishing = gs_stage_since(start, 0, 0);
    gs_stage_add(&stats->stages[GS_STAGE_WRITE], &publishing);
cleanup:
    gs_split_discard(task, parts);
    return st;
}

enum gs_status gs_work_write_head(struct gs_task *task, struct gs_output *output, uint64_t keys,
                                  struct gs_error *err)
{
    if (output->head == task->found.index_head)
        gs_npy_write_integers(task->found.index_head, task->sort.index_bytes, keys);
    else if (task->found.npy != NULL && !task->found.npy->head.table &&
             task->sort.index_bytes == 0 && !output->head_written)
        gs_npy_files_count(task->found.npy, keys);
    return gs_output_write_head(output, err);
}

/* Is it a .npy file by its name? */
static bool is_npy_name(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".npy") == 0;
}

/* Put in front of the output what is in front of the first input's records; in front of indices,
 * nothing, or a header of their own if they shall be a .npy file. */
enum gs_status gs_work_set_head(const struct gs_task *task, const struct gs_inputs *inputs,
                                bool more, struct gs_output *output, struct gs_error *err)
{
    struct gs_npy_files *npy = task->found.npy;
    if (task->sort.index_bytes != 0) {
        if (output->kind == GS_OUTPUT_TEMPORARY && is_npy_name(output->name))
            gs_output_set_head(output, task->found.index_head, sizeof task->found.index_head);
        return GS_OK;
    }
    if (npy == NULL) {
        if (task->found.skips != NULL)
            gs_output_set_head(output, inputs->head, task->found.skips[0]);
        return GS_OK;
    }
    if (npy->head.table) {
        gs_output_set_head(output, npy->bytes, npy->head.header_bytes);
        return GS_OK;
    }
    const bool fewer = gs_writes_fewer(&task->sort);
    if (output->kind == GS_OUTPUT_STREAM && fewer)
        return gs_fail(
            err, GS_ERR_USAGE, 0, "%s: a .npy file begins with its length, which %s: use -o FILE",
            output->name, task->sort.unique ? "-u changes" : "is known when it is written");
    if (task->combine != NULL && task->combine->count_text != NULL) {
        enum gs_status added = gs_npy_files_add(npy, "count", &task->combine->count, err);
        if (added != GS_OK)
            return added;
    }
    npy->streams = output->kind == GS_OUTPUT_STREAM;
    npy->wanted = task->sort.wanted;
    enum gs_status st = gs_npy_files_make_out(npy, fewer || npy->wanted.end != GS_WANTED_ALL,
                                              inputs->count > 1 || more, err);
    gs_output_set_head(output, npy->out, npy->out_bytes);
    return st;
}

/* Everything after the inputs and the output are open. */
static enum gs_status write_and_publish(const struct gs_work *work, struct gs_task *task,
                                        struct gs_progress *progress, struct gs_inputs *inputs,
                                        struct gs_output *output, struct gs_stats *stats,
                                        struct gs_error *err)
{
    enum gs_status st = gs_work_set_head(task, inputs, false, output, err);
    if (st == GS_OK)
        st = work->write(task, progress, inputs, output, stats, err);
    if (st != GS_OK)
        return st;
    st = gs_work_write_head(task, output, stats->keys_out, err);
    if (st != GS_OK)
        return st;
    if (task->synced)
        gs_output_sync(output);
    return prove_and_publish(task, inputs, output, stats, err);
}

/* Open the output, where it may be one. */
static enum gs_status open_output(const struct gs_task *task, const struct gs_inputs *inputs,
                                  struct gs_output *output, struct gs_error *err)
{
    enum gs_status st = gs_output_open(output, task->found.output, err);
    if (st != GS_OK)
        return st;
    if (task->split > 0 && output->kind != GS_OUTPUT_TEMPORARY)
        st = gs_fail(err, GS_ERR_OUTPUT, 0, "%s: --split writes regular files", output->name);
    else if (task->found.npy != NULL && task->found.npy->head.table)
        st = gs_table_check(task, output, err);
    if (st == GS_OK)
        st = gs_refuse_redirection(inputs, output, err);
    if (st == GS_OK)
        st = gs_offsets_open(task->offsets, output, err);
    if (st != GS_OK)
        gs_output_discard(output);
    return st;
}

enum gs_status gs_work_run(const struct gs_work *work, struct gs_task *task,
                           struct gs_progress *progress, struct gs_stats *stats,
                           struct gs_error *err)
{
    struct gs_inputs inputs;
    struct gs_output output;
    *stats = (struct gs_stats){0};
    enum gs_status st = gs_open_records(task, &inputs, err);
    if (st != GS_OK)
        return st;
    if (work->prepare != NULL)
        work->prepare(task, &inputs);
    st = open_output(task, &inputs, &output, err);
    if (st == GS_OK) {
        gs_task_watch(task, &inputs, &output, work->verb);
        gs_output_go_direct(&output, task->direct);
        if (task->found.undecided)
            gs_progress_enter(progress, gs_stage_name(GS_STAGE_READ), 0);
        st = gs_decide_records(task, &inputs, err);
        if (st == GS_OK)
            st = gs_inputs_consume(&inputs, err);
        gs_output_begin(&output);
        struct gs_inputs sorted = inputs;
        if (st == GS_OK)
            st = gs_set_open(task, &sorted, &output, err);
        if (st == GS_OK)
            st = write_and_publish(work, task, progress, &sorted, &output, stats, err);
        gs_output_discard(&output); /* still watched: a signal meanwhile takes it back, too */
        gs_task_watch(task, NULL, NULL, NULL);
    }
    gs_offsets_discard(task->offsets);
    task->found.done_ns = gs_now_ns();
    if (!task->hooks.ends || !gs_holds_device())
        gs_inputs_close(&inputs);
    return st;
}

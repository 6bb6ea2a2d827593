/* sort_files.c -- sort all inputs into the output: in memory, or through temporary files.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files.h"
#include "sort/files/ahead.h"
#include "sort/files/memory_limit.h"
#include "sort/files/output_sink.h"
#include "sort/files/partial_output.h"
#include "sort/files/read_pipes.h"
#include "sort/files/resume.h"
#include "sort/files/spilled_sort.h"
#include "sort/files/work.h"
#include "common/clock.h"
#include "common/files/input.h"
#include "common/files/output.h"
#include "sort/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Size of pipes whose end is not seen yet: more than there is room for. It is doubled at most. */
#define UNKNOWN_BYTES (UINT64_MAX / 2)

/* Bring files that are not in the page cache there, from beginning to end. */
static void fetch(const struct gs_inputs *inputs, unsigned record_bytes,
                  struct gs_progress *progress, struct gs_stage_stats *stage)
{
    gs_progress_enter(progress, gs_stage_name(GS_STAGE_READ), 0);
    uint64_t start = gs_now_ns();
    uint64_t bytes = gs_fetch_inputs(inputs);
    *stage = gs_stage_since(start, bytes / record_bytes, bytes);
}

/* Sort inputs that are all in memory (own_bytes of them) or mapped. *refused: the system has no
 * memory for that, and the inputs are as they were. */
static enum gs_status sort_in_memory(const struct gs_task *task, const struct gs_read_limit *limit,
                                     uint64_t own_bytes, const struct gs_inputs *inputs,
                                     struct gs_output *output, struct gs_stats *stats,
                                     bool *refused, struct gs_error *err)
{
    enum gs_status st;
    struct gs_progress *progress = limit->progress;
    struct gs_options options = *limit->options;
    struct gs_span *spans = NULL;
    uint64_t keys;
    struct gs_stage_stats fetching;
    struct gs_output_sink to = gs_output_sink(output, &options, inputs);
    options.own.leave_device = task->hooks.ends;
    GS_TRY(gs_make_spans(inputs, gs_record_bytes(&options), &spans, &keys, err));
    const uint64_t output_bytes = gs_wanted_of(&options, keys) * gs_written_bytes(&options);
    const bool fewer = gs_writes_fewer(&options);
    gs_output_sink_expect(&to, keys);
    gs_output_sink_choose(&to, output_bytes);
    if (!fewer)
        GS_TRY(gs_output_reserve(output, output_bytes, err));
    gs_start_ahead(&options, keys * gs_record_bytes(&options),
                   fewer || options.wanted.end != GS_WANTED_ALL ? NULL : output, 0);
    fetch(inputs, gs_record_bytes(&options), progress, &fetching);
    options.memory_bytes = limit->bytes;
    options.own.held_bytes = own_bytes;
    GS_TRY(
        gs_width(&options)->sort(&options, spans, inputs->count, &to.sink, progress, stats, err));
    if (fetching.bytes > 0)
        gs_stage_add(&stats->stages[GS_STAGE_READ], &fetching);
cleanup:
    *refused = st == GS_ERR_MEMORY && !atomic_load(&to.wrote) &&
               (own_bytes == 0 || !atomic_load(&to.forgot)) &&
               options.engine <= GS_ENGINE_SAMPLESORT && options.own.incoming == NULL;
    st = gs_output_sink_close(&to, st, stats, err);
    free(spans);
    return st;
}

/* A run that is killed while it writes over an input leaves no other copy than what it kept, which
 * the next one could not prove to be of that input. */
static enum gs_status refuse_overwriting(const struct gs_task *task, const struct gs_inputs *inputs,
                                         const struct gs_output *output, struct gs_error *err)
{
    struct stat status;
    if (task->found.journal == NULL || output->kind == GS_OUTPUT_TEMPORARY ||
        fstat(output->fd, &status) != 0 || !S_ISREG(status.st_mode))
        return GS_OK;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        if (input->inode == status.st_ino && input->device == status.st_dev)
            return gs_fail(err, GS_ERR_USAGE, 0,
                           "%s: is the output, too: from what is half written over --resume could "
                           "not go on: use -o FILE",
                           input->name);
    }
    return GS_OK;
}

static enum gs_status write_sorted(const struct gs_task *task, struct gs_progress *progress,
                                   struct gs_inputs *inputs, struct gs_output *output,
                                   struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    const struct gs_incoming_calls *incoming = gs_width(&task->sort)->incoming;
    struct gs_stage_stats reading = {0};
    struct gs_forecast forecast;
    uint64_t own_bytes = 0; /* of input held in memory */
    bool partial;
    bool makes_pages = task->sort.own.combine == NULL && task->sort.wanted.end == GS_WANTED_ALL &&
                       output->direct != GS_DIRECT_ALWAYS && output->kind != GS_OUTPUT_STREAM &&
                       !(output->kind == GS_OUTPUT_POSITIONED &&
                         gs_inputs_await(inputs, output->device, output->inode));
    struct gs_options options = task->sort;
    struct gs_read_limit limit = {
        .options = &options,
        .inputs = inputs,
        .progress = progress,
        .output = makes_pages ? output : NULL,
        .bytes = gs_memory_limit(task, gs_inputs_bytes(inputs) / gs_record_bytes(&options),
                                 gs_inputs_pending(inputs))};
    GS_TRY(gs_partial_choose(&options, limit.bytes,
                             gs_inputs_bytes(inputs) / gs_record_bytes(&options),
                             gs_inputs_pending(inputs), &partial, err));
    if (partial)
        return gs_partial_output(task, inputs, output, progress, stats, err);
    if (incoming != NULL && inputs->count == 1 && gs_inputs_pending(inputs))
        options.own.incoming = incoming->start(&task->sort);
    GS_TRY(refuse_overwriting(task, inputs, output, err));
    GS_TRY(gs_read_pipes(&limit, &own_bytes, &reading, err));
    gs_output_begin(output); /* its file position may be shared with an input's */
    /* Mapped input that will be overwritten must be copied, which takes memory too. (The external
     * sort has read everything before it writes.) */
    uint64_t copied = output->kind == GS_OUTPUT_POSITIONED
                          ? gs_inputs_same(inputs, output->device, output->inode, output->start)
                          : 0;
    uint64_t keys = (limit.mapped_bytes + own_bytes) / gs_record_bytes(&options);
    GS_TRY(gs_width(&task->sort)->check_count(&task->sort, keys, err));
    bool spills = limit.reached ||
                  !gs_memory_fits(&options, limit.bytes, own_bytes + copied, keys, &forecast);
    if (spills)
        gs_output_end_prefill(output); /* pages count as memory, and are needed only much later */
    else if (copied > 0)
        GS_TRY(gs_inputs_detach(inputs, output->device, output->inode, output->start, &own_bytes,
                                err));
    if (limit.reached || keys >= GS_DIRTY_BYTES / gs_record_bytes(&options))
        gs_read_limit_bound_dirty(
            &limit, own_bytes,
            gs_inputs_pending(inputs) ? UNKNOWN_BYTES : keys * gs_record_bytes(&options), spills);
    if (!spills) {
        uint64_t needed = own_bytes + forecast.memory_bytes;
        st = sort_in_memory(task, &limit, own_bytes, inputs, output, stats, &spills, err);
        limit.bytes = needed < limit.bytes ? needed : limit.bytes;
        if (spills)
            *err = (struct gs_error){.status = GS_OK};
        else if (st != GS_OK)
            goto cleanup;
    }
    if (spills) {
        if (incoming != NULL)
            incoming->restore(options.own.incoming);
        GS_TRY(gs_spilled_sort(task, limit.bytes, own_bytes, inputs, output, progress, stats, err));
    }
    gs_stage_add(&stats->stages[GS_STAGE_READ], &reading);

cleanup:
    if (incoming != NULL)
        incoming->free(options.own.incoming);
    return st;
}

/* Before the output is opened, so that a GPU starts meanwhile. */
static void prepare(const struct gs_task *task, struct gs_inputs *inputs)
{
    uint64_t keys = gs_inputs_bytes(inputs) / gs_record_bytes(&task->sort);
    gs_inputs_make_room(inputs, gs_address_space_wanted(task, keys, gs_inputs_pending(inputs)));
    inputs->populates = gs_reads_with_help(&task->sort);
    if (task->sort.wanted.end == GS_WANTED_ALL) /* else few may be sorted */
        gs_start_ahead(&task->sort, gs_inputs_bytes(inputs), NULL, 0);
}

/* Say how many chunks an earlier run has left. */
static void note_resumed(const struct gs_journal *journal, struct gs_stats *stats)
{
    if (journal == NULL || journal->taken == 0)
        return;
    const size_t length = strlen(stats->reason);
    snprintf(stats->reason + length, sizeof stats->reason - length, ", %zu chunks of them resumed",
             journal->taken);
}

enum gs_status gs_sort_files(struct gs_task *task, struct gs_progress *progress,
                             struct gs_stats *stats, struct gs_error *err)
{
    static const struct gs_work work = {
        .verb = "sorted", .prepare = prepare, .write = write_sorted};
    struct gs_resume resume;
    enum gs_status st = gs_resume_open(&resume, task, err);
    if (st == GS_OK)
        st = gs_work_run(&work, task, progress, stats, err);
    note_resumed(resume.journal, stats);
    gs_resume_close(&resume, task, st == GS_OK);
    return st;
}

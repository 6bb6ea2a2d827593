/* merge_files.c -- merge inputs that are already in order.
 * SPDX-License-Identifier: MIT
 *
 * Mapped files are merged where they are; pipes are read to their ends first, into memory or,
 * beyond half of -S, into temporary files.
 */
#include "sort/files.h"
#include "sort/files/memory_limit.h"
#include "sort/files/output_sink.h"
#include "sort/files/partial_output.h"
#include "sort/files/work.h"
#include "common/clock.h"
#include "sort/sort.h"

#include <stdlib.h>
#include <sys/mman.h>

struct reading {
    struct gs_progress *progress;
    unsigned record_bytes;
};

/* For the progress line: the bytes that have come through pipes. */
static void tell_read(void *context, uint64_t bytes)
{
    const struct reading *reading = context;
    atomic_store(&reading->progress->done, bytes / reading->record_bytes);
}

static enum gs_status write_merged(const struct gs_task *task, struct gs_progress *progress,
                                   struct gs_inputs *inputs, struct gs_output *output,
                                   struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    struct gs_options options = task->sort;
    const unsigned record_bytes = gs_record_bytes(&options);
    struct reading told = {progress, record_bytes};
    struct gs_forecast forecast;
    struct gs_span *spans = NULL;
    struct gs_output_sink to = gs_output_sink(output, &options, NULL);
    uint64_t limit, keys, copied = 0, temporary_bytes, read_bytes;
    struct gs_stage_stats reading;
    const uint64_t begin_ns = gs_now_ns();
    const uint64_t mapped_bytes = gs_inputs_bytes(inputs);

    keys = mapped_bytes / record_bytes;
    limit = gs_memory_limit(task, keys, gs_inputs_pending(inputs));
    if (gs_inputs_pending(inputs)) /* of unknown length, and may go to temporary files */
        gs_memory_bound_dirty(&options, limit, limit, UINT64_MAX);
    gs_progress_enter(progress, gs_stage_name(GS_STAGE_READ), 0);
    if (output->kind == GS_OUTPUT_POSITIONED) {
        if (gs_inputs_same(inputs, output->device, output->inode, output->start) > limit / 2) {
            st = gs_fail(err, GS_ERR_MEMORY, 0,
                         "%s: an input that is written over would be copied to memory, which has "
                         "no room for it: -o has another way",
                         output->name);
            goto cleanup;
        }
        GS_TRY(
            gs_inputs_detach(inputs, output->device, output->inode, output->start, &copied, err));
    }
    GS_TRY(gs_inputs_spool(inputs, record_bytes, limit / 2, task->found.directories,
                           task->found.directory_count, tell_read, &told, &temporary_bytes, err));
    gs_output_begin(output); /* its file position may be shared with an input's */
    read_bytes = gs_inputs_bytes(inputs) - mapped_bytes;
    reading = gs_stage_since(begin_ns, read_bytes / record_bytes, read_bytes);
    GS_TRY(gs_make_spans(inputs, record_bytes, &spans, &keys, err));
    for (size_t i = 0; i < inputs->count; i++)
        if (spans[i].count > 0)
            gs_inputs_advise(inputs, spans[i].keys, inputs->list[i].size, MADV_SEQUENTIAL);
    gs_output_sink_expect(&to, keys);
    const uint64_t wanted = gs_wanted_of(&options, keys);
    if (options.wanted.end == GS_WANTED_HEAD && !options.unique)
        for (size_t i = 0; i < inputs->count; i++)
            spans[i].count = gs_wanted_of(&options, spans[i].count);
    if (!gs_writes_fewer(&options))
        GS_TRY(gs_output_reserve(output, wanted * record_bytes, err));
    options.memory_bytes = limit / 2;
    gs_width(&options)->forecast_merge(&options, inputs->count, keys, &forecast);
    gs_memory_bound_dirty(&options, limit, forecast.memory_bytes, wanted * record_bytes);
    GS_TRY(
        gs_width(&options)->merge(&options, spans, inputs->count, &to.sink, progress, stats, err));
    stats->keys_in = keys;
    GS_TRY(gs_inputs_check_spooled(inputs, err));
    stats->temporary_bytes = temporary_bytes;
    stats->memory_bytes += read_bytes - temporary_bytes + copied;
    gs_stage_add(&stats->stages[GS_STAGE_READ], &reading);

cleanup:
    st = gs_output_sink_close(&to, st, stats, err);
    free(spans);
    return st;
}

enum gs_status gs_merge_files(struct gs_task *task, struct gs_progress *progress,
                              struct gs_stats *stats, struct gs_error *err)
{
    static const struct gs_work work = {.verb = "merged", .write = write_merged};
    return gs_work_run(&work, task, progress, stats, err);
}

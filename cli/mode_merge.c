/* mode_merge.c -- -m: merge inputs that are in order already.
 * SPDX-License-Identifier: MIT
 *
 * Mapped files are merged from where they are; what comes through pipes is read to its end first,
 * into memory or, beyond a half of -S, into temporary files.
 */
#include "cli/memory_limit.h"
#include "cli/modes.h"
#include "cli/output_sink.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/spilled_sort.h"
#include "cli/stats.h"
#include "common/clock.h"
#include "common/input.h"
#include "common/output.h"
#include "sort/merge.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Everything after the inputs and the output are open. */
static enum gs_status merge_opened(const struct gs_command *command, struct gs_progress *progress,
                                   struct gs_inputs *inputs, struct gs_output *output,
                                   struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    struct gs_options options = command->sort;
    struct gs_span *spans = NULL;
    struct gs_output_sink to = gs_output_sink(output, &options, command->direct, NULL);
    uint64_t limit = gs_memory_limit(command);
    uint64_t keys, copied = 0, temporary_bytes;
    struct gs_stage_stats reading = {.device = "cpu", .begin_ns = gs_now_ns()};

    gs_progress_enter(progress, gs_stage_name(GS_STAGE_READ), 0);
    if (output->kind == GS_OUTPUT_POSITIONED)
        GS_TRY(gs_inputs_detach(inputs, output->device, output->inode, &copied, err));
    GS_TRY(gs_inputs_spool(inputs, GS_KEY_BYTES, limit / 2, command->directories,
                           command->directory_count, &temporary_bytes, err));
    reading.end_ns = gs_now_ns();
    reading.ns = reading.end_ns - reading.begin_ns;
    GS_TRY(gs_make_spans(inputs, &spans, &keys, err));
    for (size_t i = 0; i < inputs->count; i++)
        if (spans[i].count > 0)
            gs_inputs_advise(inputs, spans[i].keys, inputs->list[i].size, MADV_SEQUENTIAL);
    if (!options.unique)
        GS_TRY(gs_output_reserve(output, keys * GS_KEY_BYTES, err));
    options.memory_bytes = limit / 2;
    GS_TRY(gs_merge(&options, spans, inputs->count, &to.sink, progress, stats, err));
    stats->temporary_bytes = temporary_bytes;
    gs_stage_add(&stats->stages[GS_STAGE_READ], &reading);
    if (command->synced)
        gs_output_sync(output);
    GS_TRY(gs_output_finish(output, &options, stats, err));

cleanup:
    gs_output_sink_close(&to);
    free(spans);
    return st;
}

enum gs_status gs_mode_merge(const struct gs_command *command, struct gs_progress *progress,
                             uint64_t start_ns, struct gs_error *err)
{
    struct gs_inputs inputs;
    struct gs_output output;
    struct gs_stats stats = {0};
    enum gs_status st =
        gs_inputs_open(&inputs, command->files, command->file_count, GS_KEY_BYTES, err);
    if (st != GS_OK)
        return st;
    st = gs_output_open(&output, command->output, err);
    if (st == GS_OK) {
        gs_report_watch(&inputs, "merged");
        st = merge_opened(command, progress, &inputs, &output, &stats, err);
        gs_report_watch(NULL, NULL);
        gs_output_discard(&output);
    }
    gs_progress_stop();
    if (st == GS_OK && command->stats != GS_STATS_NONE)
        st = gs_stats_print(&stats, command, start_ns, gs_now_ns() - start_ns, err);
    gs_inputs_close(&inputs);
    return st;
}

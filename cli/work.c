/* work.c -- open the inputs and the output, work, publish.
 * SPDX-License-Identifier: MIT
 */
#include "cli/work.h"

#include "cli/output_sink.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/stats.h"
#include "common/clock.h"

/* Everything after the inputs and the output are open. */
static enum gs_status write_and_publish(const struct gs_work *work,
                                        const struct gs_command *command,
                                        struct gs_progress *progress, struct gs_inputs *inputs,
                                        struct gs_output *output, struct gs_stats *stats,
                                        struct gs_error *err)
{
    enum gs_status st = work->write(command, progress, inputs, output, stats, err);
    if (st != GS_OK)
        return st;
    if (command->synced)
        gs_output_sync(output);
    return gs_output_finish(output, &command->sort, stats, err);
}

enum gs_status gs_work_run(const struct gs_work *work, const struct gs_command *command,
                           struct gs_progress *progress, uint64_t start_ns, struct gs_error *err)
{
    struct gs_inputs inputs;
    struct gs_output output;
    struct gs_stats stats = {0};
    enum gs_status st =
        gs_inputs_open(&inputs, command->files, command->file_count, GS_KEY_BYTES, err);
    if (st != GS_OK)
        return st;
    if (work->prepare != NULL)
        work->prepare(command, &inputs);
    st = gs_output_open(&output, command->output, err);
    if (st == GS_OK) {
        gs_report_watch(&inputs, &output, work->verb);
        if (command->direct)
            gs_output_go_direct(&output);
        st = gs_inputs_consume(&inputs, err);
        gs_output_begin(&output);
        if (st == GS_OK)
            st = write_and_publish(work, command, progress, &inputs, &output, &stats, err);
        gs_report_watch(NULL, NULL, NULL);
        gs_output_discard(&output);
    }
    uint64_t wall_ns = gs_now_ns() - start_ns;
    gs_progress_stop();
    if (stats.warning[0] != '\0')
        gs_report_line("warning: %s", stats.warning);
    if (st == GS_OK && command->stats != GS_STATS_NONE)
        st = gs_stats_print(&stats, command, start_ns, wall_ns, err);
    if (!gs_holds_device()) /* it may have pinned what is mapped */
        gs_inputs_close(&inputs);
    return st;
}

/* mode_sort.c -- sort or merge all inputs into the output, and tell of it.
 * SPDX-License-Identifier: MIT
 */
#include "cli/modes.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/slips.h"
#include "cli/stats.h"

typedef enum gs_status gs_write_files(struct gs_task *task, struct gs_progress *progress,
                                      struct gs_stats *stats, struct gs_error *err);

static enum gs_status write_files(gs_write_files *write, const char *verb,
                                  struct gs_command *command, struct gs_progress *progress,
                                  uint64_t start_ns, struct gs_error *err)
{
    const struct gs_stats *stats = &command->done;
    enum gs_status st = write(&command->task, progress, &command->done, err);
    if (command->task.found.done_ns > 0)
        command->done_ns = command->task.found.done_ns - start_ns;
    gs_progress_stop();
    if (st == GS_OK && stats->warning[0] != '\0')
        gs_report_line("warning: %s", stats->warning);
    if (st == GS_OK)
        gs_slip_note(command, verb);
    if (st == GS_OK && command->stats != GS_STATS_NONE)
        st = gs_stats_print(stats, command, start_ns, command->done_ns, err);
    return st;
}

enum gs_status gs_mode_sort(struct gs_command *command, struct gs_progress *progress,
                            uint64_t start_ns, struct gs_error *err)
{
    return write_files(gs_sort_files, "sorted", command, progress, start_ns, err);
}

enum gs_status gs_mode_merge(struct gs_command *command, struct gs_progress *progress,
                             uint64_t start_ns, struct gs_error *err)
{
    return write_files(gs_merge_files, "merged", command, progress, start_ns, err);
}

/* mode_plan.c -- --plan: print what a run would do, and do nothing.
 * SPDX-License-Identifier: MIT
 */
#include "cli/modes.h"
#include "cli/plan_print.h"
#include "cli/progress.h"
#include "cli/report.h"

enum gs_status gs_mode_plan(struct gs_command *command, struct gs_error *err)
{
    struct gs_file_plan plan;
    const enum gs_status st =
        gs_plan_files(&command->task, command->mode == GS_MODE_MERGE, &plan, err);
    gs_progress_stop();
    if (st != GS_OK)
        return st;
    gs_plan_print(command, &plan);
    /* A failure is reported already. */
    return gs_report_close_stdout() == GS_EXIT_DONE ? GS_OK : GS_ERR_OUTPUT;
}

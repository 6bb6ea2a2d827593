/* mode_check.c -- -c and -C: are the inputs in order, one after the other?
 * SPDX-License-Identifier: MIT
 */
#include "cli/modes.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/slips.h"

#include <inttypes.h>

enum gs_status gs_mode_check(struct gs_command *command, struct gs_progress *progress,
                             bool *ordered, struct gs_error *err)
{
    struct gs_disorder disorder;
    const enum gs_status st = gs_check_files(&command->task, progress, &disorder, err);
    gs_progress_stop();
    if (st == GS_OK && disorder.found && !command->quiet)
        gs_report_line("%s:%" PRIu64 ": disorder: %s", disorder.name, disorder.index,
                       disorder.text);
    if (st == GS_OK && !command->quiet)
        gs_slip_note(command, "checked");
    *ordered = !disorder.found;
    return st;
}

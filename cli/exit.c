/* exit.c -- the exit statuses, and that there are no others.
 * SPDX-License-Identifier: MIT
 */
#include "cli/exit.h"

#include "cli/progress.h"
#include "cli/report.h"
#include "common/signals.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_planned;

/* The buffer of stdio's standard error, which gsort does not write to but libraries do: libgomp,
 * whose last words are two lines. Those become one of ours. */
static char said[512];

static void end_in_trouble(void)
{
    if (is_planned)
        return;
    (void)gs_signals_remove_temporary();
    char *text = said + strspn(said, "\n");
    text[strcspn(text, "\n")] = '\0';
    gs_progress_stop();
    gs_report_line("%s", *text != '\0' ? text : "ended by a library");
    _exit(GS_EXIT_TROUBLE);
}

void gs_exit_guard(void)
{
    (void)setvbuf(stderr, said, _IOFBF, sizeof said - 1);
    (void)atexit(end_in_trouble); /* fails only where 32 others are registered */
}

int gs_exit_status(enum gs_exit status)
{
    is_planned = true;
    return (int)status;
}

_Noreturn void gs_exit_now(enum gs_exit status)
{
    (void)fflush(stderr);
    _exit((int)status);
}

/* exit.c -- a guard that the program ends by no other exit statuses.
 * SPDX-License-Identifier: MIT
 */
#include "cli/exit.h"

#include "cli/progress.h"
#include "cli/report.h"
#include "common/files/signals.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_planned;

/* The buffer of stdio's stderr. gsort does not use that stream, but libraries do: the first line of
 * what one said before it ended is reported as gsort's own. */
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
    (void)atexit(end_in_trouble); /* at least 32 can be registered: it does not fail */
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

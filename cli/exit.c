/* exit.c -- the exit statuses, and that there are no others.
 * SPDX-License-Identifier: MIT
 */
#include "cli/exit.h"

#include "common/signals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_planned;

static void end_in_trouble(void)
{
    if (is_planned)
        return;
    gs_signals_remove_temporary();
    _exit(GS_EXIT_TROUBLE);
}

void gs_exit_guard(void)
{
    (void)atexit(end_in_trouble); /* fails only where 32 others are registered */
}

int gs_exit_status(enum gs_exit status)
{
    is_planned = true;
    return (int)status;
}

/* exit.h -- a guard that the program ends by no other exit statuses.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXIT_H
#define GS_EXIT_H

#include "cli/exit_status.h"

/* From now on, an exit() without gs_exit_status before it, which only a library in trouble calls,
 * removes the temporary file, reports in one line what the library said, and ends with
 * GS_EXIT_TROUBLE: MPI libraries call exit(1) where they can't go on, and 1 would mean disorder.
 * Call before anything is written to stdio's standard error. */
void gs_exit_guard(void);

/* Note that the end is planned. Returns the status for main to return or for exit(). */
int gs_exit_status(enum gs_exit status);

/* End the process now, without the exit handlers of libraries. */
_Noreturn void gs_exit_now(enum gs_exit status);

#endif

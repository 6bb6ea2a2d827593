/* progress.h -- one line on standard error that tells how far the run is.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PROGRESS_H
#define GS_PROGRESS_H

#include "cli/command.h"
#include "sort/sort.h"

/* Start a thread that watches *progress and also answers SIGUSR1 with one line at any time; every
 * thread must have SIGUSR1 blocked. If no thread can be started, nothing is shown.
 * *progress must stay until gs_progress_stop. */
void gs_progress_start(struct gs_progress *progress, enum gs_progress_when when);

/* Erase the line and end the thread. Harmless when there is none. */
void gs_progress_stop(void);

/* Erase the line if there is one. Async-signal-safe. */
void gs_progress_erase(void);

#endif

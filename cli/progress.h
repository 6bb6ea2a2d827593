/* progress.h -- one line on standard error that says how far the run is.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PROGRESS_H
#define GS_PROGRESS_H

#include "cli/options.h"
#include "sort/gsort.h"

/* Watch *progress from a thread of its own, which also answers SIGUSR1 with one line at any time;
 * every thread must have SIGUSR1 blocked. Where no thread can be had, nothing is shown. */
void gs_progress_start(struct gs_progress *progress, enum gs_progress_when when);

/* Erase the line and end the thread. Harmless when there is none. */
void gs_progress_stop(void);

/* Erase the line if there is one. Async-signal-safe. */
void gs_progress_erase(void);

#endif

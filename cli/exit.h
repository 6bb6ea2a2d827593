/* exit.h -- the exit statuses, and a guard that there are no others.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXIT_H
#define GS_EXIT_H

/* The exit statuses; sort(1) has the same. */
enum gs_exit {
    GS_EXIT_DONE = 0,     /* sorted, or -c found all in order */
    GS_EXIT_DISORDER = 1, /* only -c and -C: not in order */
    GS_EXIT_TROUBLE = 2   /* anything that went wrong */
};

/* From now on, an exit() without gs_exit_status before it, which only a library in trouble calls,
 * removes the temporary file, reports in one line what the library said, and ends with
 * GS_EXIT_TROUBLE. libgomp calls exit(1) if the system gives it no thread, and 1 would mean
 * disorder. Call before anything is written to stdio's standard error. */
void gs_exit_guard(void);

/* Note that the end is planned. Returns the status for main to return or for exit(). */
int gs_exit_status(enum gs_exit status);

/* End the process now, without the exit handlers of libraries. */
_Noreturn void gs_exit_now(enum gs_exit status);

#endif

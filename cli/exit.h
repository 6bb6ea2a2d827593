/* exit.h -- the exit statuses, and that there are no others.
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

/* Whoever calls exit() without gs_exit_status, a library, has met trouble: from now on that removes
 * the temporary file, says in one line what the library said, and ends with GS_EXIT_TROUBLE.
 * libgomp calls exit(1) where the system gives it no thread, and 1 would mean disorder. Call it
 * before anything is written to stdio's standard error. */
void gs_exit_guard(void);

/* The status for main to return or for exit(), in a planned end. */
int gs_exit_status(enum gs_exit status);

/* End the process now, without what libraries do at exit(). */
_Noreturn void gs_exit_now(enum gs_exit status);

#endif

/* exit_status.h -- the exit statuses.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXIT_STATUS_H
#define GS_EXIT_STATUS_H

/* The exit statuses; sort(1) has the same. */
enum gs_exit {
    GS_EXIT_DONE = 0,     /* sorted, or -c found all in order */
    GS_EXIT_DISORDER = 1, /* only -c and -C: not in order */
    GS_EXIT_TROUBLE = 2   /* anything that went wrong */
};

#endif

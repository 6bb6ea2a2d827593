/* processors.h -- how many processors this process may use.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PROCESSORS_H
#define GS_PROCESSORS_H

/* The processors that this process may run on, or as many as the CPU quota of its control groups
 * amounts to, if that is fewer: more threads would use up the quota and then all stand still for
 * the rest of each period (0.1 s). At least 1; the same value at each call. */
unsigned gs_processors(void);

/* Count them again: this process has changed where it may run. */
void gs_processors_count(void);

#endif

/* processors.h -- how many processors this process may use.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PROCESSORS_H
#define GS_PROCESSORS_H

/* Those that it may run on, or as many as its control groups give it the time of, if these are
 * fewer: more threads than that would stand still, all together, for a part of each tenth of a
 * second. At least 1; the same at each call. */
unsigned gs_processors(void);

#endif

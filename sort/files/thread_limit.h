/* thread_limit.h -- how many threads a run may start.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_THREAD_LIMIT_H
#define GS_THREAD_LIMIT_H

#include "sort/files/task.h"

/* Lower the number of threads if limits require it: their stacks and buffers take at most a
 * quarter of a limited address space, and no more threads are used than can be started. */
void gs_limit_threads(struct gs_task *task);

#endif

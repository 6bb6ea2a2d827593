/* thread_limit.h -- how many threads a run may start.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_THREAD_LIMIT_H
#define GS_THREAD_LIMIT_H

#include "sort/files/task.h"

/* Lower the number of threads where address space or data is limited: their stacks and buffers take
 * at most a quarter of it. (Where fewer can be started, fewer sort: team.c.) */
void gs_limit_threads(struct gs_task *task);

#endif

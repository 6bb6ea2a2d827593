/* thread_limit.h -- how many threads a run may start, and whether their stacks are large enough.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_THREAD_LIMIT_H
#define GS_THREAD_LIMIT_H

#include "cli/command.h"

/* Lower the number of threads if limits require it: their stacks and buffers take at most a
 * quarter of a limited address space, and no more threads are used than can be started. */
void gs_limit_threads(struct gs_command *command);

/* GS_ERR_MEMORY if the limit on stacks (ulimit -s) is less than the deepest calls need: they would
 * end in a fault without any message. */
enum gs_status gs_check_stack(struct gs_error *err);

#endif

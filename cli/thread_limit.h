/* thread_limit.h -- how many threads a run may start, and whether their stacks are large enough.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_THREAD_LIMIT_H
#define GS_THREAD_LIMIT_H

#include "cli/options.h"

/* Where address space is limited: no more threads than a quarter of it has stacks for; and where
 * the number of the user's threads is, no more than can be started. */
void gs_limit_threads(struct gs_command *command);

/* GS_ERR_MEMORY where the limit on stacks leaves less than the deepest calls take: without it they
 * would end in a fault, and nobody would be told. */
enum gs_status gs_check_stack(struct gs_error *err);

#endif

/* memory_limit.h -- how much memory a run may use, from -S or from what there is.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MEMORY_LIMIT_H
#define GS_MEMORY_LIMIT_H

#include "cli/options.h"

/* -S; without it three quarters of what the system has available, or of what the control group or
 * the limit on address space leaves, whichever is less, and of physical memory at most. What a
 * small input takes is allowed in any case, as sort(1) has its least buffer too. */
uint64_t gs_memory_limit(const struct gs_command *command);

#endif

/* stacks.h -- are the stacks of threads large enough, and no larger than there is room for?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STACKS_H
#define GS_STACKS_H

#include "common/status.h"

/* Where address space or data is limited, let threads that are started from now on have no larger
 * stacks than they need. */
void gs_limit_stacks(void);

/* GS_ERR_MEMORY if the limit on stacks (ulimit -s) is less than the deepest calls need: they would
 * end in a fault without any message. */
enum gs_status gs_check_stack(struct gs_error *err);

#endif

/* forget.h -- mapped input leaves the page table when it has been distributed, by a thread.
 * SPDX-License-Identifier: MIT
 *
 * Else input, a copy of it and the output would be resident at once, and the end of the process
 * would have to unmap it all. Keys that are looked at again all the same are mapped again.
 */
#ifndef GS_FORGET_H
#define GS_FORGET_H

#include "common/input.h"
#include "sort/gsort.h"

struct gs_forget;

/* Follow one gs_sort of these inputs by its progress; all stay until stop. NULL: there is no memory
 * or no thread for it. */
struct gs_forget *gs_forget_start(const struct gs_inputs *inputs,
                                  const struct gs_progress *progress);
void gs_forget_stop(struct gs_forget *forget);

#endif

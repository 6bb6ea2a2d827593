/* cache_sort_capacity.h -- how many keys a thread sorts at once, and in how much scratch memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CACHE_SORT_CAPACITY_H
#define GS_CACHE_SORT_CAPACITY_H

#include "sort/plan.h"
#include "sort/splitters.h"

#include <stddef.h>

/* Keys of a bin that is not split before it is sorted: no more than a small part of a thread's
 * share, so that nobody waits for it, and that buffers for it are a small part of the memory. */
uint64_t gs_capacity_keys(const struct gs_plan *plan);

/* Keys of scratch memory for each thread: as many as help it to sort a bin of twice its share.
 * (plan->memory_bytes counts fewer; but it counts twice the table that there is, which is more.) */
size_t gs_capacity_scratch(const struct gs_plan *plan);

/* Random keys in many bins: make that half as many, twice as wide, if a thread sorts those about as
 * fast. To place keys takes the longer, the more bins there are. */
void gs_capacity_widen(struct gs_splitters *splitters, const struct gs_plan *plan);

#endif

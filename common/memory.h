/* memory.h -- large buffers, and how much memory there is.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MEMORY_H
#define GS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory of its own pages, huge ones where the kernel has them: fewer faults and fewer TLB
 * misses for the random writes of a scatter. NULL with errno set when there is none. bytes may be
 * 0. Give it back with gs_pages_free and the same size. */
void *gs_pages_alloc(size_t bytes);
void gs_pages_free(void *pages, size_t bytes);

/* Bytes of physical memory. */
uint64_t gs_memory_total(void);

/* Bytes that this process may still take: what the system has available, what its control group
 * allows and what its address-space limit leaves, whichever is least. */
uint64_t gs_memory_available(void);

#endif

/* memory.h -- large buffers, and how much memory there is.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MEMORY_H
#define GS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a huge page has on most processors; where it has more, that much of it is asked for. */
#define GS_HUGE_PAGE_BYTES ((size_t)2 << 20)

/* Zeroed memory of its own pages, huge ones where the kernel has them: fewer faults and fewer TLB
 * misses for the random writes of a scatter. NULL with errno set when there is none. bytes may be
 * 0. Give it back with gs_pages_free and the same size. */
void *gs_pages_alloc(size_t bytes);

/* The same where of each huge page only so many bytes will be touched: small pages for few. */
void *gs_pages_alloc_touched(size_t bytes, size_t touched);

/* The same pages, perhaps elsewhere, and more; NULL, and they are as they were, where there are
 * none. pages may be NULL, and bytes 0. */
void *gs_pages_grow(void *pages, size_t bytes, size_t more);

void gs_pages_free(void *pages, size_t bytes);

/* madvise(2) for the whole pages in a range. */
void gs_pages_advise(const void *bytes, uint64_t size, int advice);

/* Have the pages of a mapping made, to be written to, by one call; false: not all could be, or the
 * kernel is older than 5.14. */
bool gs_pages_populate(void *pages, size_t bytes);

/* Copy past the caches, where that can be done: for more than they hold, as the lines to be written
 * need not be read first. */
void gs_copy_past_cache(void *restrict to, const void *restrict from, size_t bytes);

/* Bytes of physical memory. */
uint64_t gs_memory_total(void);

/* Address space that the limit of ulimit -v leaves this process; UINT64_MAX where there is none. */
uint64_t gs_address_space_left(void);

/* What that limit leaves, or that of ulimit -d, if it is less: buffers and stacks count in both, a
 * mapped file only in the first. */
uint64_t gs_buffer_space_left(void);

/* What the stack of a thread takes of that. */
uint64_t gs_stack_bytes(void);

/* Bytes that this process may still take: what the system has available, what its control group
 * allows and what limits of its own leave, whichever is least. */
uint64_t gs_memory_available(void);

/* What the control group alone leaves, with the pages of files that it would give back at once;
 * UINT64_MAX where it has no limit. */
uint64_t gs_memory_group_left(void);

#endif

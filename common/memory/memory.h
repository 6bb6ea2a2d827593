/* memory.h -- large buffers, and how much memory there is.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MEMORY_H
#define GS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A huge page on most processors; where one is larger, sizes are still rounded to this. */
#define GS_HUGE_PAGE_BYTES ((size_t)2 << 20)

/* Allocate zeroed pages, huge ones where the kernel has them: fewer page faults, and fewer TLB
 * misses for the random writes of a scatter. NULL with errno set on failure. bytes may be 0. Free
 * with gs_pages_free and the same size. */
void *gs_pages_alloc(size_t bytes);

/* The same, for a buffer of which only about `touched` bytes of each huge page will be touched: if
 * these are few, it gets small pages. */
void *gs_pages_alloc_touched(size_t bytes, size_t touched);

/* Grow an allocation from `bytes` to `more` bytes; its address may change, no byte is copied. NULL
 * on failure: the old pages are still there. pages may be NULL, with 0 bytes. */
void *gs_pages_grow(void *pages, size_t bytes, size_t more);

void gs_pages_free(void *pages, size_t bytes);

/* madvise(2) for those pages that lie completely in the range; failure is ignored. */
void gs_pages_advise(const void *bytes, uint64_t size, int advice);

/* Start reading the page of a mapped file that holds this byte. */
void gs_page_fetch(const void *byte);

/* Make the pages of a mapping, writable, in one call. False if some could not be made, or the
 * kernel is older than 5.14. */
bool gs_pages_populate(void *pages, size_t bytes);

/* Copy with non-temporal stores, where the processor has them: for more bytes than the caches hold,
 * since the lines that are written need not be read first. */
void gs_copy_past_cache(void *restrict to, const void *restrict from, size_t bytes);

/* Bytes of physical memory. */
uint64_t gs_memory_total(void);

/* Bytes of address space that ulimit -v leaves this process; UINT64_MAX if there is no limit. */
uint64_t gs_address_space_left(void);

/* What ulimit -v, ulimit -d or strict accounting (vm.overcommit_memory=2) leaves, whichever is
 * least: buffers and stacks count towards all of them, a mapped file only towards the first.
 * UINT64_MAX if there is no limit. */
uint64_t gs_buffer_space_left(void);

/* What the stack of one thread takes of that, in bytes. */
uint64_t gs_stack_bytes(void);

/* Bytes that this process may still allocate: what the system has available, what its control
 * groups allow or what its own limits leave, whichever is least. */
uint64_t gs_memory_available(void);

/* What the control groups alone leave, counting page cache that can be reclaimed at once as free;
 * UINT64_MAX if they set no limit. */
uint64_t gs_memory_group_left(void);

#endif

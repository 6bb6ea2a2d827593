/* huge_page.h -- a huge page for a file in memory, which Linux makes there only if it is told to.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_HUGE_PAGE_H
#define GS_HUGE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Make the GS_HUGE_PAGE_BYTES mapped at `pages`, which are those from `position` of a file on tmpfs
 * on, one huge page, whose bytes are zero where none were written; both are multiples of that.
 * false: the kernel does not (MADV_COLLAPSE is of 6.1), or has none. */
bool gs_huge_page_make(int fd, uint64_t position, void *pages);

#endif

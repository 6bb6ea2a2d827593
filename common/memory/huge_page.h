/* huge_page.h -- make a huge page of a file on tmpfs, which Linux does only on request.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_HUGE_PAGE_H
#define GS_HUGE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Make one huge page of the GS_HUGE_PAGE_BYTES bytes at `position` of fd, a file on tmpfs, which
 * are mapped at `pages`. Bytes written before keep their values, all others are zero. False if
 * position or pages is not a multiple of that size, or the kernel cannot do it (MADV_COLLAPSE came
 * with 6.1) or has no huge page. */
bool gs_huge_page_make(int fd, uint64_t position, void *pages);

#endif

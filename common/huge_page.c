/* huge_page.c -- a huge page for a file in memory, which Linux makes there only if it is told to.
 * SPDX-License-Identifier: MIT
 *
 * A range without any page cannot become a huge page. One that this process has not mapped needs no
 * translation to be dropped on the processors of all its threads: beside a busy one, 1 GiB takes 64
 * ms so, and 80 behind pages that were touched. But a mount may give out large pages by itself, and
 * one that was never written to would be mapped as it is, and cleared when somebody reads it. So
 * fallocate(2) counts only where it has made one small page.
 */
#include "common/huge_page.h"

#include "common/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than some C libraries' headers. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#if !defined SYS_cachestat && (defined __x86_64__ || defined __aarch64__)
#define SYS_cachestat 451
#endif

/* Pages of a huge one's bytes of the file that are in memory, written to or not; 0 also where Linux
 * does not tell (before 6.5). */
static uint64_t count_cached(int fd, uint64_t position)
{
#ifdef SYS_cachestat
    struct {
        uint64_t start, bytes;
    } range = {position, GS_HUGE_PAGE_BYTES};
    struct {
        uint64_t cached, dirty, written_back, evicted, recently_evicted;
    } pages = {0};
    return syscall(SYS_cachestat, fd, &range, &pages, 0) == 0 ? pages.cached : 0;
#else
    (void)fd, (void)position;
    return 0;
#endif
}

bool gs_huge_page_make(int fd, uint64_t position, void *pages)
{
    const bool allocated =
        fallocate(fd, 0, (off_t)position, 1) == 0 && count_cached(fd, position) == 1;
    return (allocated || gs_pages_populate(pages, 1)) &&
           madvise(pages, GS_HUGE_PAGE_BYTES, MADV_COLLAPSE) == 0;
}

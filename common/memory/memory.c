/* memory.c -- large buffers, and how much memory there is.
 * SPDX-License-Identifier: MIT
 */
#include "common/memory/memory.h"

#include "common/memory/control_group.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Missing in the headers of older C libraries. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* A huge page is cleared as a whole, in 0.1 to 0.4 ms. If less than a quarter of one is touched,
 * small pages, at half a microsecond each, are faster. */
#define SPARSE 4

/* Whether address space or data was limited at first: buffers are unmapped by the same rule. */
static bool is_limited;

static void look_for_limits(void)
{
    static const enum __rlimit_resource resources[] = {RLIMIT_AS, RLIMIT_DATA};
    struct rlimit limit;
    for (size_t i = 0; i < 2; i++)
        is_limited |= getrlimit(resources[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* The size to map for `bytes` bytes: from one huge page on, whole huge pages. Linux aligns a
 * mapping to huge pages only if its size is a multiple of them; in any other, the first and last
 * bytes would be in small pages, which take four times as long to touch. But where address space is
 * limited, there is none to spare: a sort has planned to use it. */
static size_t mapped_bytes(size_t bytes)
{
    static pthread_once_t looked = PTHREAD_ONCE_INIT;
    (void)pthread_once(&looked, look_for_limits);
    if (bytes < GS_HUGE_PAGE_BYTES || is_limited)
        return bytes == 0 ? 1 : bytes;
    if (bytes > SIZE_MAX - GS_HUGE_PAGE_BYTES)
        return bytes;
    return (bytes + GS_HUGE_PAGE_BYTES - 1) / GS_HUGE_PAGE_BYTES * GS_HUGE_PAGE_BYTES;
}

void *gs_pages_alloc(size_t bytes)
{
    return gs_pages_alloc_touched(bytes, GS_HUGE_PAGE_BYTES);
}

void *gs_pages_alloc_touched(size_t bytes, size_t touched)
{
    const bool sparse = touched < GS_HUGE_PAGE_BYTES / SPARSE;
    size_t want = mapped_bytes(bytes);
    void *pages = mmap(NULL, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    if (want >= GS_HUGE_PAGE_BYTES) /* only advice: it may be refused */
        madvise(pages, want, sparse ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    return pages;
}

void *gs_pages_grow(void *pages, size_t bytes, size_t more)
{
    if (pages == NULL)
        return gs_pages_alloc(more);
#ifdef __SANITIZE_THREAD__ /* which does not follow mremap, and would tell races that are none */
    void *copy = gs_pages_alloc(more);
    if (copy != NULL) {
        memcpy(copy, pages, bytes < more ? bytes : more);
        gs_pages_free(pages, bytes);
    }
    return copy;
#endif
    size_t want = mapped_bytes(more);
    void *grown = mremap(pages, mapped_bytes(bytes), want, MREMAP_MAYMOVE);
    if (grown == MAP_FAILED)
        return NULL;
    if (want >= GS_HUGE_PAGE_BYTES)
        madvise(grown, want, MADV_HUGEPAGE);
    return grown;
}

void gs_pages_free(void *pages, size_t bytes)
{
    if (pages != NULL)
        munmap(pages, mapped_bytes(bytes));
}

void gs_pages_advise(const void *bytes, uint64_t size, int advice)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)bytes + page - 1) / page * page;
    uintptr_t to = ((uintptr_t)bytes + (uintptr_t)size) / page * page;
    if (from < to)
        (void)madvise((void *)from, to - from, advice); /* advice only */
}

void gs_page_fetch(const void *byte)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)madvise((void *)((uintptr_t)byte / page * page), page, MADV_WILLNEED); /* advice only */
}

bool gs_pages_populate(void *pages, size_t bytes)
{
    return madvise(pages, bytes, MADV_POPULATE_WRITE) == 0;
}

void gs_copy_past_cache(void *restrict to, const void *restrict from, size_t bytes)
{
#if defined(__SSE2__)
    size_t skew = (uintptr_t)to % sizeof(__m128i);
    size_t head = skew == 0 ? 0 : sizeof(__m128i) - skew;
    if (head <= bytes) {
        memcpy(to, from, head);
        __m128i *lines = (__m128i *)((char *)to + head);
        const __m128i *source = (const __m128i *)((const char *)from + head);
        size_t count = (bytes - head) / sizeof *lines;
        for (size_t i = 0; i < count; i++)
            _mm_stream_si128(lines + i, _mm_loadu_si128(source + i));
        _mm_sfence(); /* a thread that is told of these bytes next must see them */
        to = lines + count;
        from = source + count;
        bytes = (bytes - head) % sizeof *lines;
    }
#endif
    memcpy(to, from, bytes);
}

/* Does the line begin with one of the names (ended by NULL)? *bytes is the number behind it. */
static bool has_bytes(const char *line, const char *const *names, uint64_t *bytes)
{
    for (; *names != NULL; names++) {
        size_t length = strlen(*names);
        if (strncmp(line, *names, length) == 0 && sscanf(line + length, " %" SCNu64, bytes) == 1)
            return true;
    }
    return false;
}

/* A line of /proc/meminfo, in bytes; 0 if there is none. */
static uint64_t system_memory(const char *name)
{
    const char *const names[] = {name, NULL};
    uint64_t kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "re");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (has_bytes(line, names, &kib))
            break;
    fclose(file);
    return kib * 1024;
}

/* What the system has available, or the free pages if that is not known. */
static uint64_t system_available(void)
{
    uint64_t bytes = system_memory("MemAvailable:");
    if (bytes != 0)
        return bytes;
    return (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Page cache that a control group and its descendants are charged for but that can be reclaimed at
 * once, from memory.stat: not dirty pages, nor pages under write-back. In version 1, only the
 * total_ fields include the descendants. */
static uint64_t group_reclaimable(const char *directory, bool version2)
{
    static const char *const cached[2][3] = {{"total_inactive_file", "total_active_file"},
                                             {"inactive_file", "active_file"}};
    static const char *const unwritten[2][3] = {{"total_dirty", "total_writeback"},
                                                {"file_dirty", "file_writeback"}};
    char line[128];
    uint64_t sum = 0;
    uint64_t waiting = 0;
    FILE *file = gs_control_group_open(directory, "memory.stat");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        uint64_t bytes = 0;
        if (has_bytes(line, cached[version2], &bytes))
            sum += bytes;
        if (has_bytes(line, unwritten[version2], &bytes))
            waiting += bytes;
    }
    fclose(file);
    return sum > waiting ? sum - waiting : 0;
}

/* Bytes left below the limit of one control group; UINT64_MAX if it sets none. */
static uint64_t group_left(const char *directory, bool version2, const char *limit_file)
{
    const char *used_file = version2 ? "memory.current" : "memory.usage_in_bytes";
    int64_t limit;
    int64_t used;
    if (!gs_control_group_read(directory, limit_file, 1, &limit))
        return UINT64_MAX;
    if (!gs_control_group_read(directory, used_file, 1, &used))
        return (uint64_t)limit;
    uint64_t reclaimable = group_reclaimable(directory, version2);
    uint64_t held = (uint64_t)used > reclaimable ? (uint64_t)used - reclaimable : 0;
    return (uint64_t)limit > held ? (uint64_t)limit - held : 0;
}

static void visit_group(const char *directory, bool version2, void *context)
{
    uint64_t *least = context;
    const char *limit_file = version2 ? "memory.max" : "memory.limit_in_bytes";
    uint64_t left = group_left(directory, version2, limit_file);
    *least = left < *least ? left : *least;
    if (version2) { /* above memory.high a process is not killed, but slowed down to a crawl */
        left = group_left(directory, true, "memory.high");
        *least = left < *least ? left : *least;
    }
}

uint64_t gs_memory_group_left(void)
{
    uint64_t least = UINT64_MAX;
    gs_control_groups("memory", visit_group, &least);
    return least;
}

/* Bytes left of a resource limit; its use, in pages, is number `place` (from 1) in /proc/self/statm
 * (proc(5)). UINT64_MAX if there is no limit. */
static uint64_t limit_left(enum __rlimit_resource resource, int place)
{
    struct rlimit limit;
    uint64_t pages = 0;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL) {
        while (place > 0 && fscanf(file, "%" SCNu64, &pages) == 1)
            place--;
        fclose(file);
    }
    uint64_t used = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

uint64_t gs_address_space_left(void)
{
    return limit_left(RLIMIT_AS, 1);
}

/* What the kernel keeps from one process under strict accounting: as much for the administrator,
 * and a share of this process's own size. [vm.admin_reserve_kbytes, vm.user_reserve_kbytes] */
#define COMMIT_RESERVE ((UINT64_C(8) + 128) << 20)

/* Bytes that may still be allocated under strict accounting (vm.overcommit_memory=2), where every
 * buffer counts as a whole, touched or not. UINT64_MAX in any other mode. */
static uint64_t commit_left(void)
{
    uint64_t limit, used, left;
    FILE *file = fopen("/proc/sys/vm/overcommit_memory", "re");
    bool strict = file != NULL && getc(file) == '2';
    if (file != NULL)
        fclose(file);
    if (!strict)
        return UINT64_MAX;
    limit = system_memory("CommitLimit:");
    used = system_memory("Committed_AS:");
    left = limit > used ? limit - used : 0;
    return left > 2 * COMMIT_RESERVE ? left - COMMIT_RESERVE : left / 2;
}

uint64_t gs_buffer_space_left(void)
{
    uint64_t space = gs_address_space_left();
    uint64_t data = limit_left(RLIMIT_DATA, 6); /* with the main stack, which does not count */
    uint64_t commit = commit_left();
    space = data < space ? data : space;
    return commit < space ? commit : space;
}

uint64_t gs_stack_bytes(void)
{
    pthread_attr_t attributes;
    size_t bytes = (size_t)8 << 20;
    if (pthread_attr_init(&attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &bytes);
        pthread_attr_destroy(&attributes);
    }
    return bytes;
}

/* gs_buffer_space_left less what threads' stacks and libraries may take. */
static uint64_t buffer_space_to_use(void)
{
    const uint64_t spare = (uint64_t)48 << 20;
    uint64_t left = gs_buffer_space_left();
    return left > 2 * spare ? left - spare : left / 2;
}

uint64_t gs_memory_total(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t gs_memory_available(void)
{
    uint64_t available = system_available();
    uint64_t groups = gs_memory_group_left();
    if (groups < available)
        available = groups;
    uint64_t space = buffer_space_to_use();
    return space < available ? space : available;
}

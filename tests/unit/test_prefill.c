/* test_prefill.c -- making pages ahead changes no byte, and what is copied to them is in the file.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/prefill.h"
#include "common/memory/huge_page.h"
#include "common/memory/memory.h"
#include "tests/unit/check.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE ((uint64_t)100003)
#define SIZE  (700 * PIECE + 1)

static char from[PIECE];

/* Fill from[] with the bytes that belong at a position. */
static void make_piece(uint64_t position)
{
    for (uint64_t i = 0; i < PIECE; i++)
        from[i] = (char)((position + i) * 31 >> 5 | 1);
}

static int open_file(uint64_t size)
{
    char name[] = "/tmp/gsort-prefill.XXXXXX";
    int fd = mkstemp(name);
    if (fd < 0 || unlink(name) != 0 || ftruncate(fd, (off_t)size) != 0)
        abort();
    return fd;
}

/* While threads make pages and the file grows, pieces are copied to pages that are ready, else
 * written by pwrite(2); the file holds all bytes either way. */
static void test_bytes(unsigned threads, bool eager)
{
    static char got[PIECE];
    int fd = open_file(SIZE);
    struct gs_prefill *prefill = gs_prefill_start(fd, 0, SIZE, threads, eager);
    uint64_t copied = 0;
    for (uint64_t position = 0; position + PIECE <= SIZE; position += PIECE) {
        if (prefill != NULL && position / PIECE % 100 == 50)
            gs_prefill_extend(prefill, position * 3 / 2);
        make_piece(position);
        char *pages = gs_prefill_pages(prefill, position, PIECE, eager);
        if (pages != NULL) {
            copied++;
            memcpy(pages, from, PIECE);
            gs_prefill_done(prefill, position, PIECE);
        } else if (pwrite(fd, from, PIECE, (off_t)position) != (ssize_t)PIECE) {
            abort();
        }
    }
    if (prefill != NULL && eager)
        CHECK_EQUAL(copied, SIZE / PIECE);
    CHECK(gs_prefill_pages(prefill, SIZE - 1, 2, true) == NULL); /* beyond the end */
    CHECK(gs_prefill_pages(prefill, UINT64_MAX - 1, 4, true) == NULL);
    gs_prefill_stop(prefill);
    uint64_t wrong = 0;
    for (uint64_t position = 0; position + PIECE <= SIZE; position += PIECE) {
        make_piece(position);
        if (pread(fd, got, PIECE, (off_t)position) != (ssize_t)PIECE)
            abort();
        wrong += memcmp(got, from, PIECE) != 0;
    }
    CHECK_EQUAL(wrong, 0);
    close(fd);
}

/* A mapping may begin within the file: positions count from there. */
static void test_start(void)
{
    const uint64_t start = (uint64_t)3 << 16;
    const uint32_t text = 0x64636261;
    uint32_t got;
    int fd = open_file(start + SIZE);
    struct gs_prefill *prefill = gs_prefill_start(fd, start, SIZE, 1, false);
    if (prefill == NULL)
        abort();
    gs_prefill_extend(prefill, SIZE);
    char *pages = gs_prefill_pages(prefill, 5, sizeof text, true);
    if (CHECK(pages != NULL)) {
        memcpy(pages, &text, sizeof text);
        CHECK(pread(fd, &got, sizeof got, (off_t)start + 5) == sizeof got && got == text);
    }
    gs_prefill_stop(prefill);
    close(fd);
}

/* Is this page made within 10 s? */
static bool soon_made(struct gs_prefill *prefill, uint64_t position)
{
    for (unsigned i = 0; i < 10000; i++, usleep(1000))
        if (gs_prefill_pages(prefill, position, 1, false) != NULL)
            return true;
    return false;
}

/* The last sixteenth of the pages is made only when as much has been written, or is waited for. */
static void test_late(bool done)
{
    const uint64_t size = (uint64_t)64 << 20;
    const uint64_t last = size - 1;
    int fd = open_file(size);
    struct gs_prefill *prefill = gs_prefill_start(fd, 0, size, 2, false);
    if (prefill == NULL)
        abort();
    gs_prefill_extend(prefill, size);
    CHECK(soon_made(prefill, size / 16 * 15 - 1));
    usleep(20000);
    CHECK(gs_prefill_pages(prefill, size / 16 * 15, 1, false) == NULL);
    if (done) {
        gs_prefill_done(prefill, 5 << 20, 2 << 20);
        CHECK(soon_made(prefill, size / 16 * 15 + (2 << 20) - 1));
        usleep(20000);
        CHECK(gs_prefill_pages(prefill, last, 1, false) == NULL);
        gs_prefill_done(prefill, 0, 2 << 20);
        CHECK(soon_made(prefill, last));
    } else {
        CHECK(gs_prefill_make(prefill, last, 1, false));
        CHECK(gs_prefill_pages(prefill, last, 1, false) != NULL);
    }
    gs_prefill_stop(prefill);
    close(fd);
}

/* A field of /proc/self/smaps, in bytes: of the mapping that begins at `mapping`, or (NULL) summed
 * over all. */
static uint64_t smaps_bytes(const char *name, const void *mapping)
{
    char line[256];
    uint64_t sum = 0;
    uintptr_t first;
    uintptr_t end;
    bool asked = mapping == NULL;
    FILE *file = fopen("/proc/self/smaps", "re");
    if (file == NULL)
        abort();
    while (fgets(line, sizeof line, file) != NULL) {
        if (mapping != NULL && sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &end) == 2)
            asked = first == (uintptr_t)mapping;
        if (asked && strncmp(line, name, strlen(name)) == 0)
            sum += strtoull(line + strlen(name), NULL, 10) << 10;
    }
    fclose(file);
    return sum;
}

/* Set a file's size and have two threads make all its pages, which *pages points to. */
static struct gs_prefill *start_made(int fd, uint64_t size, bool huge, char **pages)
{
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
        abort();
    struct gs_prefill *prefill = gs_prefill_start(fd, 0, size + 61440, 2, huge);
    if (prefill == NULL)
        abort();
    gs_prefill_extend(prefill, size);
    CHECK(gs_prefill_make(prefill, 0, size, false));
    *pages = gs_prefill_mapping(prefill, size);
    if (!CHECK(*pages != NULL))
        abort();
    return prefill;
}

/* Write to every page. */
static void mark_pages(char *pages, uint64_t size)
{
    for (uint64_t i = 0; i < size; i += 4095)
        pages[i] = (char)(i % 127);
}

static void check_marks(int fd, uint64_t size)
{
    char got = 0;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < size; i += 4095)
        wrong += pread(fd, &got, 1, (off_t)i) != 1 || got != (char)(i % 127);
    CHECK_EQUAL(wrong, 0);
}

/* Can this kernel make huge pages of a file on tmpfs? */
static bool can_be_huge(void)
{
    const size_t room = 2 * GS_HUGE_PAGE_BYTES;
    int fd = memfd_create("probe", MFD_CLOEXEC);
    char *probe = CHECK(fd >= 0 && ftruncate(fd, (off_t)room) == 0)
                      ? mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                      : MAP_FAILED;
    if (!CHECK(probe != MAP_FAILED))
        abort();
    char *aligned = probe + (0 - (uintptr_t)probe) % GS_HUGE_PAGE_BYTES;
    bool made = mmap(aligned, GS_HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                     fd, 0) == aligned &&
                gs_huge_page_make(fd, 0, aligned);
    munmap(probe, room);
    close(fd);
    return made;
}

/* A file on tmpfs gets huge pages, if the kernel can make them, and holds what is written. */
static void test_huge(void)
{
    const uint64_t size = ((uint64_t)64 << 20) + 4096;
    char *pages;
    int fd = memfd_create("huge", MFD_CLOEXEC);
    struct gs_prefill *prefill = start_made(fd, size, true, &pages);
    if (can_be_huge()) /* a few: free memory may be short */
        CHECK(smaps_bytes("ShmemPmdMapped:", NULL) >= 3 * GS_HUGE_PAGE_BYTES);
    mark_pages(pages, size);
    gs_prefill_done(prefill, 0, size);
    check_marks(fd, size);
    gs_prefill_stop(prefill);
    close(fd);
}

/* Pages are unmapped in pieces of 16 MiB, each as soon as all of it is reported written. */
static void test_pieces(bool huge)
{
    const uint64_t piece = (uint64_t)16 << 20;
    const uint64_t size = 3 * piece + 4096;
    char *pages;
    int fd = huge ? memfd_create("pieces", MFD_CLOEXEC) : open_file(size);
    struct gs_prefill *prefill = start_made(fd, size, huge, &pages);
    mark_pages(pages, size);
#define MAPPED smaps_bytes("Rss:", pages)
    CHECK(MAPPED >= size - 4096);
    gs_prefill_done(prefill, piece + 5, piece);
    CHECK(MAPPED >= size - 4096);
    gs_prefill_done(prefill, 7, piece - 2);
    CHECK(MAPPED <= size - piece && MAPPED >= size - piece - 4096);
    gs_prefill_done(prefill, 0, 7);
    CHECK(MAPPED <= size - 2 * piece && MAPPED >= piece);
#undef MAPPED
    check_marks(fd, size);
    gs_prefill_stop(prefill);
    close(fd);
}

/* If the file cannot grow any more, making its pages fails instead of waiting for ever. */
static void test_no_room(void)
{
    struct rlimit limit;
    int fd = open_file(0);
    struct gs_prefill *prefill = gs_prefill_start(fd, 0, 64 << 20, 3, true);
    if (prefill == NULL || getrlimit(RLIMIT_FSIZE, &limit) != 0)
        abort();
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 1 << 20, .rlim_max = limit.rlim_max});
    gs_prefill_extend(prefill, 64 << 20);
    CHECK(!gs_prefill_make(prefill, 0, 1 << 20, true));
    CHECK(!gs_prefill_make(prefill, 0, 64 << 20, false));
    setrlimit(RLIMIT_FSIZE, &limit);
    gs_prefill_stop(prefill);
    close(fd);
}

/* A thread that waits for pages at `position`, and whether they were made. */
struct waiting {
    struct gs_prefill *prefill;
    uint64_t position;
    bool made;
};

static void *wait_for_page(void *argument)
{
    struct waiting *waiting = argument;
    waiting->made = gs_prefill_make(waiting->prefill, waiting->position, 1, false);
    return NULL;
}

/* Threads that wait for different pages are all woken, in whatever order they came. */
static void test_waiting(void)
{
    const uint64_t size = (uint64_t)64 << 20;
    int fd = open_file(size);
    struct waiting waiting[4];
    pthread_t threads[4];
    struct gs_prefill *prefill = gs_prefill_start(fd, 0, size, 2, false);
    if (prefill == NULL)
        abort();
    gs_prefill_extend(prefill, size);
    for (unsigned i = 0; i < 4; i++) {
        waiting[i] =
            (struct waiting){.prefill = prefill, .position = size / 4 * ((i * 3 + 2) % 4 + 1) - 1};
        if (pthread_create(&threads[i], NULL, wait_for_page, &waiting[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK(waiting[i].made);
        CHECK(gs_prefill_pages(prefill, waiting[i].position, 1, false) != NULL);
    }
    gs_prefill_stop(prefill);
    close(fd);
}

/* Where a writer has made part of a unit, before the threads begin or while one waits for it, a
 * waiter for the rest of the unit still gets it. */
static void test_parts(void)
{
    const uint64_t unit = GS_HUGE_PAGE_BYTES;
    int fd = open_file(16 * unit);
    struct gs_prefill *prefill = gs_prefill_start(fd, 0, 16 * unit, 2, false);
    struct waiting waiting = {.position = 4 * unit - 1};
    pthread_t thread;
    if (prefill == NULL)
        abort();
    CHECK(gs_prefill_make(prefill, unit / 2, unit, true)); /* before the threads begin */
    gs_prefill_extend(prefill, 5 * unit + unit / 2);
    CHECK(gs_prefill_make(prefill, 0, 4 * unit, false));
    CHECK(gs_prefill_make(prefill, 0, 5 * unit + unit / 2, false)); /* a partial last unit, too */
    gs_prefill_extend(prefill, 16 * unit);
    CHECK(gs_prefill_make(prefill, 0, 10 * unit, false));
    gs_prefill_stop(prefill);
    close(fd);

    /* The same while another thread waits for the unit. */
    fd = open_file(16 * unit);
    prefill = gs_prefill_start(fd, 0, 16 * unit, 1, false);
    if (prefill == NULL)
        abort();
    waiting.prefill = prefill;
    gs_prefill_extend(prefill, 16 * unit);
    if (pthread_create(&thread, NULL, wait_for_page, &waiting) != 0)
        abort();
    CHECK(gs_prefill_make(prefill, 3 * unit, unit / 2, true));
    pthread_join(thread, NULL);
    CHECK(waiting.made);
    gs_prefill_stop(prefill);
    close(fd);
}

/* A writer that needs a part of a unit makes the whole unit, so that it can be a huge page. */
static void test_whole_units(void)
{
    const uint64_t size = (uint64_t)64 << 20;
    const uint64_t late = size / 16 * 15; /* the threads stop here of their own accord */
    int fd = open_file(size);
    struct gs_prefill *prefill = gs_prefill_start(fd, 0, size, 2, false);
    if (prefill == NULL)
        abort();
    gs_prefill_extend(prefill, size);
    CHECK(soon_made(prefill, late - 1));
    CHECK(gs_prefill_pages(prefill, late + GS_HUGE_PAGE_BYTES - 1, 1, false) == NULL);
    CHECK(gs_prefill_make(prefill, late, 1, true));
    CHECK(gs_prefill_pages(prefill, late + GS_HUGE_PAGE_BYTES - 1, 1, false) != NULL);
    CHECK(gs_prefill_pages(prefill, late + GS_HUGE_PAGE_BYTES, 1, false) == NULL);
    gs_prefill_stop(prefill);
    close(fd);
}

/* Thread: make this sharer's part of every unit. */
#define SHARERS 4
static void *make_share(void *argument)
{
    struct waiting *sharer = argument;
    const uint64_t share = GS_HUGE_PAGE_BYTES / SHARERS;
    sharer->made = true;
    for (uint64_t at = sharer->position; at < SIZE - share; at += GS_HUGE_PAGE_BYTES)
        sharer->made = sharer->made && gs_prefill_make(sharer->prefill, at, share, true);
    return NULL;
}

/* Several writers that each need a part of every unit, beside threads that make units ahead: none
 * waits for ever, and if the file is too short (no room), all learn of it. */
static void test_sharers(bool room)
{
    struct waiting sharers[SHARERS];
    pthread_t threads[SHARERS];
    int fd = open_file(room ? SIZE : 0);
    struct gs_prefill *prefill = gs_prefill_start(fd, 0, SIZE, 2, true);
    if (prefill == NULL)
        abort();
    gs_prefill_extend(prefill, SIZE);
    for (unsigned i = 0; i < SHARERS; i++) {
        sharers[i] =
            (struct waiting){.prefill = prefill, .position = i * (GS_HUGE_PAGE_BYTES / SHARERS)};
        if (pthread_create(&threads[i], NULL, make_share, &sharers[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < SHARERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(sharers[i].made == room);
    }
    gs_prefill_stop(prefill);
    close(fd);
}

/* Where pages cannot be made ahead, start returns NULL, which the other calls accept; beyond the
 * end of a file no page is handed out. */
static void test_refused(void)
{
    int fd = open("/dev/null", O_RDWR);
    CHECK(gs_prefill_start(fd, 0, 1 << 20, 1, false) == NULL);
    close(fd);
    fd = open_file(0);
    struct gs_prefill *prefill = gs_prefill_start(fd, 0, 1 << 20, 1, false);
    CHECK(prefill != NULL && gs_prefill_pages(prefill, 0, 1, true) == NULL);
    if (prefill != NULL)
        gs_prefill_extend(prefill, 1 << 20); /* untrue: the file is empty */
    usleep(1000);
    CHECK(gs_prefill_pages(prefill, 0, 1, true) == NULL);
    gs_prefill_stop(prefill);
    close(fd);
    CHECK(gs_prefill_pages(NULL, 0, 1, true) == NULL);
    gs_prefill_stop(NULL);
}

/* Stopping is safe at any time: before, during and after the threads' work. */
static void test_stop(void)
{
    for (unsigned i = 0; i < 50; i++) {
        int fd = open_file(SIZE);
        struct gs_prefill *prefill = gs_prefill_start(fd, 0, SIZE, i % 5 + 1, i % 2 == 0);
        if (prefill != NULL && i % 7 > 0)
            gs_prefill_extend(prefill, SIZE);
        if (i % 3 == 0)
            usleep(i * 10);
        gs_prefill_stop(prefill);
        close(fd);
    }
}

int main(void)
{
    alarm(120); /* a hang is a failure */
    test_bytes(1, false);
    test_bytes(1, true);
    test_bytes(2, false);
    test_bytes(3, true);
    test_start();
    test_late(true);
    test_late(false);
    test_huge();
    test_pieces(false);
    test_pieces(true);
    test_no_room();
    for (unsigned i = 0; i < 10; i++)
        test_waiting();
    for (unsigned i = 0; i < 10; i++)
        test_parts();
    test_whole_units();
    for (unsigned i = 0; i < 10; i++)
        test_sharers(i % 2 == 0);
    test_refused();
    test_stop();
    return check_failures();
}

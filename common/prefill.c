/* prefill.c -- have a new file's pages made by other threads, before there is anything to write.
 * SPDX-License-Identifier: MIT
 *
 * 1 GiB on ext4, Linux 6.18, 2 cores of a Xeon, best of 3, after fallocate: pwrite of new pages
 * 0.23 s; populate 0.20 s with one thread and 0.18 s with two, then 0.13 s to copy into the mapping
 * with two threads. cp took 0.39 s. On tmpfs: pwrite 0.30 s, populate with two threads 0.38 s, then
 * 0.08 s.
 *
 * On tmpfs, a page is entered into the file under a lock, for which threads wait: 4 GiB, 16 cores,
 * take 0.8 to 1.0 s by any number of threads from four on. Huge pages, which Linux makes of files
 * there only if it is told to (MADV_COLLAPSE), take eight threads 0.15 to 0.2 s, and no time to
 * unmap and to delete, where small ones take 0.3 and 0.4.
 */
#include "common/prefill.h"

#include "common/clock.h"
#include "common/huge_page.h"
#include "common/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Made with one call, a huge page if it is to be one: other threads that change the address space
 * wait that long, 0.4 ms. */
#define UNIT_BYTES GS_HUGE_PAGE_BYTES

/* Pages are at most that large on any processor that Linux runs on. */
#define PAGE_BYTES_MAX ((uint64_t)1 << 16)

/* A huge page takes a thread no longer than that, where memory is at hand: small ones take 1 ms by
 * two threads, and 3 by eight, which wait for each other. In a virtual machine it may have to be
 * fetched from the host, in 6 ms, while there are small pages that need not; or others have to be
 * moved out of the way. So much in all may be lost by trying, for each thread, or for two. */
#define HUGE_NS     2000000
#define HUGE_NS_FEW 2 /* up to so many threads; for more, twice as long */
#define LATE_NS     10000000

#define THREADS_MAX 16

/* Pages leave by so many bytes at once. Linux notes each block of a huge page that leaves, under a
 * lock of the file: 20 ms a GiB, by one thread or two. So that is not for the end, when all threads
 * would wait for it. */
#define PIECE_BYTES (8 * UNIT_BYTES)

/* This part of all pages is not made before as many are done, or somebody waits for them: whoever
 * sorts has other memory then, a table for each bin and chunk or a GPU's driver. */
#define LATE_SHARE 16

/* What is known of a unit's pages. Who takes a unit makes all of it: two threads that each made a
 * part would keep it from being a huge page, and wait for each other's small ones. */
enum { NOT_MADE, TAKEN, MADE };

struct gs_prefill {
    int fd;
    uint64_t start; /* of the output in its file */
    char *mapping;
    uint64_t room;
    atomic_bool huge;     /* units are made huge pages */
    atomic_uint *written; /* of each piece: bytes */
    unsigned threads;
    pthread_t thread[THREADS_MAX];
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t more;   /* to make, or the end */
    pthread_cond_t made;
    uint64_t bytes;   /* the file has so many */
    uint64_t wanted;  /* somebody waits, or has waited, for so many */
    uint64_t awaited; /* the least that somebody waits for now, or UINT64_MAX */
    unsigned waiting; /* threads that wait for a unit that is TAKEN */
    uint64_t done;    /* so many are written */
    uint8_t *units;   /* of each its state */
    uint64_t next;    /* below it no unit is NOT_MADE */
    uint64_t mark;    /* below it all are MADE */
    int64_t late_ns;  /* that huge pages took longer than they may, or less */
    int64_t huge_ns;  /* that one may take */
    int64_t most_ns;  /* that may be lost */
    bool ends;
};

#define NO_UNIT UINT64_MAX

static void end_threads(struct gs_prefill *prefill)
{
    prefill->ends = true;
    pthread_cond_broadcast(&prefill->more);
    pthread_cond_broadcast(&prefill->made);
}

/* Is the next unit to be made? Called with the mutex. */
static bool is_due(struct gs_prefill *prefill)
{
    uint64_t units = prefill->room / UNIT_BYTES;
    while (prefill->next < units && prefill->units[prefill->next] != NOT_MADE)
        prefill->next++;
    uint64_t end = (prefill->next + 1) * UNIT_BYTES;
    uint64_t most = prefill->done + prefill->bytes - prefill->bytes / LATE_SHARE;
    return end <= prefill->bytes && (end <= most || end - UNIT_BYTES < prefill->wanted);
}

/* Wait for a whole unit to make; NO_UNIT at the end. Called with the mutex. */
static uint64_t take_unit(struct gs_prefill *prefill)
{
    while (!prefill->ends && !is_due(prefill))
        pthread_cond_wait(&prefill->more, &prefill->mutex);
    if (prefill->ends)
        return NO_UNIT;
    prefill->units[prefill->next] = TAKEN;
    return prefill->next++;
}

/* Bytes from the beginning whose pages are all made. Called with the mutex. */
static uint64_t find_mark(struct gs_prefill *prefill)
{
    uint64_t units = prefill->room / UNIT_BYTES;
    while (prefill->mark < units && prefill->units[prefill->mark] == MADE)
        prefill->mark++;
    return prefill->mark * UNIT_BYTES;
}

/* Would who waits for so many bytes wait on? Called with the mutex. */
static bool waits_on(struct gs_prefill *prefill, uint64_t awaited)
{
    return find_mark(prefill) < awaited && !prefill->ends;
}

/* A unit that was TAKEN is made, or could not be: there is no room, say, and who waits is not to
 * wait on. Wakes those who wait for pages, if it may be one of them whose are made. Called with the
 * mutex. */
static void leave_unit(struct gs_prefill *prefill, uint64_t unit, bool made)
{
    prefill->units[unit] = made ? MADE : NOT_MADE;
    if (!made)
        end_threads(prefill);
    bool awaited = prefill->awaited != UINT64_MAX && !waits_on(prefill, prefill->awaited);
    if (awaited)
        prefill->awaited = UINT64_MAX; /* who goes on waiting says so again */
    if (awaited || prefill->waiting > 0)
        pthread_cond_broadcast(&prefill->made);
}

/* A huge page was made in so long, or refused: are they worth another try? Fast ones make up for
 * slow ones, but only for as many as may be lost. */
static bool huge_pays(struct gs_prefill *prefill, bool made, uint64_t ns)
{
    pthread_mutex_lock(&prefill->mutex);
    prefill->late_ns += made ? (int64_t)ns - prefill->huge_ns : prefill->most_ns / 2;
    if (prefill->late_ns < -prefill->most_ns)
        prefill->late_ns = -prefill->most_ns;
    bool pays = prefill->late_ns <= prefill->most_ns;
    pthread_mutex_unlock(&prefill->mutex);
    return pays;
}

/* Make the pages of one unit, one huge page as long as that pays. */
static bool make_unit(struct gs_prefill *prefill, uint64_t unit)
{
    const uint64_t position = unit * UNIT_BYTES;
    char *pages = prefill->mapping + position;
    if (atomic_load(&prefill->huge)) {
        uint64_t start = gs_now_ns();
        bool made = gs_huge_page_make(prefill->fd, prefill->start + position, pages);
        if (!huge_pays(prefill, made, gs_now_ns() - start))
            atomic_store(&prefill->huge, false);
    }
    return gs_pages_populate(pages, UNIT_BYTES); /* what is not made yet */
}

/* Make a unit that was taken. Called with the mutex. */
static void make_taken(struct gs_prefill *prefill, uint64_t unit)
{
    pthread_mutex_unlock(&prefill->mutex);
    bool made = make_unit(prefill, unit);
    pthread_mutex_lock(&prefill->mutex);
    leave_unit(prefill, unit, made);
}

static void *make_units(void *argument)
{
    struct gs_prefill *prefill = argument;
    pthread_mutex_lock(&prefill->mutex);
    uint64_t unit;
    while ((unit = take_unit(prefill)) != NO_UNIT)
        make_taken(prefill, unit);
    pthread_mutex_unlock(&prefill->mutex);
    return NULL;
}

/* Map the file's bytes from `start` on where huge pages may begin. */
static void *map_file(int fd, uint64_t start, uint64_t room)
{
    uint64_t space_bytes = room + UNIT_BYTES;
    char *space = mmap(NULL, (size_t)space_bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        return MAP_FAILED;
    uint64_t head = UNIT_BYTES - (uintptr_t)space % UNIT_BYTES;
    void *mapping = mmap(space + head, (size_t)room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                         fd, (off_t)start);
    munmap(space, (size_t)(mapping == MAP_FAILED ? space_bytes : head));
    if (mapping != MAP_FAILED && head < UNIT_BYTES)
        munmap(space + head + room, (size_t)(UNIT_BYTES - head));
    return mapping;
}

struct gs_prefill *gs_prefill_start(int fd, uint64_t start, uint64_t room, unsigned threads,
                                    bool huge)
{
    const unsigned many = threads > HUGE_NS_FEW ? threads : HUGE_NS_FEW;
    struct gs_prefill *prefill = calloc(1, sizeof *prefill);
    uint8_t *units = calloc(room / UNIT_BYTES + 1, sizeof *units);
    atomic_uint *written = calloc(room / PIECE_BYTES + 1, sizeof *written);
    if (prefill == NULL || units == NULL || written == NULL)
        goto none;
    *prefill = (struct gs_prefill){.fd = fd,
                                   .start = start,
                                   .room = room,
                                   .huge = huge,
                                   .units = units,
                                   .written = written,
                                   .awaited = UINT64_MAX,
                                   .huge_ns = HUGE_NS * (threads > HUGE_NS_FEW ? 2 : 1),
                                   .most_ns = LATE_NS * (int64_t)many,
                                   .mutex = PTHREAD_MUTEX_INITIALIZER,
                                   .more = PTHREAD_COND_INITIALIZER,
                                   .made = PTHREAD_COND_INITIALIZER};
    void *mapping = map_file(fd, start, room);
    if (mapping == MAP_FAILED)
        goto none;
    prefill->mapping = mapping;
    if (!gs_pages_populate(mapping, 0))
        goto unmap;
    while (prefill->threads < threads && prefill->threads < THREADS_MAX &&
           pthread_create(&prefill->thread[prefill->threads], NULL, make_units, prefill) == 0)
        prefill->threads++;
    if (prefill->threads == 0) {
        gs_prefill_stop(prefill);
        return NULL;
    }
    return prefill;
unmap:
    munmap(mapping, (size_t)room);
none:
    free(written);
    free(units);
    free(prefill);
    return NULL;
}

void gs_prefill_extend(struct gs_prefill *prefill, uint64_t bytes)
{
    pthread_mutex_lock(&prefill->mutex);
    if (bytes > prefill->bytes)
        prefill->bytes = bytes < prefill->room ? bytes : prefill->room;
    pthread_cond_broadcast(&prefill->more);
    pthread_mutex_unlock(&prefill->mutex);
}

/* Somebody wants so many. Called with the mutex. */
static void want(struct gs_prefill *prefill, uint64_t bytes)
{
    if (bytes <= prefill->wanted)
        return;
    prefill->wanted = bytes;
    pthread_cond_broadcast(&prefill->more);
}

void gs_prefill_want_all(struct gs_prefill *prefill)
{
    pthread_mutex_lock(&prefill->mutex);
    want(prefill, prefill->bytes);
    pthread_mutex_unlock(&prefill->mutex);
}

void gs_prefill_help(struct gs_prefill *prefill)
{
    pthread_mutex_lock(&prefill->mutex);
    want(prefill, prefill->bytes);
    while (!prefill->ends && is_due(prefill))
        make_taken(prefill, take_unit(prefill));
    pthread_mutex_unlock(&prefill->mutex);
}

static bool in_room(const struct gs_prefill *prefill, uint64_t position, uint64_t bytes)
{
    return position <= prefill->room && bytes <= prefill->room - position;
}

/* Wait until the pages of the first `end` bytes are made, if they will be. */
static bool await_pages(struct gs_prefill *prefill, uint64_t end)
{
    pthread_mutex_lock(&prefill->mutex);
    uint64_t last = prefill->bytes / UNIT_BYTES * UNIT_BYTES;
    uint64_t awaited = end < last ? end : last;
    want(prefill, end);
    while (waits_on(prefill, awaited)) {
        prefill->awaited = awaited < prefill->awaited ? awaited : prefill->awaited;
        pthread_cond_wait(&prefill->made, &prefill->mutex);
    }
    bool made = find_mark(prefill) >= end;
    pthread_mutex_unlock(&prefill->mutex);
    return made;
}

/* Make a unit that nobody makes yet, or wait until it is made. Called with the mutex. */
static bool make_unit_now(struct gs_prefill *prefill, uint64_t unit)
{
    prefill->waiting++;
    while (prefill->units[unit] == TAKEN)
        pthread_cond_wait(&prefill->made, &prefill->mutex);
    prefill->waiting--;
    if (prefill->units[unit] == NOT_MADE) {
        prefill->units[unit] = TAKEN;
        make_taken(prefill, unit);
    }
    return prefill->units[unit] == MADE;
}

/* Make pages here and now, while the threads make others: whole units, and what lies behind the
 * last of them. */
static bool make_now(struct gs_prefill *prefill, uint64_t position, uint64_t bytes)
{
    bool made = true;
    uint64_t end = position + bytes;
    pthread_mutex_lock(&prefill->mutex);
    uint64_t units = prefill->bytes / UNIT_BYTES;
    for (uint64_t unit = position / UNIT_BYTES; made && unit < units && unit * UNIT_BYTES < end;
         unit++)
        made = make_unit_now(prefill, unit);
    pthread_mutex_unlock(&prefill->mutex);
    /* Where there is no room for a unit, there may be for this part of it. */
    uint64_t first = !made || position > units * UNIT_BYTES ? position : units * UNIT_BYTES;
    first -= first % PAGE_BYTES_MAX;
    return first >= end || gs_pages_populate(prefill->mapping + first, (size_t)(end - first));
}

bool gs_prefill_make(struct gs_prefill *prefill, uint64_t position, uint64_t bytes, bool eager)
{
    if (!in_room(prefill, position, bytes))
        return false;
    return (!eager && await_pages(prefill, position + bytes)) || make_now(prefill, position, bytes);
}

/* Are these pages made? */
static bool is_made(struct gs_prefill *prefill, uint64_t position, uint64_t bytes)
{
    pthread_mutex_lock(&prefill->mutex);
    bool made = position + bytes <= find_mark(prefill);
    pthread_mutex_unlock(&prefill->mutex);
    return made;
}

void *gs_prefill_pages(struct gs_prefill *prefill, uint64_t position, uint64_t bytes, bool eager)
{
    if (prefill == NULL || !in_room(prefill, position, bytes))
        return NULL;
    bool made =
        eager ? gs_prefill_make(prefill, position, bytes, true) : is_made(prefill, position, bytes);
    return made ? prefill->mapping + position : NULL;
}

void *gs_prefill_mapping(struct gs_prefill *prefill, uint64_t bytes)
{
    pthread_mutex_lock(&prefill->mutex);
    bool room = bytes <= prefill->bytes;
    pthread_mutex_unlock(&prefill->mutex);
    return room ? prefill->mapping : NULL;
}

void gs_prefill_done(struct gs_prefill *prefill, uint64_t position, uint64_t bytes)
{
    const uint64_t end = position + bytes;
    for (uint64_t next; position < end; position = next) {
        const uint64_t piece = position / PIECE_BYTES;
        next = (piece + 1) * PIECE_BYTES < end ? (piece + 1) * PIECE_BYTES : end;
        const unsigned here = (unsigned)(next - position);
        if (atomic_fetch_add(&prefill->written[piece], here) + here == PIECE_BYTES)
            madvise(prefill->mapping + piece * PIECE_BYTES, PIECE_BYTES, MADV_DONTNEED);
    }
    pthread_mutex_lock(&prefill->mutex);
    prefill->done += bytes;
    if ((prefill->next + 1) * UNIT_BYTES <= prefill->bytes)
        pthread_cond_broadcast(&prefill->more);
    pthread_mutex_unlock(&prefill->mutex);
}

void gs_prefill_stop(struct gs_prefill *prefill)
{
    if (prefill == NULL)
        return;
    pthread_mutex_lock(&prefill->mutex);
    end_threads(prefill);
    pthread_mutex_unlock(&prefill->mutex);
    for (unsigned i = 0; i < prefill->threads; i++)
        pthread_join(prefill->thread[i], NULL);
    munmap(prefill->mapping, (size_t)prefill->room);
    free(prefill->written);
    free(prefill->units);
    free(prefill);
}

/* prefill.c -- threads that make a new file's pages before there is anything to write.
 * SPDX-License-Identifier: MIT
 *
 * 1 GiB on ext4, Linux 6.18, 2 cores of a Xeon, best of 3, after fallocate: pwrite of new pages
 * 0.23 s; populate 0.20 s with one thread and 0.18 s with two, then 0.13 s to copy into the mapping
 * with two threads. cp took 0.39 s. On tmpfs: pwrite 0.30 s, populate with two threads 0.38 s, then
 * 0.08 s.
 *
 * On tmpfs, each page is entered into the file under a lock that threads contend for: on 16 cores,
 * 4 GiB take 0.8 to 1.0 s with any number of threads from four on. With huge pages, which Linux
 * makes there only on request (MADV_COLLAPSE), eight threads take 0.15 to 0.2 s, and unmapping and
 * deleting the file take no time, against 0.3 and 0.4 s with small pages.
 */
#include "common/files/prefill.h"

#include "common/clock.h"
#include "common/memory/huge_page.h"
#include "common/memory/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The unit of work: what one call makes, and the size of a huge page. Other threads that change the
 * address space wait for the call, 0.4 ms. */
#define UNIT_BYTES GS_HUGE_PAGE_BYTES

/* The largest base page of any processor that Linux runs on. */
#define PAGE_BYTES_MAX ((uint64_t)1 << 16)

/* Are huge pages worth it? With memory at hand, one takes a thread at most HUGE_NS; a unit of small
 * pages takes 1 ms with two threads, and 3 ms with eight, which contend with each other. But in a
 * virtual machine a huge page may have to be fetched from the host, in 6 ms, while small pages are
 * at hand; or other pages have to be moved out of the way. Once huge pages have lost LATE_NS for
 * each thread (counting at least two threads), no more are tried. */
#define HUGE_NS     2000000
#define HUGE_NS_FEW 2 /* with more threads than this, one may take twice as long */
#define LATE_NS     10000000

#define THREADS_MAX 16

/* Written pages are unmapped in pieces of this size. Linux accounts for each block of an unmapped
 * huge page under a lock of the file, 20 ms a GiB with one thread or two: so it is done along the
 * way, not at the end, when all threads would wait for it. */
#define PIECE_BYTES (8 * UNIT_BYTES)

/* The last 1/16 of the pages is not made before as much is written, or somebody waits for it: until
 * then the sort needs other memory, for a table per bin and chunk or for a GPU's driver. */
#define LATE_SHARE 16

/* The state of a unit's pages. A thread that takes a unit makes the whole of it: two threads making
 * a part each would prevent a huge page, and contend for the small ones. */
enum { NOT_MADE, TAKEN, MADE };

struct gs_prefill {
    int fd;
    uint64_t start; /* of the output in its file, in bytes */
    char *mapping;
    uint64_t room;
    atomic_bool huge;     /* try a huge page for each unit */
    atomic_uint *written; /* bytes written of each piece */
    unsigned threads;
    pthread_t thread[THREADS_MAX];
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t more;   /* there are pages to make, or `ends` is set */
    pthread_cond_t made;   /* pages were made, or `ends` is set */
    uint64_t bytes;        /* make pages up to here: the file's length from start on */
    uint64_t wanted;       /* the most that anybody has waited for, from the beginning */
    uint64_t awaited;      /* the least that a thread waits for now, or UINT64_MAX */
    unsigned waiting;      /* threads that wait for a TAKEN unit */
    uint64_t done;         /* bytes written */
    uint8_t *units;        /* the state of each unit */
    uint64_t next;         /* no unit below this is NOT_MADE */
    uint64_t mark;         /* all units below this are MADE */
    int64_t late_ns;       /* time lost by huge pages so far; negative: gained */
    int64_t huge_ns;       /* time that one huge page may take */
    int64_t most_ns;       /* most time that may be lost */
    bool ends;
};

#define NO_UNIT UINT64_MAX

static void end_threads(struct gs_prefill *prefill)
{
    prefill->ends = true;
    pthread_cond_broadcast(&prefill->more);
    pthread_cond_broadcast(&prefill->made);
}

/* Is there a unit to make now? prefill->next is that unit then. Called with the mutex held. */
static bool is_due(struct gs_prefill *prefill)
{
    uint64_t units = prefill->room / UNIT_BYTES;
    while (prefill->next < units && prefill->units[prefill->next] != NOT_MADE)
        prefill->next++;
    uint64_t end = (prefill->next + 1) * UNIT_BYTES;
    uint64_t most = prefill->done + prefill->bytes - prefill->bytes / LATE_SHARE;
    return end <= prefill->bytes && (end <= most || end - UNIT_BYTES < prefill->wanted);
}

/* Wait for a unit to make and take it; NO_UNIT at the end. Called with the mutex held. */
static uint64_t take_unit(struct gs_prefill *prefill)
{
    while (!prefill->ends && !is_due(prefill))
        pthread_cond_wait(&prefill->more, &prefill->mutex);
    if (prefill->ends)
        return NO_UNIT;
    prefill->units[prefill->next] = TAKEN;
    return prefill->next++;
}

/* Bytes from the beginning whose pages are all made. Called with the mutex held. */
static uint64_t find_mark(struct gs_prefill *prefill)
{
    uint64_t units = prefill->room / UNIT_BYTES;
    while (prefill->mark < units && prefill->units[prefill->mark] == MADE)
        prefill->mark++;
    return prefill->mark * UNIT_BYTES;
}

/* Must a thread that awaits the first `awaited` bytes go on waiting? Called with the mutex held. */
static bool waits_on(struct gs_prefill *prefill, uint64_t awaited)
{
    return find_mark(prefill) < awaited && !prefill->ends;
}

/* A TAKEN unit is made, or could not be (there is no room, say): then all waiting ends. Wakes the
 * waiting threads if the pages of one of them may be complete. Called with the mutex held. */
static void leave_unit(struct gs_prefill *prefill, uint64_t unit, bool made)
{
    prefill->units[unit] = made ? MADE : NOT_MADE;
    if (!made)
        end_threads(prefill);
    bool awaited = prefill->awaited != UINT64_MAX && !waits_on(prefill, prefill->awaited);
    if (awaited)
        prefill->awaited = UINT64_MAX; /* a thread that must go on waiting sets it again */
    if (awaited || prefill->waiting > 0)
        pthread_cond_broadcast(&prefill->made);
}

/* A huge page was made in `ns`, or refused, which counts as half the most that may be lost: try
 * another? Fast ones make up for slow ones, but the credit is bounded like the loss. */
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

/* Make the pages of one unit: a huge page as long as that pays. */
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
    return gs_pages_populate(pages, UNIT_BYTES); /* small pages for whatever is missing */
}

/* Make a TAKEN unit. Called with the mutex held, which is released meanwhile. */
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

/* Map the file's bytes from `start` on, at an address where a huge page may begin. */
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

/* Somebody waits for the first `bytes` bytes. Called with the mutex held. */
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

/* Wait until the pages of the first `end` bytes are made. False: the threads do not make them all,
 * as they make whole units only, or have ended. */
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

/* Make a unit, or wait for the thread that has taken it. Called with the mutex held. */
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

/* Make these pages in this thread, while the others make theirs: whole units, then the rest behind
 * the last of them. */
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
    /* If there is no room for a whole unit, there may still be for this part of it. */
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

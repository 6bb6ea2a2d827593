/* slurp.c -- read a stream of unknown length into memory.
 * SPDX-License-Identifier: MIT
 *
 * The buffer grows by mremap(2), which moves page tables, not bytes, and pages not reached yet cost
 * nothing. So it can double each time, as long as there is address space.
 */
#include "common/files/slurp.h"

#include "common/files/pipe.h"
#include "common/memory/populate.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Once a stream has brought this much, a thread that makes pages is worth it. */
#define GS_POPULATE_BYTES ((size_t)64 << 20)

/* The least room for one read: what a large pipe holds. */
#define GS_READ_BYTES ((size_t)1 << 20)

/* Make or grow the buffer to `room` bytes or, if address space is short, to fewer, at least
 * `least`.
 */
static enum gs_status grow_buffer(struct gs_slurp *slurp, size_t room, size_t least,
                                  const char *name, struct gs_error *err)
{
    for (;;) {
        void *bytes =
            slurp->bytes == NULL
                ? mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                : mremap(slurp->bytes, slurp->room, room, MREMAP_MAYMOVE);
        if (bytes != MAP_FAILED) {
            /* Advice only. Each of many small files should not take a huge page. */
            if (room != GS_SLURP_BYTES)
                madvise(bytes, room, room < GS_SLURP_BYTES ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
            slurp->bytes = bytes;
            slurp->room = room;
            return GS_OK;
        }
        size_t less = slurp->room + (room - slurp->room) / 2;
        less -= less % GS_READ_BYTES;
        if (less < least || less >= room)
            return gs_fail(err, GS_ERR_MEMORY, errno, "%s: reading it into memory", name);
        room = less;
    }
}

/* The first buffer's size: a file's size and a little more, so that the next read sees the end. */
static size_t guess_room(int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
        (uint64_t)status.st_size > SIZE_MAX / 2)
        return GS_SLURP_BYTES;
    size_t room = (size_t)status.st_size + GS_READ_BYTES;
    return room + GS_READ_BYTES - room % GS_READ_BYTES;
}

/* Double the buffer, while no page is being made in it. */
static enum gs_status double_buffer(struct gs_slurp *slurp, struct gs_populate *populate,
                                    const char *name, const struct gs_slurp_watch *watch,
                                    struct gs_error *err)
{
    if (watch->moves != NULL)
        watch->moves(watch->context);
    gs_populate_lock(populate);
    /* No less than twice: the last memory that there is would be missing for the sort. */
    enum gs_status st = grow_buffer(slurp, slurp->room * 2, slurp->room * 2, name, err);
    gs_populate_unlock(populate, slurp->bytes, slurp->room);
    return st;
}

enum gs_status gs_slurp_read(struct gs_slurp *slurp, int fd, const char *name, bool populates,
                             const struct gs_slurp_watch *watch, struct gs_error *err)
{
    enum gs_status st;
    size_t got;
    struct gs_pipe_reader reader;
    struct gs_populate populate = {.running = false};
    gs_pipe_reader_open(&reader, fd);
    GS_TRY(grow_buffer(slurp, guess_room(fd), GS_READ_BYTES, name, err));
    do {
        GS_TRY(watch->gate(watch->context, slurp->used, err));
        if (slurp->room - slurp->used < GS_READ_BYTES)
            GS_TRY(double_buffer(slurp, &populate, name, watch, err));
        size_t room = slurp->room - slurp->used;
        const size_t most = gs_slurp_most(slurp->used);
        room = room < most ? room : most;
        GS_TRY(gs_pipe_reader_read(&reader, slurp->bytes + slurp->used, room, &got, name, err));
        slurp->used += got;
        if (populates && !populate.running && slurp->used >= GS_POPULATE_BYTES) {
            gs_populate_start(&populate, slurp->bytes, slurp->room);
            populates = populate.running;
        }
        gs_populate_want(&populate, slurp->used);
    } while (got > 0);

cleanup:
    gs_populate_stop(&populate);
    gs_pipe_reader_close(&reader);
    return st;
}

enum gs_status gs_slurp_copy(struct gs_slurp *slurp, const void *bytes, size_t size,
                             const char *name, struct gs_error *err)
{
    *slurp = (struct gs_slurp){.bytes = NULL, .used = 0, .room = 0};
    if (size == 0)
        return GS_OK;
    enum gs_status st = grow_buffer(slurp, size, size, name, err);
    if (st != GS_OK)
        return st;
    memcpy(slurp->bytes, bytes, size);
    slurp->used = size;
    return GS_OK;
}

void gs_slurp_trim(struct gs_slurp *slurp)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t used = (slurp->used + page - 1) / page * page;
    if (used == 0)
        gs_slurp_free(slurp);
    if (used >= slurp->room)
        return;
    munmap(slurp->bytes + used, slurp->room - used);
    slurp->room = used;
}

void gs_slurp_free(struct gs_slurp *slurp)
{
    if (slurp->bytes != NULL)
        munmap(slurp->bytes, slurp->room);
    *slurp = (struct gs_slurp){.bytes = NULL, .used = 0, .room = 0};
}

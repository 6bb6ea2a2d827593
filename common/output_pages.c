/* output_pages.c -- the output's pages: made ahead of the writes, or mapped to be written in place.
 * SPDX-License-Identifier: MIT
 */
#include "common/output_pages.h"

#include "common/dirty.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Threads that make pages: more than two on ext4 wait for each other, tmpfs takes eight. */
#define PREFILL_THREADS       2
#define PREFILL_THREADS_TMPFS 8

/* Less than this many bytes are written before the threads have begun; and an output of unknown
 * length grows by so many at least. */
#define PREFILL_BYTES_MIN ((uint64_t)32 << 20)

#define PREFILL_ALIGNMENT ((uint64_t)1 << 16)

/* tmpfs counts a page twice for a moment that two threads make at once, of which one takes the
 * other's: so many bytes, at the ends of what each writes and where it overtakes the threads above,
 * and the last of an output are never announced. A disk with less to spare would seem full. */
#define SPARE_BYTES_TMPFS (PREFILL_BYTES_MIN + 2 * PREFILL_THREADS_TMPFS * GS_HUGE_PAGE_BYTES)

/* Does ext4 write this file's bytes to its journal first (data=journal)? What is written through a
 * mapping takes it two to three times as long there as what is written by pwrite(2). No flag says
 * so, but such a file has no direct writes, and Linux tells that from 6.1 on. */
static bool is_journaled(int fd)
{
#ifdef STATX_DIOALIGN
    struct statx status;
    return statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 &&
           (status.stx_mask & STATX_DIOALIGN) != 0 && status.stx_dio_offset_align == 0;
#else
    (void)fd;
    return false;
#endif
}

/* The threads for an output's pages, if it is one that gains by them. */
static void start_prefill(struct gs_output *output, unsigned threads)
{
    struct stat status;
    char path[32];
    int fd = output->fd;
    if (output->kind == GS_OUTPUT_STREAM || fstat(fd, &status) != 0)
        return;
    if (!output->in_memory && (!gs_space_gains(fd) || gs_dirty_limited() || is_journaled(fd)))
        return;
    if (output->kind == GS_OUTPUT_POSITIONED) { /* as the shell opens it: new, and to write only */
        if ((uint64_t)status.st_size != output->start || output->start % PREFILL_ALIGNMENT != 0)
            return;
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        fd = open(path, O_RDWR | O_CLOEXEC);
    }
    unsigned most = output->in_memory ? PREFILL_THREADS_TMPFS : PREFILL_THREADS;
    uint64_t room = gs_memory_available() / 2; /* beyond, zeros would go to the disk */
    room -= room % PREFILL_ALIGNMENT;
    output->prefill_fd = fd;
    if (fd >= 0 && room > 0)
        output->prefill = gs_prefill_start(fd, output->start, room, threads < most ? threads : most,
                                           output->in_memory);
    /* Linux notes, as it unmaps a page, that it was used, and threads wait for each other there:
     * 4 GiB take 16 of them 1.3 s in all, and 0.2 s where a mapping is said to be read at random.
     * (Files on a disk would get small pages by that.) */
    if (output->prefill != NULL && output->in_memory)
        gs_pages_advise(gs_prefill_mapping(output->prefill, 0), room, MADV_RANDOM);
    if (output->prefill == NULL && fd >= 0 && fd != output->fd)
        close(fd);
}

/* Has the file system room for this file to end there? */
static bool has_room(const struct gs_output *output, const struct stat *status, uint64_t end)
{
    /* Longer than it has blocks is what tmpfs has only been told of. */
    uint64_t has = (uint64_t)(output->in_memory ? status->st_blocks * 512 : status->st_size);
    uint64_t spare = output->in_memory ? SPARE_BYTES_TMPFS : 0;
    return gs_space_free(output->fd) >= (end > has ? end - has : 0) + spare;
}

/* Make the file as long as `bytes` of output, with room for them where that can be reserved. Not
 * where so much may not be written, by what is free or by the limit of a file's size, which is
 * told by a signal: fewer keys may turn out to stay. */
static bool grow_file(struct gs_output *output, uint64_t bytes)
{
    struct stat status;
    struct rlimit limit;
    off_t end = (off_t)(output->start + bytes);
    if (fstat(output->fd, &status) != 0)
        return false;
    if (status.st_size >= end)
        return true;
    if ((getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < (rlim_t)end) ||
        !has_room(output, &status, (uint64_t)end))
        return false;
    bool grown = gs_space_gains(output->fd)
                     ? fallocate(output->fd, 0, status.st_size, end - status.st_size) == 0
                     : ftruncate(output->fd, end) == 0;
    if (grown)
        output->grown_bytes = bytes;
    return grown;
}

/* What cannot be had whole is not made ahead at all: it is written as ever. */
static void extend(struct gs_output *output, uint64_t bytes)
{
    if (output->prefill == NULL)
        return;
    if (grow_file(output, bytes))
        gs_prefill_extend(output->prefill, bytes);
    else
        gs_output_end_prefill(output);
}

void gs_output_prefill(struct gs_output *output, uint64_t bytes, unsigned threads)
{
    /* Pages made ahead wait for the disk, but nobody counts them. Those of tmpfs never do: the
     * group has them in the end in any case, so they may come now. */
    if (gs_dirty_limited() && !output->in_memory)
        gs_output_end_prefill(output);
    if (output->direct || bytes < output->prefilled_bytes + PREFILL_BYTES_MIN ||
        bytes > INT64_MAX / 2)
        return;
    if (output->prefilled_bytes == 0)
        start_prefill(output, threads);
    output->prefilled_bytes = bytes;
    extend(output, bytes);
}

bool gs_output_copy_to_pages(struct gs_output *output, const void *data, size_t bytes,
                             uint64_t position)
{
    void *pages = gs_prefill_pages(output->prefill, position, bytes, output->in_memory);
    if (pages == NULL)
        return false;
    gs_copy_past_cache(pages, data, bytes);
    gs_prefill_done(output->prefill, position, bytes);
    return true;
}

void gs_output_end_prefill(struct gs_output *output)
{
    if (output->pipe && output->mapped != NULL) {
        gs_pages_free(output->mapped, output->mapped_bytes);
        output->mapped = NULL;
    }
    if (output->prefill == NULL)
        return;
    output->mapped = NULL;
    gs_prefill_stop(output->prefill);
    output->prefill = NULL;
    if (output->prefill_fd != output->fd)
        close(output->prefill_fd);
}

/* Pages that are written long before the file is complete may go to the disk twice. Linux begins to
 * write them when they are a tenth of the memory there is (vm.dirty_background_ratio). */
#define EARLY_SHARE 10

/* Memory whose pages a pipe can be given: they are made as they are touched. */
static void *map_pipe(struct gs_output *output, uint64_t bytes)
{
    gs_output_end_prefill(output); /* of a sort that has failed before anything was written */
    output->mapped = gs_pages_alloc(bytes);
    output->mapped_bytes = output->mapped != NULL ? bytes : 0;
    output->given_bytes = 0;
    return output->mapped;
}

/* Unmapped are whole huge pages, which the pipe keeps as long as it has to. */
enum gs_status gs_output_give_pages(struct gs_output *output, const void *data, size_t bytes,
                                    struct gs_error *err)
{
    enum gs_status st = gs_file_give_full(output->fd, data, bytes, output->name, err);
    const char *first = (const char *)output->mapped + output->given_bytes;
    uint64_t given =
        (uint64_t)((const char *)data + bytes - first) / GS_HUGE_PAGE_BYTES * GS_HUGE_PAGE_BYTES;
    if (given > 0)
        gs_pages_advise(first, given, MADV_DONTNEED);
    output->given_bytes += given;
    return st;
}

void *gs_output_map(struct gs_output *output, uint64_t bytes, bool early, unsigned threads)
{
    if (output->pipe)
        return early ? NULL : map_pipe(output, bytes);
    if (output->kind == GS_OUTPUT_STREAM ||
        (early && !output->in_memory && bytes > gs_memory_available() / EARLY_SHARE))
        return NULL;
    output->helps = early && threads > 1;
    gs_output_prefill(output, bytes, output->helps ? threads - 1 : threads);
    extend(output, bytes); /* by less than a prefill is for */
    if (output->prefill == NULL)
        return NULL;
    output->mapped = gs_prefill_mapping(output->prefill, bytes);
    if (early && output->mapped != NULL)
        gs_prefill_want_all(output->prefill);
    output->mapped_bytes = bytes;
    return output->mapped;
}

enum gs_status gs_output_make(struct gs_output *output, uint64_t position, uint64_t bytes,
                              struct gs_error *err)
{
    bool eager = output->in_memory && bytes < output->mapped_bytes;
    if (output->helps && bytes == output->mapped_bytes)
        gs_prefill_help(output->prefill);
    if (gs_prefill_make(output->prefill, position, bytes, eager))
        return GS_OK;
    /* No number says why; who asks for the room is told. */
    bool room = fallocate(output->fd, 0, (off_t)(output->start + position), (off_t)bytes) == 0;
    int errnum = room ? EIO : errno;
    if (room && gs_prefill_make(output->prefill, position, bytes, true))
        return GS_OK;
    return gs_fail(err, GS_ERR_OUTPUT, errnum, "%s: write failed", output->name);
}

void gs_output_made(struct gs_output *output, uint64_t position, uint64_t bytes)
{
    gs_prefill_done(output->prefill, position, bytes);
}

bool gs_output_holds(const struct gs_output *output, const void *address)
{
    uintptr_t first = (uintptr_t)output->mapped;
    uintptr_t at = (uintptr_t)address;
    return first != 0 && at >= first && at - first < output->mapped_bytes;
}

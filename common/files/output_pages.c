/* output_pages.c -- the output's pages: made ahead of the writes, or mapped and filled in place.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/output_pages.h"

#include "common/files/dirty.h"
#include "common/files/file.h"
#include "common/memory/memory.h"
#include "common/files/space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Threads that make pages: on ext4 more than two contend with each other, tmpfs scales to eight. */
#define PREFILL_THREADS       2
#define PREFILL_THREADS_TMPFS 8

/* A shorter output is written before the threads have even started. An output of unknown length is
 * also extended in steps of at least this. */
#define PREFILL_BYTES_MIN ((uint64_t)32 << 20)

#define PREFILL_ALIGNMENT ((uint64_t)1 << 16)

/* Two threads that make the same tmpfs page at once are charged for two until one drops its own:
 * for up to two huge pages a thread, at the ends of what it writes and where it overtakes the
 * threads above. And the last bytes of an output, fewer than PREFILL_BYTES_MIN, are not announced.
 * Without this much to spare, a file system with just enough room would seem full. */
#define SPARE_BYTES_TMPFS (PREFILL_BYTES_MIN + 2 * PREFILL_THREADS_TMPFS * GS_HUGE_PAGE_BYTES)

/* Does ext4 write this file's data to its journal first (data=journal)? There, writing through a
 * mapping takes two to three times as long as pwrite(2). No flag reports the mode, but such a file
 * does not support direct I/O, which Linux 6.1 and later report. */
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

/* Start the threads that make the output's pages, if it is of a kind that gains by them. */
static void start_prefill(struct gs_output *output, unsigned threads)
{
    struct stat status;
    char path[32];
    int fd = output->fd;
    if (output->kind == GS_OUTPUT_STREAM || fstat(fd, &status) != 0)
        return;
    if (!output->in_memory && (!gs_space_gains(fd) || gs_dirty_limited() || is_journaled(fd)))
        return;
    if (output->kind == GS_OUTPUT_POSITIONED) { /* from the shell, new and write-only: reopen it */
        if ((uint64_t)status.st_size != output->start || output->start % PREFILL_ALIGNMENT != 0)
            return;
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        fd = open(path, O_RDWR | O_CLOEXEC);
    }
    unsigned most = output->in_memory ? PREFILL_THREADS_TMPFS : PREFILL_THREADS;
    uint64_t room = gs_memory_available() / 2; /* more would be written back as zeros first */
    room -= room % PREFILL_ALIGNMENT;
    output->prefill_fd = fd;
    if (fd >= 0 && room > 0)
        output->prefill = gs_prefill_start(fd, output->start, room, threads < most ? threads : most,
                                           output->in_memory);
    /* When Linux unmaps a page it marks it as accessed, and threads contend for that: unmapping
     * 4 GiB takes 16 threads 1.3 s in all, but 0.2 s under MADV_RANDOM, which skips the mark.
     * (A file on a disk would get small pages by this advice.) */
    if (output->prefill != NULL && output->in_memory)
        gs_pages_advise(gs_prefill_mapping(output->prefill, 0), room, MADV_RANDOM);
    if (output->prefill == NULL && fd >= 0 && fd != output->fd)
        close(fd);
}

/* Does the file system have room for this file to grow to `end` bytes? */
static bool has_room(const struct gs_output *output, const struct stat *status, uint64_t end)
{
    /* ftruncate allocates nothing on tmpfs: there, only the blocks count as present. */
    uint64_t has = (uint64_t)(output->in_memory ? status->st_blocks * 512 : status->st_size);
    uint64_t spare = output->in_memory ? SPARE_BYTES_TMPFS : 0;
    return gs_space_free(output->fd) >= (end > has ? end - has : 0) + spare;
}

/* Extend the file for `bytes` of output, and allocate the space where the file system can. False,
 * and no error yet, if there is no room or RLIMIT_FSIZE, which would raise a signal, forbids it:
 * the output may turn out shorter (-u). */
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

/* Make the pages of `bytes` of output. If the file cannot grow to that, make none at all: the
 * output is then written by pwrite(2). */
static void extend(struct gs_output *output, uint64_t bytes)
{
    if (output->prefill == NULL)
        return;
    if (grow_file(output, bytes))
        gs_prefill_extend(output->prefill, bytes);
    else
        gs_output_end_prefill(output);
}

/* gs_output_prefill with the head among the bytes. */
static void prefill(struct gs_output *output, uint64_t bytes, unsigned threads)
{
    /* Pages made ahead are dirty, but gs_dirty_written does not count them. Those of tmpfs never
     * wait for a disk, and the control group is charged for them in the end anyway. */
    if (gs_dirty_limited() && !output->in_memory)
        gs_output_end_prefill(output);
    if (output->direct == GS_DIRECT_ALWAYS || bytes < output->prefilled_bytes + PREFILL_BYTES_MIN ||
        bytes > INT64_MAX / 2)
        return;
    if (output->prefilled_bytes == 0)
        start_prefill(output, threads);
    output->prefilled_bytes = bytes;
    extend(output, bytes);
}

void gs_output_prefill(struct gs_output *output, uint64_t bytes, unsigned threads)
{
    prefill(output, bytes + output->head_bytes, threads);
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

/* Pages that are stored to repeatedly may be written to the disk twice: write-back begins when a
 * tenth of the available memory is dirty (vm.dirty_background_ratio). */
#define EARLY_SHARE 10

/* Memory whose pages can be given to a pipe; they are made when first touched. */
static void *map_pipe(struct gs_output *output, uint64_t bytes)
{
    gs_output_end_prefill(output); /* of an attempt that failed before anything was written */
    output->mapped = gs_pages_alloc(bytes);
    output->mapped_bytes = output->mapped != NULL ? bytes : 0;
    output->given_bytes = 0;
    return output->mapped;
}

/* Afterwards unmap the huge pages that are given completely; the pipe keeps its own references. */
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
    bytes += output->head_bytes;
    output->helps = early && threads > 1;
    prefill(output, bytes, output->helps ? threads - 1 : threads);
    extend(output, bytes); /* the last few bytes, too few for gs_output_prefill */
    if (output->prefill == NULL)
        return NULL;
    output->mapped = gs_prefill_mapping(output->prefill, bytes);
    if (early && output->mapped != NULL)
        gs_prefill_want_all(output->prefill);
    output->mapped_bytes = bytes;
    return output->mapped != NULL ? (char *)output->mapped + output->head_bytes : NULL;
}

enum gs_status gs_output_make(struct gs_output *output, uint64_t position, uint64_t bytes,
                              struct gs_error *err)
{
    bool all = bytes + output->head_bytes == output->mapped_bytes;
    position = all ? 0 : position + output->head_bytes;
    bytes = all ? output->mapped_bytes : bytes;
    bool eager = output->in_memory && bytes < output->mapped_bytes;
    if (output->helps && bytes == output->mapped_bytes)
        gs_prefill_help(output->prefill);
    if (gs_prefill_make(output->prefill, position, bytes, eager))
        return GS_OK;
    /* Populating pages does not report the cause of a failure; fallocate(2) does. */
    bool room = fallocate(output->fd, 0, (off_t)(output->start + position), (off_t)bytes) == 0;
    int errnum = room ? EIO : errno;
    if (room && gs_prefill_make(output->prefill, position, bytes, true))
        return GS_OK;
    return gs_fail(err, GS_ERR_OUTPUT, errnum, "%s: write failed", output->name);
}

void gs_output_made(struct gs_output *output, uint64_t position, uint64_t bytes)
{
    gs_prefill_done(output->prefill, position + output->head_bytes, bytes);
}

bool gs_output_holds(const struct gs_output *output, const void *address)
{
    uintptr_t first = (uintptr_t)output->mapped;
    uintptr_t at = (uintptr_t)address;
    return first != 0 && at >= first && at - first < output->mapped_bytes;
}

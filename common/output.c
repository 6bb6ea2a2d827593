/* output.c -- where the result goes: a file that appears whole, or a stream.
 * SPDX-License-Identifier: MIT
 */
#include "common/output.h"

#include "common/dirty.h"
#include "common/file.h"
#include "common/space.h"
#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* An output that is open already: find out what kind it is. */
static enum gs_status inspect_opened(struct gs_output *output, struct gs_error *err)
{
    struct stat status;
    int flags = fcntl(output->fd, F_GETFL);
    if (flags != -1 && (flags & O_ACCMODE) == O_RDONLY) {
        flags = -1;
        errno = EBADF;
    }
    if (flags == -1 || fstat(output->fd, &status) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s", output->name);
    if (S_ISDIR(status.st_mode))
        return gs_fail(err, GS_ERR_OUTPUT, EISDIR, "%s", output->name);
    if (isatty(output->fd))
        return gs_fail(err, GS_ERR_OUTPUT, 0, "%s: refusing to write binary keys to a terminal",
                       output->name);
    output->kind = GS_OUTPUT_STREAM;
    output->device = status.st_dev;
    output->inode = status.st_ino;
    if (S_ISFIFO(status.st_mode))
        gs_file_grow_pipe(output->fd);
    if (S_ISREG(status.st_mode) && (flags & O_APPEND) == 0) {
        off_t start = lseek(output->fd, 0, SEEK_CUR);
        if (start >= 0) {
            output->kind = GS_OUTPUT_POSITIONED;
            output->start = (uint64_t)start;
        }
    }
    return GS_OK;
}

enum gs_status gs_output_open(struct gs_output *output, const char *path, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    *output = (struct gs_output){.kind = GS_OUTPUT_STREAM,
                                 .name = path != NULL ? path : "standard output",
                                 .fd = path != NULL ? -1 : STDOUT_FILENO,
                                 .target = {.dirfd = -1, .fd = -1},
                                 .temp = {.fd = -1}};
    if (path != NULL) {
        GS_TRY(gs_target_find(&output->target, path, err));
        output->fd = output->target.fd;
    }
    if (path == NULL || output->target.kind == GS_TARGET_OPENED) {
        GS_TRY(inspect_opened(output, err));
    } else {
        GS_TRY(gs_tempfile_create(&output->temp, &output->target, output->name, err));
        output->kind = GS_OUTPUT_TEMPORARY;
        output->fd = output->temp.fd;
    }

cleanup:
    if (st != GS_OK)
        gs_output_discard(output);
    return st;
}

enum gs_status gs_output_reserve(struct gs_output *output, uint64_t bytes, struct gs_error *err)
{
    int errnum = output->kind == GS_OUTPUT_TEMPORARY ? gs_space_reserve(output->fd, 0, bytes) : 0;
    if (errnum != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errnum, "%s: no room for its %llu bytes", output->name,
                       (unsigned long long)bytes);
    return GS_OK;
}

/* Threads that make pages: more than two on ext4 wait for each other, tmpfs takes eight. */
#define PREFILL_THREADS       2
#define PREFILL_THREADS_TMPFS 8

/* Less than this many bytes are written before the threads have begun; and an output of unknown
 * length grows by so many at least. */
#define PREFILL_BYTES_MIN ((uint64_t)32 << 20)

#define PREFILL_ALIGNMENT ((uint64_t)1 << 16)

/* The threads for an output's pages, if it is one that gains by them. */
static void start_prefill(struct gs_output *output, unsigned processors)
{
    struct statfs fs;
    struct stat status;
    char path[32];
    int fd = output->fd;
    if (output->kind == GS_OUTPUT_STREAM || fstatfs(fd, &fs) != 0 || fstat(fd, &status) != 0)
        return;
    output->in_memory = fs.f_type == TMPFS_MAGIC;
    if (!output->in_memory && (!gs_space_gains(fd) || gs_dirty_limited()))
        return;
    if (output->kind == GS_OUTPUT_POSITIONED) { /* as the shell opens it: new, and to write only */
        if ((uint64_t)status.st_size != output->start || output->start % PREFILL_ALIGNMENT != 0)
            return;
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        fd = open(path, O_RDWR | O_CLOEXEC);
    }
    unsigned most = output->in_memory ? PREFILL_THREADS_TMPFS : PREFILL_THREADS;
    unsigned threads = processors / 2 > 0 ? processors / 2 : 1;
    uint64_t room = gs_memory_available() / 2; /* beyond, zeros would go to the disk */
    room -= room % PREFILL_ALIGNMENT;
    output->prefill_fd = fd;
    if (fd >= 0 && room > 0)
        output->prefill =
            gs_prefill_start(fd, output->start, room, threads < most ? threads : most);
    if (output->prefill == NULL && fd >= 0 && fd != output->fd)
        close(fd);
}

/* Make the file as long as `bytes` of output, with room for them where that can be reserved. */
static bool grow_file(struct gs_output *output, uint64_t bytes)
{
    struct stat status;
    off_t end = (off_t)(output->start + bytes);
    if (fstat(output->fd, &status) != 0)
        return false;
    if (status.st_size >= end)
        return true;
    bool grown = gs_space_gains(output->fd)
                     ? fallocate(output->fd, 0, status.st_size, end - status.st_size) == 0
                     : ftruncate(output->fd, end) == 0;
    if (grown)
        output->grown_bytes = bytes;
    return grown;
}

void gs_output_prefill(struct gs_output *output, uint64_t bytes, unsigned processors)
{
    /* Pages made ahead wait for the disk, but nobody counts them. Those of tmpfs never do: the
     * group has them in the end in any case, so they may come now. */
    if (gs_dirty_limited() && !output->in_memory)
        gs_output_end_prefill(output);
    if (bytes < output->prefilled_bytes + PREFILL_BYTES_MIN || bytes > INT64_MAX / 2)
        return;
    if (output->prefilled_bytes == 0)
        start_prefill(output, processors);
    output->prefilled_bytes = bytes;
    if (output->prefill != NULL && grow_file(output, bytes))
        gs_prefill_extend(output->prefill, bytes);
}

/* Copy to pages that are made already; false: there are none. */
static bool copy_to_pages(struct gs_output *output, const void *data, size_t bytes,
                          uint64_t position)
{
    void *pages = gs_prefill_pages(output->prefill, position, bytes, output->in_memory);
    if (pages == NULL)
        return false;
    memcpy(pages, data, bytes);
    gs_prefill_done(output->prefill, position, bytes);
    return true;
}

void gs_output_end_prefill(struct gs_output *output)
{
    if (output->prefill == NULL)
        return;
    gs_prefill_stop(output->prefill);
    output->prefill = NULL;
    if (output->prefill_fd != output->fd)
        close(output->prefill_fd);
}

enum gs_status gs_output_write(struct gs_output *output, const void *data, size_t bytes,
                               uint64_t position, struct gs_error *err)
{
    if (output->prefill != NULL && copy_to_pages(output, data, bytes, position))
        return GS_OK;
    if (output->kind == GS_OUTPUT_STREAM)
        return gs_file_write_full(output->fd, data, bytes, output->name, err);
    return gs_file_pwrite_full(output->fd, data, bytes, output->start + position, output->name,
                               err);
}

/* A temporary's length differs from what was reserved or written where duplicates were dropped. */
static enum gs_status set_length(struct gs_output *output, uint64_t bytes, struct gs_error *err)
{
    struct stat status;
    off_t end = (off_t)(output->start + bytes);
    if (fstat(output->fd, &status) == 0 && status.st_size == end)
        return GS_OK;
    if (ftruncate(output->fd, end) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot set its length", output->name);
    return GS_OK;
}

void gs_output_sync(struct gs_output *output)
{
    output->synced = true;
    output->temp.synced = true;
}

enum gs_status gs_output_publish(struct gs_output *output, uint64_t bytes, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    gs_output_end_prefill(output);
    if (output->kind == GS_OUTPUT_TEMPORARY) {
        GS_TRY(set_length(output, bytes, err));
        output->fd = -1;
        GS_TRY(gs_tempfile_publish(&output->temp, &output->target, output->name, err));
    } else {
        /* Leave the position after what was written, as a series of write() calls would. */
        int fd = output->fd;
        if (output->grown_bytes > 0)
            st = set_length(output, bytes, err);
        output->grown_bytes = 0;
        if (output->kind == GS_OUTPUT_POSITIONED && st == GS_OK &&
            lseek(fd, (off_t)(output->start + bytes), SEEK_SET) < 0)
            st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: seek failed", output->name);
        /* A pipe or a device that keeps nothing says EINVAL or EROFS. */
        if (output->synced && fsync(fd) != 0 && errno != EINVAL && errno != EROFS && st == GS_OK)
            st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: fsync failed", output->name);
        output->fd = -1;
        if (close(fd) != 0 && errno != EINTR && st == GS_OK)
            st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: close failed", output->name);
    }

cleanup:
    gs_output_discard(output);
    return st;
}

void gs_output_discard(struct gs_output *output)
{
    gs_output_end_prefill(output);
    if (output->kind == GS_OUTPUT_TEMPORARY || output->temp.fd >= 0)
        gs_tempfile_discard(&output->temp, &output->target);
    else if (output->fd >= 0) {
        if (output->grown_bytes > 0 && ftruncate(output->fd, (off_t)output->start) != 0)
            output->grown_bytes = 0; /* it stays as long as it is */
        close(output->fd);
    }
    output->fd = -1;
    gs_target_release(&output->target);
}

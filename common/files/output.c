/* output.c -- where the result goes: a file that appears complete, or a stream.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/output.h"

#include "common/files/file.h"
#include "common/files/late_error.h"
#include "common/files/pipe.h"
#include "common/files/space.h"
#include "common/human.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool on_tmpfs(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

/* Find out which kind of output an open descriptor is. */
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
    output->pipe = S_ISFIFO(status.st_mode);
    if (output->pipe)
        gs_pipe_grow(output->fd);
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
                                 .head_written = true,
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
    output->in_memory = on_tmpfs(output->fd);

cleanup:
    if (st != GS_OK)
        gs_output_discard(output);
    return st;
}

void gs_output_begin(struct gs_output *output)
{
    bool moves =
        output->kind == GS_OUTPUT_POSITIONED && output->prefilled_bytes == 0 && !output->claimed;
    off_t start = moves ? lseek(output->fd, 0, SEEK_CUR) : (off_t)-1;
    if (start >= 0)
        output->start = (uint64_t)start;
}

static enum gs_status fail_shared(const struct gs_output *output, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_OUTPUT, 0, "%s: another program has written to it, too",
                   output->name);
}

/* Before the first write: others have written where the output was to begin, so it begins behind
 * that. Pages made ahead are of no use then; grown_bytes still says how far the file was grown. */
static void move_start(struct gs_output *output, uint64_t start)
{
    uint64_t grown = output->start + output->grown_bytes;
    gs_output_end_prefill(output);
    output->grown_bytes = output->grown_bytes > 0 && grown > start ? grown - start : 0;
    output->start = start;
}

/* Move the file position behind the output, in one call, so that two processes that share it cannot
 * get the same place. If another program has moved it, the output moves, too; once the output is
 * `written`, that is an error. */
static enum gs_status claim(struct gs_output *output, uint64_t bytes, bool written,
                            struct gs_error *err)
{
    off_t end = lseek(output->fd, (off_t)bytes, SEEK_CUR);
    if (end < 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: seek failed", output->name);
    uint64_t start = (uint64_t)end - bytes;
    if (written && start != output->start) { /* too late to write it elsewhere */
        (void)lseek(output->fd, -(off_t)bytes, SEEK_CUR);
        return fail_shared(output, err);
    }
    if (start != output->start)
        move_start(output, start);
    output->claimed_bytes = bytes;
    output->claimed = true;
    return GS_OK;
}

/* Others may have moved the position forward, but not back: copy_file_range(2), as in cat(1), takes
 * no lock on the position; it has then written over what was claimed meanwhile. */
static enum gs_status check_claim(const struct gs_output *output, struct gs_error *err)
{
    if (lseek(output->fd, 0, SEEK_CUR) >= (off_t)(output->start + output->claimed_bytes))
        return GS_OK;
    return fail_shared(output, err);
}

enum gs_status gs_output_reserve(struct gs_output *output, uint64_t bytes, struct gs_error *err)
{
    bytes += output->head_bytes;
    if (output->kind == GS_OUTPUT_POSITIONED && !output->claimed)
        return claim(output, bytes, false, err);
    int errnum = output->kind == GS_OUTPUT_TEMPORARY ? gs_space_reserve(output->fd, 0, bytes) : 0;
    char text[GS_HUMAN_TEXT];
    if (errnum != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errnum, "%s: no room for its %s", output->name,
                       gs_human_bytes(bytes, text));
    return GS_OK;
}

/* Write at a position that counts from the head. */
static enum gs_status write_at(struct gs_output *output, const void *data, size_t bytes,
                               uint64_t position, struct gs_error *err)
{
    if (output->prefill != NULL && gs_output_copy_to_pages(output, data, bytes, position))
        return GS_OK;
    if (output->kind == GS_OUTPUT_STREAM && gs_output_holds(output, data))
        return gs_output_give_pages(output, data, bytes, err);
    if (output->kind == GS_OUTPUT_STREAM)
        return gs_file_write_full(output->fd, data, bytes, output->name, err);
    return gs_file_pwrite_full(output->fd, data, bytes, output->start + position, output->name,
                               err);
}

void gs_output_set_head(struct gs_output *output, const void *head, uint64_t bytes)
{
    output->head = head;
    output->head_bytes = bytes;
    output->head_written = bytes == 0;
}

enum gs_status gs_output_write_head(struct gs_output *output, struct gs_error *err)
{
    if (output->head_written)
        return GS_OK;
    output->head_written = true;
    return write_at(output, output->head, output->head_bytes, 0, err);
}

enum gs_status gs_output_write(struct gs_output *output, const void *data, size_t bytes,
                               uint64_t position, struct gs_error *err)
{
    if (output->kind == GS_OUTPUT_STREAM && !output->head_written) {
        enum gs_status st = gs_output_write_head(output, err);
        if (st != GS_OK)
            return st;
    }
    return write_at(output, data, bytes, position + output->head_bytes, err);
}

/* Truncate to the final length: more was allocated if duplicates were dropped later. */
static enum gs_status set_length(const struct gs_output *output, off_t end, struct gs_error *err)
{
    struct stat status;
    if (fstat(output->fd, &status) == 0 && status.st_size == end)
        return GS_OK;
    if (ftruncate(output->fd, end) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot set its length", output->name);
    return GS_OK;
}

/* Cut what remains behind an output that is written in place: old content of a reopened file, or
 * space that it was grown by and did not need. What others have written or grown there stays. */
static enum gs_status cut_rest(const struct gs_output *output, uint64_t bytes, struct gs_error *err)
{
    struct stat status;
    bool grown = output->grown_bytes > bytes && fstat(output->fd, &status) == 0 &&
                 (uint64_t)status.st_size == output->start + output->grown_bytes;
    if (!grown && !output->target.reopened)
        return GS_OK;
    return set_length(output, lseek(output->fd, 0, SEEK_CUR), err);
}

void gs_output_go_direct(struct gs_output *output, enum gs_direct direct)
{
    bool possible = output->kind != GS_OUTPUT_STREAM && !output->in_memory;
    output->direct = possible ? direct : GS_DIRECT_NEVER;
}

void gs_output_sync(struct gs_output *output)
{
    output->synced = true;
    output->temp.synced = true;
}

enum gs_status gs_output_settle(struct gs_output *output, struct gs_error *err)
{
    gs_output_end_prefill(output);
    int lost = gs_late_error_settle(output->fd);
    return lost == 0 ? GS_OK : gs_fail(err, GS_ERR_OUTPUT, lost, "%s: write failed", output->name);
}

enum gs_status gs_output_publish(struct gs_output *output, uint64_t bytes, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    bytes += output->head_bytes;
    gs_output_end_prefill(output);
    if (output->kind == GS_OUTPUT_TEMPORARY) {
        GS_TRY(set_length(output, (off_t)bytes, err));
        output->fd = -1;
        GS_TRY(gs_tempfile_publish(&output->temp, &output->target, output->name, err));
    } else {
        /* The position ends up behind the output, as after a series of write(2) calls. */
        if (output->kind == GS_OUTPUT_POSITIONED) {
            GS_TRY(output->claimed ? check_claim(output, err) : claim(output, bytes, true, err));
            GS_TRY(cut_rest(output, bytes, err));
        }
        output->grown_bytes = 0;
        GS_TRY(gs_output_settle(output, err));
        /* A pipe or a device that stores nothing says EINVAL or EROFS. */
        if (output->synced && fsync(output->fd) != 0 && errno != EINVAL && errno != EROFS) {
            st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: fsync failed", output->name);
            goto cleanup;
        }
        int fd = output->fd;
        output->fd = -1;
        if (close(fd) != 0 && errno != EINTR)
            st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: close failed", output->name);
    }

cleanup:
    gs_output_discard(output);
    return st;
}

void gs_output_take_back(const struct gs_output *output)
{
    off_t start = (off_t)output->start;
    if (output->kind != GS_OUTPUT_POSITIONED || output->fd < 0 ||
        lseek(output->fd, 0, SEEK_CUR) != start + (off_t)output->claimed_bytes)
        return;
    int failed = output->grown_bytes > 0 ? ftruncate(output->fd, start) : 0;
    (void)failed; /* then it keeps its length */
    (void)lseek(output->fd, start, SEEK_SET);
}

void gs_output_discard(struct gs_output *output)
{
    gs_output_end_prefill(output);
    if (output->kind == GS_OUTPUT_TEMPORARY || output->temp.fd >= 0)
        gs_tempfile_discard(&output->temp, &output->target);
    else if (output->fd >= 0) {
        int fd = output->fd;
        gs_output_take_back(output);
        output->fd = -1; /* before the close: a signal handler looks at it */
        close(fd);
    }
    output->fd = -1;
    gs_target_release(&output->target);
}

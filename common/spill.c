/* spill.c -- bytes that memory has no room for, in temporary files without a name.
 * SPDX-License-Identifier: MIT
 */
#include "common/spill.h"

#include "common/file.h"
#include "common/signals.h"
#include "common/space.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* 64 random bits never meet twice; a prank may. */
#define GS_NAME_TRIES 16

/* Where O_TMPFILE is missing: a named file, which has lost its name before any handler can run. */
static int create_unlinked(int dirfd)
{
    for (int tries = 0; tries < GS_NAME_TRIES; tries++) {
        char name[32];
        uint64_t random;
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            return -1;
        snprintf(name, sizeof name, ".gsort-%016" PRIx64, random);
        gs_signals_enter();
        int fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        int errnum = errno;
        if (fd >= 0)
            unlinkat(dirfd, name, 0);
        gs_signals_leave();
        errno = errnum;
        if (fd >= 0 || errnum != EEXIST)
            return fd;
    }
    return -1;
}

int gs_spill_create(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || errno == ENOENT || errno == EACCES || errno == EMFILE)
        return fd;
    int dirfd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dirfd < 0)
        return -1;
    fd = create_unlinked(dirfd);
    int errnum = errno;
    close(dirfd);
    errno = errnum;
    return fd;
}

enum gs_status gs_spill_open(struct gs_spill *spill, const char *const *directories, size_t count,
                             struct gs_error *err)
{
    *spill = (struct gs_spill){.files = calloc(count, sizeof *spill->files), .count = count};
    if (spill->files == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%zu directories", count);
    for (size_t i = 0; i < count; i++)
        spill->files[i] = (struct gs_spill_file){.directory = directories[i], .fd = -1};
    return GS_OK;
}

static enum gs_status make_file(struct gs_spill_file *file, struct gs_error *err)
{
    if (file->fd < 0)
        file->fd = gs_spill_create(file->directory);
    if (file->fd < 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot create a temporary file",
                       file->directory);
    return GS_OK;
}

/* The device of an open file; false when it has none to tell. */
static bool find_device(int fd, dev_t *device)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    *device = status.st_dev;
    return true;
}

/* Has a file before this one told of the same file system? */
static bool counted_before(const struct gs_spill *spill, size_t index, dev_t device)
{
    dev_t other;
    for (size_t i = 0; i < index; i++)
        if (find_device(spill->files[i].fd, &other) && other == device)
            return true;
    return false;
}

enum gs_status gs_spill_check(struct gs_spill *spill, uint64_t bytes, dev_t device,
                              uint64_t elsewhere, struct gs_error *err)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < spill->count; i++) {
        dev_t own;
        enum gs_status st = make_file(&spill->files[i], err);
        if (st != GS_OK)
            return st;
        if (!find_device(spill->files[i].fd, &own) || counted_before(spill, i, own))
            continue;
        uint64_t room = gs_space_free(spill->files[i].fd);
        if (own == device)
            room = room > elsewhere ? room - elsewhere : 0;
        if (__builtin_add_overflow(sum, room, &sum))
            return GS_OK;
    }
    if (bytes <= sum)
        return GS_OK;
    return gs_fail(err, GS_ERR_OUTPUT, ENOSPC,
                   "%s: %" PRIu64 " MiB of temporary files needed, room for %" PRIu64 " MiB",
                   spill->files[0].directory, (bytes + (1 << 20) - 1) >> 20, sum >> 20);
}

enum gs_status gs_spill_place(struct gs_spill *spill, uint64_t bytes, struct gs_place *place,
                              struct gs_error *err)
{
    for (size_t tries = 0; tries < spill->count; tries++) {
        size_t index = spill->next;
        struct gs_spill_file *file = &spill->files[index];
        enum gs_status st = make_file(file, err);
        if (st != GS_OK)
            return st;
        spill->next = (index + 1) % spill->count;
        if (gs_space_free(file->fd) < bytes || gs_space_reserve(file->fd, file->used, bytes) != 0)
            continue;
        *place = (struct gs_place){.file = (uint32_t)index, .offset = file->used};
        file->used += bytes;
        spill->used += bytes;
        return GS_OK;
    }
    return gs_fail(err, GS_ERR_OUTPUT, ENOSPC,
                   "%s: no room for a temporary file of %" PRIu64 " MiB", spill->files[0].directory,
                   (bytes + (1 << 20) - 1) >> 20);
}

enum gs_status gs_spill_write(const struct gs_spill *spill, const struct gs_place *place,
                              uint64_t from, const void *data, size_t bytes, struct gs_error *err)
{
    const struct gs_spill_file *file = &spill->files[place->file];
    return gs_file_pwrite_full(file->fd, data, bytes, place->offset + from, file->directory, err);
}

enum gs_status gs_spill_read(const struct gs_spill *spill, const struct gs_place *place,
                             uint64_t from, void *data, size_t bytes, struct gs_error *err)
{
    const struct gs_spill_file *file = &spill->files[place->file];
    return gs_file_pread_full(file->fd, data, bytes, place->offset + from, file->directory, err);
}

void gs_spill_announce(const struct gs_spill *spill, const struct gs_place *place, uint64_t from,
                       uint64_t bytes)
{
    if (bytes > 0)
        (void)posix_fadvise(spill->files[place->file].fd, (off_t)(place->offset + from),
                            (off_t)bytes, POSIX_FADV_WILLNEED);
}

void gs_spill_close(struct gs_spill *spill)
{
    for (size_t i = 0; i < spill->count && spill->files != NULL; i++)
        if (spill->files[i].fd >= 0)
            close(spill->files[i].fd);
    free(spill->files);
    *spill = (struct gs_spill){.files = NULL};
}

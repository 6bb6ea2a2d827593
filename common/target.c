/* target.c -- what an output's name stands for, and whether it may be written.
 * SPDX-License-Identifier: MIT
 *
 * Links are followed by hand, since a dangling one has to be followed too and realpath(3) does not.
 * stat(2) goes first: the kernel's own rules on links in world-writable directories apply there.
 *
 * /dev/stdout and /dev/fd/N are links into /proc whose text is not a path to follow. They mean a
 * descriptor: a duplicate of it is used, so that its position and its O_APPEND count.
 */
#include "common/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* As many links as the kernel follows. */
#define GS_LINKS_MAX 40

/* The directory part of a path, "." when there is none, without the final component. */
static char *copy_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static const char *final_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* The path that a link at `path` leads to, or NULL with errno set. */
static char *follow_link(const char *path)
{
    char text[PATH_MAX];
    ssize_t length = readlink(path, text, sizeof text - 1);
    if (length < 0)
        return NULL;
    text[length] = '\0';
    if (text[0] == '/')
        return strdup(text);
    size_t directory = (size_t)(final_component(path) - path);
    char *joined = malloc(directory + (size_t)length + 1);
    if (joined != NULL) {
        memcpy(joined, path, directory);
        memcpy(joined + directory, text, (size_t)length + 1);
    }
    return joined;
}

/* Is `path` a link that stands for an open file of a process? */
static bool is_descriptor_link(const char *path)
{
    struct statfs fs;
    char *directory = copy_directory(path);
    bool is = directory != NULL && statfs(directory, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
    free(directory);
    return is;
}

/* A descriptor of our own that `path` (".../fd/N") stands for, or -1. */
static int find_descriptor(const char *path, const struct stat *status)
{
    char *end;
    const char *number = final_component(path);
    long fd = strtol(number, &end, 10);
    struct stat own;
    if (*number == '\0' || *end != '\0' || fd < 0 || fd > INT_MAX || fstat((int)fd, &own) != 0 ||
        own.st_dev != status->st_dev || own.st_ino != status->st_ino)
        return -1;
    return (int)fd;
}

/* Open for writing as it is, without truncating: a FIFO, a device, or a descriptor's file. */
static enum gs_status open_directly(struct gs_target *target, const char *name, const char *path,
                                    struct gs_error *err)
{
    int own = is_descriptor_link(path) ? find_descriptor(path, &target->status) : -1;
    target->kind = GS_TARGET_OPENED;
    target->fd = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 3) : open(path, O_WRONLY | O_CLOEXEC);
    if (target->fd < 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot open for writing", name);
    return GS_OK;
}

/* May the file in the directory be replaced? What rename(2) would refuse in the end, now. */
static enum gs_status check_replaceable(const struct gs_target *target, const char *name,
                                        struct gs_error *err)
{
    struct stat directory;
    uid_t user = geteuid();
    if (faccessat(target->dirfd, target->base, W_OK, AT_EACCESS) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot be written", name);
    if (fstat(target->dirfd, &directory) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot inspect its directory", name);
    if ((directory.st_mode & S_ISVTX) != 0 && user != 0 && user != directory.st_uid &&
        user != target->status.st_uid)
        return gs_fail(err, GS_ERR_OUTPUT, EPERM,
                       "%s: cannot be replaced in a directory with the sticky bit", name);
    return GS_OK;
}

/* Follow links from *path on until it names no link, or a descriptor's. */
static enum gs_status follow_links(char **path, const char *name, struct gs_error *err)
{
    struct stat status;
    for (int links = 0; lstat(*path, &status) == 0 && S_ISLNK(status.st_mode); links++) {
        if (is_descriptor_link(*path))
            return GS_OK;
        if (links == GS_LINKS_MAX)
            return gs_fail(err, GS_ERR_OUTPUT, ELOOP, "%s", name);
        char *next = follow_link(*path);
        if (next == NULL)
            return gs_fail(err, GS_ERR_OUTPUT, errno, "%s", name);
        free(*path);
        *path = next;
    }
    return GS_OK;
}

enum gs_status gs_target_find(struct gs_target *target, const char *path, struct gs_error *err)
{
    enum gs_status st;
    char *real = NULL;
    char *directory = NULL;
    *target = (struct gs_target){.kind = GS_TARGET_NEW, .dirfd = -1, .fd = -1};

    if (stat(path, &target->status) == 0) {
        target->kind = GS_TARGET_REPLACE;
    } else if (errno != ENOENT || *path == '\0' || *final_component(path) == '\0') {
        st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot be created", path);
        goto cleanup;
    }
    if (target->kind == GS_TARGET_REPLACE && S_ISDIR(target->status.st_mode)) {
        st = gs_fail(err, GS_ERR_OUTPUT, EISDIR, "%s", path);
        goto cleanup;
    }
    real = strdup(path);
    if (real == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, errno, "%s", path);
        goto cleanup;
    }
    GS_TRY(follow_links(&real, path, err));
    if (target->kind == GS_TARGET_REPLACE &&
        (!S_ISREG(target->status.st_mode) || is_descriptor_link(real))) {
        st = open_directly(target, path, real, err);
        goto cleanup;
    }

    directory = copy_directory(real);
    target->base = strdup(final_component(real));
    if (directory == NULL || target->base == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, errno, "%s", path);
        goto cleanup;
    }
    target->dirfd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (target->dirfd < 0) {
        st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot be created", path);
        goto cleanup;
    }
    st = target->kind == GS_TARGET_REPLACE ? check_replaceable(target, path, err) : GS_OK;

cleanup:
    free(real);
    free(directory);
    if (st != GS_OK)
        gs_target_release(target);
    return st;
}

void gs_target_release(struct gs_target *target)
{
    if (target->dirfd >= 0)
        close(target->dirfd);
    free(target->base);
    target->dirfd = -1;
    target->base = NULL;
}

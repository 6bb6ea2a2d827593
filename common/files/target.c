/* target.c -- what file an output's name refers to, and whether it may be written.
 * SPDX-License-Identifier: MIT
 *
 * Links are followed by hand, since dangling links must be followed too, which realpath(3) does not
 * do. Each step keeps O_PATH descriptors of the directory and of the object that it inspects, so
 * that nobody can exchange the object between the check and the next step. What the kernel refuses
 * in world-writable directories with the sticky bit (Linux,
 * Documentation/admin-guide/sysctl/fs.rst: protected_symlinks, protected_regular, protected_fifos)
 * is refused here too, for every user.
 *
 * /dev/stdout and /dev/fd/N are links into /proc whose text is not a path to follow. They mean an
 * open descriptor: it is duplicated, so that its position and its O_APPEND take effect.
 */
#include "common/files/target.h"

#include "common/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Missing in the headers of older C libraries; kernels before 5.8 do not report it. */
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x00002000
#endif

/* The kernel follows at most as many links. */
#define GS_LINKS_MAX 40

/* The directory part of a path, "." if it has none; to be freed, NULL if there is no memory. */
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

/* Does the name ("N" of ".../fd/N") mean a descriptor of this process? *fd is that one, or -1.
 * False if that cannot be found out. */
static bool find_descriptor(const char *name, const struct stat *status, int *fd)
{
    char *end;
    struct stat own;
    long number = strtol(name, &end, 10);
    *fd = -1;
    if (*name == '\0' || *end != '\0' || number < 0 || number > INT_MAX)
        return true;
    if (fstat((int)number, &own) != 0)
        return errno == EBADF;
    if (own.st_dev == status->st_dev && own.st_ino == status->st_ino)
        *fd = (int)number;
    return true;
}

/* Open a FIFO, a device or, in /proc, a descriptor's file for writing, without truncating it. */
static enum gs_status open_directly(struct gs_target *target, bool in_proc, const char *name,
                                    struct gs_error *err)
{
    struct stat opened;
    int own = -1;
    int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (in_proc ? 0 : O_NOFOLLOW);
    target->kind = GS_TARGET_OPENED;
    if (in_proc && !find_descriptor(target->base, &target->status, &own))
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot inspect it", name);
    target->fd =
        own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 3) : openat(target->dirfd, target->base, flags);
    target->reopened = own < 0 && in_proc;
    if (target->fd < 0 || fstat(target->fd, &opened) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot open for writing", name);
    if (opened.st_dev != target->status.st_dev || opened.st_ino != target->status.st_ino)
        return gs_fail(err, GS_ERR_OUTPUT, 0, "%s: was exchanged while it was being opened", name);
    return GS_OK;
}

/* In a directory with the sticky bit: may its entry be followed, written to or replaced? If
 * everybody may write to the directory, not another user's entry, unless the directory is that
 * user's, too. */
static enum gs_status check_owner(const struct gs_target *target, const char *name,
                                  struct gs_error *err)
{
    struct stat directory;
    if (fstat(target->dirfd, &directory) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot inspect its directory", name);
    uid_t user = geteuid();
    uid_t owner = target->status.st_uid;
    bool sticky = (directory.st_mode & S_ISVTX) != 0;
    if (sticky && (directory.st_mode & S_IWOTH) != 0 && owner != user && owner != directory.st_uid)
        return gs_fail(err, GS_ERR_OUTPUT, EPERM,
                       "%s: another user's, in a directory that everybody may write to", name);
    if (sticky && S_ISREG(target->status.st_mode) && user != 0 && user != owner &&
        user != directory.st_uid)
        return gs_fail(err, GS_ERR_OUTPUT, EPERM,
                       "%s: cannot be replaced in a directory with the sticky bit", name);
    return GS_OK;
}

/* May the existing file be written, and can another be renamed over it? */
static enum gs_status check_writable(const struct gs_target *target, const char *name,
                                     struct gs_error *err)
{
    if (gs_file_access(target->dirfd, target->base, W_OK, AT_SYMLINK_NOFOLLOW) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot be written", name);
    struct statx status;
    if (statx(target->dirfd, target->base, AT_SYMLINK_NOFOLLOW, 0, &status) != 0)
        return GS_OK;
    /* A container engine may have bind-mounted a single file there. */
    if ((status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, EBUSY, "%s: a mounted file cannot be replaced", name);
    if ((status.stx_attributes & STATX_ATTR_APPEND) != 0) /* chattr +a */
        return gs_fail(err, GS_ERR_OUTPUT, EPERM, "%s: an append-only file cannot be replaced",
                       name);
    if ((status.stx_attributes & STATX_ATTR_IMMUTABLE) != 0) /* chattr +i */
        return gs_fail(err, GS_ERR_OUTPUT, EPERM, "%s: cannot be written", name);
    /* Names can be added there but not removed, not even a temporary one. */
    if (statx(target->dirfd, "", AT_EMPTY_PATH, 0, &status) == 0 &&
        (status.stx_attributes & STATX_ATTR_APPEND) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, EPERM,
                       "%s: cannot be replaced in an append-only directory", name);
    return GS_OK;
}

/* Move to the directory of `path`, which is relative to target->dirfd if that is open: dirfd
 * becomes that directory, base the final component. */
static enum gs_status enter_directory(struct gs_target *target, const char *path, const char *name,
                                      struct gs_error *err)
{
    int from = target->dirfd >= 0 ? target->dirfd : AT_FDCWD;
    char *directory = copy_directory(path);
    char *base = strdup(final_component(path));
    int fd = -1;
    int errnum = errno;
    enum gs_status st = directory != NULL && base != NULL ? GS_OK : GS_ERR_MEMORY;
    if (st == GS_OK && *base == '\0') { /* "", or a name that ends in a slash */
        struct stat status;
        errnum = fstatat(from, path, &status, 0) == 0 ? EISDIR : errno;
        st = GS_ERR_OUTPUT;
    } else if (st == GS_OK) {
        fd = openat(from, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
        errnum = errno;
        st = fd >= 0 ? GS_OK : GS_ERR_OUTPUT;
    }
    free(directory);
    if (st != GS_OK) {
        free(base);
        return gs_fail(err, st, errnum, "%s: cannot be created", name);
    }
    gs_target_release(target);
    target->dirfd = fd;
    target->base = base;
    return GS_OK;
}

/* Does a directory lie in /proc? Where the question is refused, as in a sandbox, devices tell. */
static bool is_in_proc(int dirfd)
{
    struct statfs fs;
    struct stat own, proc;
    if (fstatfs(dirfd, &fs) == 0)
        return fs.f_type == PROC_SUPER_MAGIC;
    return fstat(dirfd, &own) == 0 && stat("/proc", &proc) == 0 && own.st_dev == proc.st_dev;
}

/* Look at what is under the target's name. link gets the text of a symbolic link to follow, or "".
 * If nothing is there, target->kind becomes NEW. */
static enum gs_status look(struct gs_target *target, bool *in_proc, char link[PATH_MAX],
                           const char *name, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    ssize_t length = 0;
    int fd = openat(target->dirfd, target->base, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    *link = '\0';
    int errnum = errno;
    *in_proc = is_in_proc(target->dirfd);
    target->kind = fd < 0 && errnum == ENOENT ? GS_TARGET_NEW : GS_TARGET_REPLACE;
    if (target->kind == GS_TARGET_NEW && !*in_proc)
        return GS_OK;
    if (fd < 0)
        return gs_fail(err, GS_ERR_OUTPUT, errnum, "%s: cannot be created", name);
    bool failed = fstat(fd, &target->status) != 0;
    if (!failed && *in_proc) {
        failed = fstatat(target->dirfd, target->base, &target->status, 0) != 0;
    } else if (!failed && S_ISLNK(target->status.st_mode)) {
        length = readlinkat(fd, "", link, PATH_MAX - 1);
        failed = length <= 0;
        link[failed ? 0 : length] = '\0';
    }
    if (failed)
        st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot inspect it", name);
    else if (!*in_proc && !S_ISDIR(target->status.st_mode))
        st = check_owner(target, name, err);
    close(fd);
    return st;
}

enum gs_status gs_target_find(struct gs_target *target, const char *path, struct gs_error *err)
{
    enum gs_status st;
    char link[PATH_MAX];
    bool in_proc = false;
    *target = (struct gs_target){.kind = GS_TARGET_NEW, .dirfd = -1, .fd = -1};

    GS_TRY(enter_directory(target, path, path, err));
    GS_TRY(look(target, &in_proc, link, path, err));
    for (int links = 0; *link != '\0'; links++) {
        if (links == GS_LINKS_MAX) {
            st = gs_fail(err, GS_ERR_OUTPUT, ELOOP, "%s", path);
            goto cleanup;
        }
        GS_TRY(enter_directory(target, link, path, err));
        GS_TRY(look(target, &in_proc, link, path, err));
    }
    if (target->kind == GS_TARGET_NEW)
        goto cleanup;
    if (S_ISDIR(target->status.st_mode))
        st = gs_fail(err, GS_ERR_OUTPUT, EISDIR, "%s", path);
    else if (in_proc || !S_ISREG(target->status.st_mode))
        st = open_directly(target, in_proc, path, err);
    else
        st = check_writable(target, path, err);

cleanup:
    if (st != GS_OK && target->fd >= 0) {
        close(target->fd);
        target->fd = -1;
    }
    if (st != GS_OK || target->kind == GS_TARGET_OPENED)
        gs_target_release(target);
    return st;
}

/* The same file may have a new mode or owner by now. (Those of a different file do not count:
 * somebody may have put it there on purpose.) */
static void look_at_same(struct gs_target *target)
{
    struct stat now;
    if (fstatat(target->dirfd, target->base, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
        now.st_dev == target->status.st_dev && now.st_ino == target->status.st_ino)
        target->status = now;
}

enum gs_status gs_target_look_again(struct gs_target *target, const char *path,
                                    struct gs_error *err)
{
    enum gs_status st;
    char link[PATH_MAX];
    bool in_proc = false;
    if (target->kind == GS_TARGET_REPLACE)
        look_at_same(target);
    if (target->kind != GS_TARGET_NEW)
        return GS_OK;
    GS_TRY(look(target, &in_proc, link, path, err));
    if (target->kind == GS_TARGET_NEW)
        return GS_OK;
    if (!S_ISREG(target->status.st_mode))
        return gs_fail(err, GS_ERR_OUTPUT, EEXIST, "%s", path);
    st = check_writable(target, path, err);
cleanup:
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

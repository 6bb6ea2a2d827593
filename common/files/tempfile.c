/* tempfile.c -- a new file that appears under its name complete, or never.
 * SPDX-License-Identifier: MIT
 *
 * The first choice is O_TMPFILE: the file has no name until linkat(2) gives it one through
 * /proc/self/fd. linkat(2) cannot replace a file: in that case it makes a temporary name, which
 * rename(2) moves over the old file; the temporary name exists for microseconds, when the file is
 * already complete. Where O_TMPFILE or /proc is missing (NFS, old overlays, a bare chroot) or
 * linkat(2) is refused (in sandboxes), the file has a temporary name, created with O_EXCL, for the
 * whole run.
 */
#include "common/files/tempfile.h"

#include "common/clock.h"
#include "common/files/late_error.h"
#include "common/files/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Room for any list that ext4 can store. */
#define ACCESS_LIST       "system.posix_acl_access"
#define ACCESS_LIST_BYTES 4096

int gs_tempfile_draw_name(char name[GS_NAME_BYTES])
{
    uint64_t random;
    /* A sandbox may refuse randomness. Any name will do that nobody has yet. */
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        random = gs_now_ns() ^ (uint64_t)getpid() << 40;
    snprintf(name, GS_NAME_BYTES, ".gsort-%016" PRIx64, random);
    return 0;
}

/* The path by which linkat(2) finds a file without a name. */
static void write_proc_path(char path[32], int fd)
{
    snprintf(path, 32, "/proc/self/fd/%d", fd);
}

/* Can /proc name the open file? */
static bool is_in_proc(int fd)
{
    char path[32];
    struct stat own, seen;
    write_proc_path(path, fd);
    return fstat(fd, &own) == 0 && stat(path, &seen) == 0 && own.st_dev == seen.st_dev &&
           own.st_ino == seen.st_ino;
}

/* Will linkat(2) be permitted here? That is asked with a file that can never be linked, for it was
 * opened with O_EXCL: when all who may refuse the call have let it pass, it fails by ENOENT (Linux,
 * fs/namei.c: vfs_link). So no name is made. */
static bool may_link(const struct gs_target *target)
{
    char path[32], name[GS_NAME_BYTES];
    bool refused = true;
    int fd = openat(target->dirfd, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 || gs_tempfile_draw_name(name) != 0)
        goto cleanup;
    write_proc_path(path, fd);
    refused = linkat(AT_FDCWD, path, target->dirfd, name, AT_SYMLINK_FOLLOW) != 0 &&
              errno != ENOENT && errno != EEXIST;
cleanup:
    if (fd >= 0)
        close(fd);
    return !refused;
}

static int open_unnamed(const struct gs_target *target, mode_t mode)
{
    int fd = openat(target->dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (fd >= 0 && is_in_proc(fd) && may_link(target))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Draw a temporary name and register it with the signal handler; create a file with that name and
 * mode if temp has no file yet, else link its file to the name. 0, or -1 with errno set. */
static int make_name(struct gs_tempfile *temp, int dirfd, mode_t mode)
{
    for (int tries = 0; tries < GS_NAME_TRIES; tries++) {
        char path[32];
        int failed, errnum;
        if (gs_tempfile_draw_name(temp->name) != 0)
            return -1;
        gs_signals_enter();
        if (temp->fd < 0) {
            temp->fd =
                openat(dirfd, temp->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
            failed = temp->fd < 0;
        } else {
            write_proc_path(path, temp->fd);
            failed = linkat(AT_FDCWD, path, dirfd, temp->name, AT_SYMLINK_FOLLOW) != 0;
        }
        errnum = errno;
        if (!failed) {
            temp->named = true;
            gs_signals_set_temporary(dirfd, temp->name);
        }
        gs_signals_leave();
        errno = errnum;
        if (!failed || errnum != EEXIST)
            return failed ? -1 : 0;
    }
    return -1;
}

/* Note the mode that the kernel gave the new file, by the umask or the directory's default access
 * control list; then close the file to others until it is published. False if that fails. */
static bool take_mode(struct gs_tempfile *temp)
{
    struct stat status;
    if (fstat(temp->fd, &status) != 0) {
        temp->mode = 0600;
        return false;
    }
    temp->mode = status.st_mode & 07777;
    return temp->mode == 0600 || fchmod(temp->fd, 0600) == 0;
}

enum gs_status gs_tempfile_create(struct gs_tempfile *temp, const struct gs_target *target,
                                  const char *name, struct gs_error *err)
{
    const mode_t mode = target->kind == GS_TARGET_REPLACE ? 0600 : 0666;
    *temp = (struct gs_tempfile){.fd = open_unnamed(target, mode)};
    if (temp->fd >= 0 && take_mode(temp))
        return GS_OK;
    if (temp->fd >= 0)
        close(temp->fd);
    return gs_tempfile_create_named(temp, target, name, err);
}

enum gs_status gs_tempfile_create_named(struct gs_tempfile *temp, const struct gs_target *target,
                                        const char *name, struct gs_error *err)
{
    const mode_t mode = target->kind == GS_TARGET_REPLACE ? 0600 : 0666;
    *temp = (struct gs_tempfile){.fd = -1};
    if (make_name(temp, target->dirfd, mode) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno,
                       "%s: cannot create a temporary file in its directory", name);
    (void)take_mode(temp); /* on failure: a file system that gives every file the same mode */
    return GS_OK;
}

enum gs_status gs_tempfile_join(struct gs_tempfile *temp, const struct gs_target *target,
                                const struct stat *made, bool near, const char *name,
                                struct gs_error *err)
{
    struct stat status = {.st_ino = 0};
    gs_signals_enter();
    temp->fd = openat(target->dirfd, temp->name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int errnum = errno;
    /* The numbers of devices are each machine's own. */
    const bool same = temp->fd >= 0 && fstat(temp->fd, &status) == 0 &&
                      status.st_ino == made->st_ino && (!near || status.st_dev == made->st_dev);
    if (same) {
        temp->named = true;
        gs_signals_set_temporary(target->dirfd, temp->name);
    }
    gs_signals_leave();
    if (same)
        return GS_OK;
    if (temp->fd >= 0)
        return gs_fail(err, GS_ERR_OUTPUT, 0,
                       "%s: the temporary file that another rank has made in its directory is "
                       "another file here",
                       name);
    return gs_fail(err, GS_ERR_OUTPUT, errnum,
                   "%s: another rank has made a temporary file in its directory, which cannot "
                   "be opened here",
                   name);
}

/* Has a call succeeded that may be refused? *lost becomes the errno of one that was told that bytes
 * are lost. */
static bool is_done(int result, int *lost)
{
    if (result != 0 && gs_is_late_error(errno))
        *lost = errno;
    return result == 0;
}

/* A refusal is ignored: the sorted keys are worth more than their mode. Where a file system refuses
 * to set it, as some do to all but the owner, the file stays private to its user. */
static void set_mode(int fd, mode_t mode, int *lost)
{
    (void)is_done(fchmod(fd, mode), lost);
}

/* Give the file the access control list of the file that it replaces, or none if that has none,
 * whatever the directory's default. False if the old list cannot be kept. */
static bool keep_access_list(int fd, const struct gs_target *target, int *lost)
{
    char list[ACCESS_LIST_BYTES];
    const int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int old = openat(target->dirfd, target->base, O_RDONLY | flags);
    if (old < 0) /* perhaps it may be written but not read */
        old = openat(target->dirfd, target->base, O_WRONLY | flags);
    ssize_t bytes = old < 0 ? -1 : fgetxattr(old, ACCESS_LIST, list, sizeof list);
    int errnum = errno;
    if (old >= 0)
        close(old);
    (void)is_done(fremovexattr(fd, ACCESS_LIST), lost); /* fails where there is none, mostly */
    if (bytes < 0) /* ENOENT: somebody has removed the old file */
        return errnum == ENODATA || errnum == ENOTSUP || errnum == ENOENT;
    return is_done(fsetxattr(fd, ACCESS_LIST, list, (size_t)bytes, 0), lost);
}

/* Give the file the owner, mode and access control list of the file that it replaces. Where that
 * fails, nobody may gain access: no set-ID bits unless owner and group are both kept; without the
 * group, or without the list, the group gets no more than everybody. (In a file with a list, the
 * mode's group bits are the most that anybody in the list has.) */
static void keep_identity(int fd, const struct gs_target *target, int *lost)
{
    const struct stat *old = &target->status;
    mode_t mode = old->st_mode & 07777;
    struct stat now;
    bool known = fstat(fd, &now) == 0;
    bool owner = known && now.st_uid == old->st_uid;
    bool group = known && now.st_gid == old->st_gid;
    if (!group)
        group = is_done(fchown(fd, (uid_t)-1, old->st_gid), lost);
    if (!keep_access_list(fd, target, lost) || !group)
        mode &= ~(mode_t)070 | (mode & 07) << 3;
    set_mode(fd, mode & 01777, lost); /* before the chown: afterwards it would take CAP_FOWNER */
    if (!owner)
        owner = is_done(fchown(fd, old->st_uid, (gid_t)-1), lost);
    if (owner && group && (mode & 06000) != 0) /* chown clears the set-ID bits */
        set_mode(fd, mode, lost);
}

static enum gs_status close_file(struct gs_tempfile *temp, const char *name, struct gs_error *err)
{
    int fd = temp->fd;
    temp->fd = -1;
    if (fd >= 0 && close(fd) != 0 && errno != EINTR)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: close failed", name);
    return GS_OK;
}

/* Put the file's new name on the disk. If it had none, the file is synchronized once more, first:
 * without a journal (ext2, or ext4 made so) the disk still has an inode without a link, and after a
 * crash a directory that names it would be corrupt. (The target's dirfd is O_PATH: it cannot be
 * synchronized.) */
static enum gs_status sync_name(int file_fd, int dirfd, const char *name, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (file_fd >= 0 && fsync(file_fd) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno,
                       "%s: is complete, but its name could not be synchronized", name);
    int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* File systems that cannot synchronize a directory say EINVAL. */
    if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL))
        st = gs_fail(err, GS_ERR_OUTPUT, errno,
                     "%s: is complete, but its directory could not be synchronized", name);
    if (fd >= 0)
        close(fd);
    return st;
}

/* Link a file without a name to the target's name, which must be free. 0, or -1 with errno set. */
static int link_to(const struct gs_target *target, int fd)
{
    char path[32];
    write_proc_path(path, fd);
    return linkat(AT_FDCWD, path, target->dirfd, target->base, AT_SYMLINK_FOLLOW);
}

/* Rename the temporary name to the target's. 0, or -1 with errno set. */
static int move_to(struct gs_tempfile *temp, const struct gs_target *target)
{
    gs_signals_enter();
    int moved = renameat(target->dirfd, temp->name, target->dirfd, target->base);
    int errnum = errno;
    if (moved == 0) {
        temp->named = false;
        gs_signals_set_temporary(-1, NULL);
    }
    gs_signals_leave();
    errno = errnum;
    return moved;
}

/* Give the file the target's name: directly if that is free, else by way of a temporary name. 0, or
 * -1 with errno set. */
static int give_name(struct gs_tempfile *temp, const struct gs_target *target)
{
    if (target->kind == GS_TARGET_NEW && !temp->named)
        return link_to(target, temp->fd);
    if (!temp->named && make_name(temp, target->dirfd, 0) != 0)
        return -1;
    return move_to(temp, target);
}

/* Learn of writes that have failed, set the file's mode and give it the target's name. If it has a
 * temporary name, it is closed before: some servers refuse to rename what is open, and what a close
 * reports is then reported in time. If somebody has just put another file there, *placed is false,
 * which is an error only at the last try. */
static enum gs_status put_in_place(struct gs_tempfile *temp, const struct gs_target *target,
                                   const char *name, bool last, bool *placed, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    int lost = gs_late_error_settle(temp->fd);
    if (lost == 0 && target->kind == GS_TARGET_REPLACE)
        keep_identity(temp->fd, target, &lost);
    else if (lost == 0)
        set_mode(temp->fd, temp->mode, &lost);
    if (lost == 0)
        lost = gs_late_error(temp->fd);
    if (lost != 0)
        return gs_fail(err, GS_ERR_OUTPUT, lost, "%s: write failed", name);
    if (temp->synced && fsync(temp->fd) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: fsync failed", name);
    if (temp->named)
        GS_TRY(close_file(temp, name, err));
    *placed = give_name(temp, target) == 0;
    if (!*placed && errno == EEXIST && !last && temp->fd >= 0)
        return GS_OK;
    if (!*placed)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot be put in place", name);
    if (temp->synced)
        st = sync_name(temp->fd, target->dirfd, name, err);
cleanup:
    return st;
}

enum gs_status gs_tempfile_publish(struct gs_tempfile *temp, struct gs_target *target,
                                   const char *name, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    bool placed = false;
    for (int tries = 1; !placed; tries++) {
        GS_TRY(gs_target_look_again(target, name, err));
        GS_TRY(put_in_place(temp, target, name, tries == GS_NAME_TRIES, &placed, err));
    }
    st = close_file(temp, name, err);
cleanup:
    gs_tempfile_discard(temp, target);
    return st;
}

void gs_tempfile_discard(struct gs_tempfile *temp, const struct gs_target *target)
{
    if (temp->fd >= 0) /* before the unlink, which some mounts refuse while the file is open */
        close(temp->fd);
    temp->fd = -1;
    if (temp->named) {
        gs_signals_enter();
        unlinkat(target->dirfd, temp->name, 0);
        gs_signals_set_temporary(-1, NULL);
        gs_signals_leave();
        temp->named = false;
    }
}

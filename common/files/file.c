/* file.c -- reads and writes that continue after short counts and interruptions.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/file.h"

#include "common/files/dirty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux transfers at most 0x7ffff000 bytes a call; smaller pieces also let signals in sooner. */
#define GS_CALL_BYTES ((size_t)1 << 30)

/* Should a failed call be repeated? Waits until a non-blocking descriptor is ready. */
static bool should_retry(int fd, short events)
{
    if (errno == EINTR)
        return true;
    if (errno != EAGAIN)
        return false;
    struct pollfd ready = {.fd = fd, .events = events, .revents = 0};
    return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

static enum gs_status end_read(ssize_t count, size_t *got, const char *name, struct gs_error *err)
{
    if (count < 0)
        return gs_fail(err, GS_ERR_INPUT, errno, "%s: read failed", name);
    *got = (size_t)count;
    return GS_OK;
}

enum gs_status gs_file_read_some(int fd, void *buffer, size_t size, size_t *got, const char *name,
                                 struct gs_error *err)
{
    ssize_t count;
    do
        count = read(fd, buffer, size < GS_CALL_BYTES ? size : GS_CALL_BYTES);
    while (count < 0 && should_retry(fd, POLLIN));
    return end_read(count, got, name, err);
}

enum gs_status gs_file_splice_some(int fd, int pipe, size_t size, size_t *got, const char *name,
                                   struct gs_error *err)
{
    ssize_t count;
    do
        count = splice(fd, NULL, pipe, NULL, size, SPLICE_F_MOVE);
    while (count < 0 && should_retry(fd, POLLIN));
    return end_read(count, got, name, err);
}

/* write(2), or pwrite(2) if offset is not negative. */
static enum gs_status write_all(int fd, const void *buffer, size_t size, off_t offset,
                                const char *name, struct gs_error *err)
{
    const char *from = buffer;
    const size_t most = gs_dirty_limited() ? GS_DIRTY_PIECE_BYTES : GS_CALL_BYTES;
    while (size > 0) {
        size_t piece = size < most ? size : most;
        ssize_t count = offset < 0 ? write(fd, from, piece) : pwrite(fd, from, piece, offset);
        if (count <= 0) {
            if (count < 0 && should_retry(fd, POLLOUT))
                continue;
            int errnum = count < 0 ? errno : ENOSPC; /* some full devices write 0 bytes */
            return gs_fail(err, GS_ERR_OUTPUT, errnum, "%s: write failed", name);
        }
        from += count;
        size -= (size_t)count;
        if (offset >= 0)
            offset += count;
        int errnum = gs_dirty_written(fd, (uint64_t)count);
        if (errnum != 0)
            return gs_fail(err, GS_ERR_OUTPUT, errnum, "%s: write failed", name);
    }
    return GS_OK;
}

enum gs_status gs_file_write_full(int fd, const void *buffer, size_t size, const char *name,
                                  struct gs_error *err)
{
    return write_all(fd, buffer, size, -1, name, err);
}

enum gs_status gs_file_give_full(int fd, const void *buffer, size_t size, const char *name,
                                 struct gs_error *err)
{
    struct iovec rest = {.iov_base = (void *)(uintptr_t)buffer, .iov_len = size};
    while (rest.iov_len > 0) {
        ssize_t count = vmsplice(fd, &rest, 1, 0);
        if (count < 0 && should_retry(fd, POLLOUT))
            continue;
        if (count <= 0) /* write(2) instead, which reports the cause if it fails, too */
            return gs_file_write_full(fd, rest.iov_base, rest.iov_len, name, err);
        rest.iov_base = (char *)rest.iov_base + count;
        rest.iov_len -= (size_t)count;
    }
    return GS_OK;
}

enum gs_status gs_file_pwrite_full(int fd, const void *buffer, size_t size, uint64_t offset,
                                   const char *name, struct gs_error *err)
{
    if (offset > (uint64_t)INT64_MAX - size)
        return gs_fail(err, GS_ERR_OUTPUT, EFBIG, "%s: write failed", name);
    return write_all(fd, buffer, size, (off_t)offset, name, err);
}

int gs_file_pread_most(int fd, void *buffer, size_t size, uint64_t offset, size_t *got)
{
    *got = 0;
    while (*got < size) {
        size_t left = size - *got;
        size_t piece = left < GS_CALL_BYTES ? left : GS_CALL_BYTES;
        ssize_t count = pread(fd, (char *)buffer + *got, piece, (off_t)(offset + *got));
        if (count < 0 && should_retry(fd, POLLIN))
            continue;
        if (count < 0)
            return errno;
        if (count == 0)
            break;
        *got += (size_t)count;
    }
    return 0;
}

enum gs_status gs_file_pread_full(int fd, void *buffer, size_t size, uint64_t offset,
                                  const char *name, struct gs_error *err)
{
    size_t got;
    int errnum = gs_file_pread_most(fd, buffer, size, offset, &got);
    if (errnum != 0)
        return gs_fail(err, GS_ERR_INPUT, errnum, "%s: read failed", name);
    if (got < size)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: a temporary file became shorter", name);
    return GS_OK;
}

int gs_file_access(int dirfd, const char *path, int mode, int flags)
{
    int result = faccessat(dirfd, path, mode, flags | AT_EACCESS);
    /* Some sandboxes refuse the system call of that with EPERM, as too new, which the C library
     * takes for an answer. The older one has no flags. If that says the same, it is not known: an
     * attribute of the file may be why, or the sandbox; what is asked for will be tried. */
    if (result != 0 && errno == EPERM)
        result = (int)syscall(SYS_faccessat, dirfd, path, mode);
    return result != 0 && errno == EPERM ? 0 : result;
}

int gs_file_open_own(int dirfd, const char *name)
{
    struct stat status;
    int fd = openat(dirfd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    int errnum = fstat(fd, &status) != 0 ? errno : 0;
    if (errnum == 0 && (!S_ISREG(status.st_mode) || status.st_uid != geteuid()))
        errnum = EPERM;
    if (errnum == 0)
        return fd;
    close(fd);
    errno = errnum;
    return -1;
}

void gs_file_guard_standard(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
                (void)open("/", O_PATH); /* where there is no /dev */
}

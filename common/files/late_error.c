/* late_error.c -- ask a file for those failures of writes that are reported late.
 * SPDX-License-Identifier: MIT
 *
 * A write to the page cache succeeds, and its write-back fails later: on NFS, SMB and FUSE for want
 * of space or quota, everywhere if the disk breaks. Linux keeps that error in two places. A flag of
 * the file is cleared by the first call that looks at it: close(2) on FUSE, but fchmod(2) and
 * ftruncate(2) there, too. And each open file description knows since when it has not been told
 * (Linux, lib/errseq.c), whatever calls on other descriptions were: fsync(2) asks for that, and so
 * does sync_file_range(2), which waits only for the pages of its range. Behind the end of the file
 * there are none.
 *
 * A server's own errors come with the reply to a close. Closing a duplicate asks for them; on local
 * file systems, which have nothing to do at a close, it takes a microsecond.
 */
#include "common/files/late_error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

/* Far behind the end of any file; if not, one page is waited for. */
#define BEHIND_THE_END ((off_t)1 << 43)

bool gs_is_late_error(int errnum)
{
    return errnum == EIO || errnum == ENOSPC || errnum == EDQUOT;
}

/* Does the errno say that the question is not possible here, or not permitted? */
static bool is_refusal(int errnum)
{
    return errnum == EBADF || errnum == ESPIPE || errnum == EINVAL || errnum == ENOSYS ||
           errnum == EOPNOTSUPP || errnum == EPERM || errnum == EACCES;
}

int gs_late_error_sync(int fd, off_t offset, off_t bytes, unsigned flags)
{
    return sync_file_range(fd, offset, bytes, flags) == 0 || is_refusal(errno) ? 0 : errno;
}

/* Errors that were told to another call, by descriptor. By the time it is asked for, a number may
 * be that of another file, which then fails for nothing; a lost error would be worse. */
static atomic_int kept[1024];

static atomic_int *kept_for(int fd)
{
    return &kept[(unsigned)fd % (sizeof kept / sizeof *kept)];
}

void gs_late_error_keep(int fd, int errnum)
{
    atomic_store(kept_for(fd), errnum);
}

int gs_late_error(int fd)
{
    const int errnum = atomic_exchange(kept_for(fd), 0);
    if (errnum != 0)
        return errnum;
    return gs_late_error_sync(fd, BEHIND_THE_END, 1, SYNC_FILE_RANGE_WAIT_BEFORE);
}

int gs_late_error_settle(int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy >= 0 && close(copy) != 0 && errno != EINTR)
        return errno;
    if (copy < 0 && fdatasync(fd) != 0 && !is_refusal(errno)) /* no descriptor left: the slow way */
        return errno;
    return gs_late_error(fd);
}

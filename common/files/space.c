/* space.c -- how much room a file system has, and reserving some of it for a file.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/space.h"

#include "common/files/late_error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Missing in older versions of linux/magic.h. */
#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

/* Root may use blocks that are free but not available to others. Not on btrfs: there they are for
 * the file system's own metadata, and for second copies of it. */
uint64_t gs_space_free(int fd)
{
    struct statfs fs;
    if (fstatfs(fd, &fs) != 0 || fs.f_blocks == 0) /* some file systems have no fixed size */
        return UINT64_MAX;
    uint64_t bytes;
    bool all = geteuid() == 0 && fs.f_type != (__fsword_t)BTRFS_SUPER_MAGIC;
    uint64_t blocks = all ? fs.f_bfree : fs.f_bavail;
    return __builtin_mul_overflow(blocks, (uint64_t)fs.f_frsize, &bytes) ? UINT64_MAX : bytes;
}

/* Writing 1 GiB on ext4 takes 0.145 s with fallocate(2) and 0.22 s without. On tmpfs it costs more
 * than it saves, and on btrfs the file would lose its compression. */
bool gs_space_gains(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 &&
           (fs.f_type == EXT4_SUPER_MAGIC || fs.f_type == (__fsword_t)XFS_SUPER_MAGIC);
}

int gs_space_reserve(int fd, uint64_t offset, uint64_t bytes)
{
    if (bytes == 0 || offset > INT64_MAX || bytes > INT64_MAX - offset || !gs_space_gains(fd))
        return 0;
    int failed;
    do
        failed = fallocate(fd, 0, (off_t)offset, (off_t)bytes);
    while (failed != 0 && errno == EINTR);
    if (failed != 0 && (gs_is_late_error(errno) || errno == EFBIG))
        return errno;
    return 0; /* any other refusal means that it is not supported here */
}

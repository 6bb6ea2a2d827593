/* direct_file.c -- a file's whole blocks, past the page cache (open(2): O_DIRECT).
 * SPDX-License-Identifier: MIT
 */
#include "common/files/direct_file.h"

#include "common/files/late_error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int gs_direct_reopen(int fd, int flags)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, flags | O_DIRECT | O_CLOEXEC);
}

int gs_direct_pwrite(int fd, const void *data, size_t bytes, uint64_t offset, size_t *written)
{
    const size_t whole = bytes - bytes % GS_DIRECT_BLOCK;
    *written = 0;
    while (*written < whole) {
        ssize_t count =
            pwrite(fd, (const char *)data + *written, whole - *written, (off_t)(offset + *written));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && gs_is_late_error(errno))
            return errno;
        if (count <= 0)
            break;
        *written += (size_t)count;
        if (*written % GS_DIRECT_BLOCK != 0)
            break;
    }
    return 0;
}

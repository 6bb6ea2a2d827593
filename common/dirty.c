/* dirty.c -- bound the pages of files that are written, but not on the disk yet.
 * SPDX-License-Identifier: MIT
 *
 * Whichever writer reaches the half waits for the disk under a lock, and the others for the lock.
 * A file that was closed meanwhile is nobody's any more, or another: it does no harm to have its
 * pages written.
 */
#include "common/dirty.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

/* Files that are remembered; beyond so many all wait for the disk at once. */
#define FILES_MAX 64

/* Half of what waits, at the most: enough to keep a disk busy, and begun early. */
#define HALF_BYTES_MAX ((uint64_t)64 << 20)

static atomic_uint_fast64_t limit = UINT64_MAX;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the rest */
static int fds[FILES_MAX];
static int files;
static uint64_t half;
static uint64_t fresh; /* bytes since the disk was last told to write */
static uint64_t grace; /* what may be fresh beyond the half, the first time: then all may wait */

void gs_dirty_limit(uint64_t bytes)
{
    pthread_mutex_lock(&mutex);
    half = bytes / 2 < HALF_BYTES_MAX ? bytes / 2 : HALF_BYTES_MAX;
    grace = bytes - 2 * half;
    fresh = 0;
    files = 0;
    atomic_store(&limit, bytes);
    pthread_mutex_unlock(&mutex);
}

bool gs_dirty_limited(void)
{
    return atomic_load_explicit(&limit, memory_order_relaxed) != UINT64_MAX;
}

/* Remember a file; false: there are too many. */
static bool add_file(int fd)
{
    for (int i = 0; i < files; i++)
        if (fds[i] == fd)
            return true;
    if (files == FILES_MAX)
        return false;
    fds[files++] = fd;
    return true;
}

/* One call for all files: what a disk has to say is an error, all else means that there is no file
 * or nothing to wait for. */
static int sync_files(unsigned flags)
{
    int errnum = 0;
    for (int i = 0; i < files; i++)
        if (sync_file_range(fds[i], 0, 0, flags) != 0 &&
            (errno == EIO || errno == ENOSPC || errno == EDQUOT))
            errnum = errno;
    return errnum;
}

int gs_dirty_written(int fd, uint64_t bytes)
{
    int errnum = 0;
    if (!gs_dirty_limited())
        return 0;
    pthread_mutex_lock(&mutex);
    if (!add_file(fd)) {
        errnum = sync_files(SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                            SYNC_FILE_RANGE_WAIT_AFTER);
        files = 0;
        add_file(fd);
    }
    fresh += bytes;
    if (fresh >= half + grace) {
        int failed = sync_files(SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE);
        errnum = failed != 0 ? failed : errnum;
        fresh = 0;
        grace = 0;
    }
    pthread_mutex_unlock(&mutex);
    return errnum;
}

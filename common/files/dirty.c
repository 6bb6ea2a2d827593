/* dirty.c -- bound the dirty pages of files: written, but not on the disk yet.
 * SPDX-License-Identifier: MIT
 *
 * The writer that reaches the half waits for the disk while it holds a lock, the others wait for
 * the lock. A remembered descriptor may have been closed meanwhile, or be another file by now: it
 * does no harm to have that one's pages written.
 */
#include "common/files/dirty.h"

#include "common/files/late_error.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

/* Files that are remembered; before one more is, all of these are written to the disk. */
#define FILES_MAX 64

/* The largest half: enough to keep a disk busy, and small enough for write-back to begin early. */
#define HALF_BYTES_MAX ((uint64_t)64 << 20)

static atomic_uint_fast64_t limit = UINT64_MAX;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the rest */
static int fds[FILES_MAX];
static int files;
static uint64_t half;
static uint64_t fresh; /* bytes written since write-back was last started */
static uint64_t grace; /* the first time, this much more may be fresh: nothing else is dirty yet */
static unsigned calls; /* of the library, under way */

static void set_limit(uint64_t bytes)
{
    half = bytes / 2 < HALF_BYTES_MAX ? bytes / 2 : HALF_BYTES_MAX;
    grace = bytes - 2 * half;
    atomic_store(&limit, bytes);
}

void gs_dirty_limit(uint64_t bytes)
{
    pthread_mutex_lock(&mutex);
    if (calls < 2 || bytes < atomic_load(&limit))
        set_limit(bytes);
    if (calls < 2) {
        fresh = 0;
        files = 0;
    }
    pthread_mutex_unlock(&mutex);
}

void gs_dirty_enter(void)
{
    pthread_mutex_lock(&mutex);
    calls++;
    pthread_mutex_unlock(&mutex);
}

void gs_dirty_leave(void)
{
    pthread_mutex_lock(&mutex);
    if (--calls == 0) {
        set_limit(UINT64_MAX);
        files = 0;
    }
    pthread_mutex_unlock(&mutex);
}

bool gs_dirty_limited(void)
{
    return atomic_load_explicit(&limit, memory_order_relaxed) != UINT64_MAX;
}

/* Remember a file; false if there are too many. */
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

/* Call sync_file_range(2) for all files. Returns 0, or the errno of a failed write-back, which is
 * kept for the file's own call, too, if that may be another one. */
static int sync_files(unsigned flags)
{
    int errnum = 0;
    for (int i = 0; i < files; i++) {
        int failed = gs_late_error_sync(fds[i], 0, 0, flags);
        if (failed != 0 && calls > 1)
            gs_late_error_keep(fds[i], failed);
        errnum = failed != 0 ? failed : errnum;
    }
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

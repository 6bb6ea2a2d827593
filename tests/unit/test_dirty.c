/* test_dirty.c -- dirty bytes stay below their limit, and errors of the disk are passed on.
 * SPDX-License-Identifier: MIT
 *
 * The disk is simulated: sync_file_range() here replaces the C library's function.
 */
#include "common/files/dirty.h"
#include "common/files/late_error.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define FILES 100
#define PIECE GS_DIRTY_PIECE_BYTES

/* For each file: bytes written, bytes whose write-back was started, and bytes on the disk. */
static struct {
    uint64_t written, started, done;
} file[FILES];
static unsigned calls;
static int error_number; /* with which calls for error_fd fail */
static int error_fd = -1;

int sync_file_range(int fd, off_t offset, off_t count, unsigned flags)
{
    calls++;
    CHECK(fd >= 0 && fd < FILES);
    CHECK(count == 0 ? offset == 0 : offset > (off_t)1 << 40); /* or gs_late_error asks */
    if ((flags & SYNC_FILE_RANGE_WAIT_BEFORE) != 0)
        file[fd].done = file[fd].started;
    if ((flags & SYNC_FILE_RANGE_WRITE) != 0)
        file[fd].started = file[fd].written;
    if ((flags & SYNC_FILE_RANGE_WAIT_AFTER) != 0)
        file[fd].done = file[fd].started;
    errno = error_number;
    return fd == error_fd ? -1 : 0;
}

static void begin(uint64_t limit)
{
    memset(file, 0, sizeof file);
    calls = 0;
    gs_dirty_limit(limit);
    CHECK(gs_dirty_limited() == (limit != UINT64_MAX));
}

/* Dirty bytes of all files. */
static uint64_t waiting(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < FILES; i++)
        sum += file[i].written - file[i].done;
    return sum;
}

/* Write pieces to `files` files in turn. Returns the most bytes that were dirty. */
static uint64_t write_pieces(int files, unsigned pieces)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < pieces; i++) {
        int fd = (int)(i % (unsigned)files);
        file[fd].written += PIECE;
        CHECK_EQUAL((unsigned)gs_dirty_written(fd, PIECE), 0);
        most = waiting() > most ? waiting() : most;
    }
    return most;
}

/* Dirty bytes stay below the limit, but reach half of it with up to 64 files: less would leave the
 * disk idle. */
static void test_bound(void)
{
    const uint64_t limits[] = {8 << 20, 37 << 20, UINT64_C(128) << 20, UINT64_C(1) << 30};
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
        for (int files = 1; files <= FILES; files = files * 5 + 1) {
            begin(limits[i]);
            uint64_t most = write_pieces(files, (unsigned)(limits[i] * 4 / PIECE));
            CHECK(most <= limits[i] + PIECE);
            CHECK(files > 64 || most >= limits[i] / 2);
        }
    }
}

/* Writers never wait below the limit, nor where there is none. */
static void test_free(void)
{
    begin(UINT64_C(1) << 30);
    write_pieces(3, (900 << 20) / PIECE);
    CHECK_EQUAL(calls, 0);
    begin(UINT64_MAX);
    write_pieces(3, 10000);
    CHECK_EQUAL(calls, 0);
}

/* The writer gets the disk's errors; other errors say that fd has nothing to wait for (a pipe). */
static void test_errors(void)
{
    const int errors[] = {EIO, ENOSPC, EDQUOT, ESPIPE, EINVAL, EBADF, ENOSYS};
    error_fd = 1;
    for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++) {
        error_number = errors[i];
        begin(16 << 20);
        CHECK_EQUAL((unsigned)gs_dirty_written(0, 7 << 20), 0);
        int got = gs_dirty_written(1, 2 << 20);
        CHECK_EQUAL((unsigned)got, i < 3 ? (unsigned)errors[i] : 0);
    }
    error_number = EIO; /* more files than are remembered, but each is synced */
    begin(16 << 20);
    int got = 0;
    for (int fd = 0; fd < 70; fd++)
        got = got != 0 ? got : gs_dirty_written(fd, 1);
    CHECK_EQUAL((unsigned)got, EIO);
    error_fd = -1;
}

/* Two calls of the library: the lower limit is that of both, and an error of one's file that the
 * other is told of is kept for it. */
static void test_two_calls(void)
{
    gs_dirty_enter();
    gs_dirty_limit(16 << 20);
    gs_dirty_enter();
    gs_dirty_limit(UINT64_MAX);
    CHECK(gs_dirty_limited());
    error_fd = 1;
    error_number = EIO;
    CHECK_EQUAL((unsigned)gs_dirty_written(1, 1 << 20), 0);
    CHECK_EQUAL((unsigned)gs_dirty_written(0, 16 << 20), EIO);
    error_fd = -1;
    CHECK_EQUAL((unsigned)gs_late_error(1), EIO);
    CHECK_EQUAL((unsigned)gs_late_error(1), 0);
    gs_dirty_leave();
    CHECK(gs_dirty_limited());
    gs_dirty_leave();
    CHECK(!gs_dirty_limited());
}

int main(void)
{
    test_bound();
    test_free();
    test_errors();
    test_two_calls();
    return check_failures();
}

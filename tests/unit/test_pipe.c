/* test_pipe.c -- the reader's own pipe passes on what was written, and no bytes stay in it.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/pipe.h"
#include "common/random.h"
#include "tests/unit/check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BYTES = 40000, ROOM = 50000 };

static unsigned char sent[BYTES];

/* Read at most `size` bytes. False if that failed. */
static bool read_some(struct gs_pipe_reader *reader, unsigned char *to, size_t size, size_t *got)
{
    struct gs_error err = {.status = GS_OK};
    return CHECK(gs_pipe_reader_read(reader, to, size, got, "pipe", &err) == GS_OK);
}

/* Read all of a pipe, `size` bytes at a time. Each read leaves the rest in the pipe, since another
 * process may read it next. */
static void check_reads(const int *ends, size_t size, bool has_own)
{
    struct gs_pipe_reader reader;
    static unsigned char got[ROOM];
    size_t used = 0;
    CHECK(write(ends[1], sent, BYTES) == BYTES);
    gs_pipe_reader_open(&reader, ends[0]);
    CHECK((reader.own[0] >= 0) == has_own);
    while (used < BYTES) {
        size_t here;
        int left;
        if (!read_some(&reader, got + used, size, &here) || !CHECK(here > 0 && here <= size))
            break;
        used += here;
        CHECK(ioctl(ends[0], FIONREAD, &left) == 0);
        CHECK_EQUAL((size_t)left, BYTES - used);
    }
    CHECK(used == BYTES && memcmp(got, sent, BYTES) == 0);
    gs_pipe_reader_close(&reader);
    CHECK(fcntl(ends[0], F_GETFD) >= 0); /* still open: the caller owns it */
}

static void check_end(int fd)
{
    struct gs_pipe_reader reader;
    unsigned char byte;
    size_t got = 1;
    gs_pipe_reader_open(&reader, fd);
    read_some(&reader, &byte, 1, &got);
    CHECK_EQUAL(got, 0);
    gs_pipe_reader_close(&reader);
}

/* Without descriptors for a pipe of its own, the reader reads directly. */
static void check_without(const int *ends)
{
    struct rlimit before;
    getrlimit(RLIMIT_NOFILE, &before);
    struct rlimit none = {.rlim_cur = (rlim_t)ends[1] + 1, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    check_reads(ends, BYTES, false);
    setrlimit(RLIMIT_NOFILE, &before);
}

static void check_file(void)
{
    struct gs_pipe_reader reader;
    unsigned char byte;
    size_t got = 0;
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    gs_pipe_reader_open(&reader, fd);
    CHECK(reader.own[0] == -1);
    read_some(&reader, &byte, 1, &got);
    CHECK_EQUAL(got, 1);
    gs_pipe_reader_close(&reader);
    close(fd);
}

static void check_error(int fd)
{
    struct gs_pipe_reader reader;
    struct gs_error err = {.status = GS_OK};
    unsigned char byte;
    size_t got;
    gs_pipe_reader_open(&reader, fd);
    CHECK(gs_pipe_reader_read(&reader, &byte, 1, &got, "end", &err) == GS_ERR_INPUT);
    CHECK(strstr(err.text, "end: read failed") == err.text);
    gs_pipe_reader_close(&reader);
}

int main(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        abort();
    for (size_t i = 0; i < BYTES; i++)
        sent[i] = (unsigned char)gs_random(5, i);
    check_reads(ends, ROOM, true);
    check_reads(ends, 4097, true);
    check_reads(ends, 1, true);
    check_without(ends);
    check_error(ends[1]);
    close(ends[1]);
    check_end(ends[0]);
    close(ends[0]);
    check_file();
    return check_failures();
}

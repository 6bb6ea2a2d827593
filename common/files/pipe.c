/* pipe.c -- pipes made as large as permitted, and read without blocking their writers.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/pipe.h"

#include "common/files/file.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The most that a pipe may hold, if the system does not tell. */
#define GS_PIPE_BYTES (1 << 20)

void gs_pipe_grow(int fd)
{
    long most = GS_PIPE_BYTES;
    const int room = fcntl(fd, F_GETPIPE_SZ);
    if (room < 0)
        return; /* no pipe, but an empty file, say; with thousands of them, this should be fast */
    FILE *limit = fopen("/proc/sys/fs/pipe-max-size", "re");
    if (limit != NULL) {
        char line[32];
        if (fgets(line, sizeof line, limit) != NULL) {
            long said = strtol(line, NULL, 10);
            if (said > 0 && said <= INT32_MAX)
                most = said;
        }
        fclose(limit);
    }
    if (room < most)
        (void)fcntl(fd, F_SETPIPE_SZ, (int)most);
}

void gs_pipe_reader_open(struct gs_pipe_reader *reader, int fd)
{
    *reader = (struct gs_pipe_reader){.fd = fd, .own = {-1, -1}};
    gs_pipe_grow(fd);
    int room = fcntl(fd, F_GETPIPE_SZ);
    if (room <= 0 || pipe2(reader->own, O_CLOEXEC) != 0)
        return;
    reader->room = (size_t)room;
    if (fcntl(reader->own[0], F_SETPIPE_SZ, room) < room) /* beyond this user's limit on pipes */
        gs_pipe_reader_close(reader);
}

enum gs_status gs_pipe_reader_read(struct gs_pipe_reader *reader, void *buffer, size_t size,
                                   size_t *got, const char *name, struct gs_error *err)
{
    enum gs_status st = GS_OK; /* also at the end of the pipe, with *got = 0 */
    size_t held = 0;
    size_t done = 0;
    /* If splice(2) fails (under a seccomp filter, say), read(2) works or reports the cause. */
    if (reader->own[0] >= 0 &&
        gs_file_splice_some(reader->fd, reader->own[1], size < reader->room ? size : reader->room,
                            &held, name, NULL) != GS_OK)
        gs_pipe_reader_close(reader);
    if (reader->own[0] < 0)
        return gs_file_read_some(reader->fd, buffer, size, got, name, err);
    while (done < held) {
        size_t here;
        GS_TRY(gs_file_read_some(reader->own[0], (char *)buffer + done, held - done, &here, name,
                                 err));
        done += here;
    }
    *got = held;
cleanup:
    return st;
}

void gs_pipe_reader_close(struct gs_pipe_reader *reader)
{
    if (reader->own[0] < 0)
        return;
    close(reader->own[0]);
    close(reader->own[1]);
    reader->own[0] = -1;
    reader->own[1] = -1;
}

/* pipe.h -- pipes made as large as permitted, and read without blocking their writers.
 * SPDX-License-Identifier: MIT
 *
 * read(2) holds a pipe's lock while it copies, and while the pages that it copies to, if new, are
 * cleared; the writer waits all that time. splice(2) holds the lock only while it hands the pages
 * themselves to another pipe; they are copied from there while the writer continues.
 */
#ifndef GS_PIPE_H
#define GS_PIPE_H

#include "common/status.h"

#include <stddef.h>

struct gs_pipe_reader {
    int fd;      /* the caller's */
    int own[2];  /* the pipe that takes over fd's pages; -1: fd is read directly */
    size_t room; /* bytes that own can hold */
};

/* Make a pipe as large as the system permits this user. Anything else is left alone. */
void gs_pipe_grow(int fd);

/* Prepare to read fd: a pipe is grown, and read by way of another; anything else, directly. */
void gs_pipe_reader_open(struct gs_pipe_reader *reader, int fd);

/* As gs_file_read_some. Between calls, no bytes remain in the second pipe. */
enum gs_status gs_pipe_reader_read(struct gs_pipe_reader *reader, void *buffer, size_t size,
                                   size_t *got, const char *name, struct gs_error *err);

/* Close the second pipe; fd stays open. */
void gs_pipe_reader_close(struct gs_pipe_reader *reader);

#endif

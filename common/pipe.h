/* pipe.h -- pipes as large as they may be, read without keeping their writers waiting.
 * SPDX-License-Identifier: MIT
 *
 * read(2) holds a pipe's lock while it copies, and while the pages that it copies to are cleared,
 * if they are new: so long the writer waits. splice(2) holds it no longer than it takes to hand the
 * pages themselves to another pipe, from where they are copied while the writer writes on.
 */
#ifndef GS_PIPE_H
#define GS_PIPE_H

#include "common/status.h"

#include <stddef.h>

struct gs_pipe_reader {
    int fd;      /* the caller's */
    int own[2];  /* where what it holds is handed to, or -1: it is no pipe */
    size_t room; /* of own, in bytes */
};

/* Make a pipe as large as the system lets this user have it. Anything else is left alone. */
void gs_pipe_grow(int fd);

/* Grow a pipe and read it by way of another; read anything else as it is. */
void gs_pipe_reader_open(struct gs_pipe_reader *reader, int fd);

/* As gs_file_read_some: nothing stays behind between calls. */
enum gs_status gs_pipe_reader_read(struct gs_pipe_reader *reader, void *buffer, size_t size,
                                   size_t *got, const char *name, struct gs_error *err);

/* Leaves fd open. */
void gs_pipe_reader_close(struct gs_pipe_reader *reader);

#endif

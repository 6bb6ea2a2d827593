/* direct.c -- write an output past the page cache (open(2): O_DIRECT), while the sort goes on.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/direct.h"

#include "common/files/direct_file.h"
#include "common/memory/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a request, how many of them are filled or written at once, and the threads that write:
 * a disk of a virtual machine reaches its rate with four requests under way. */
#define BUFFER_BYTES ((size_t)512 << 10)
#define BUFFERS      16
#define WRITERS      4

/* A part of a block whose rest is still to come. */
struct part {
    uint64_t block; /* its number in the file */
    size_t from, to;
    char *bytes; /* [GS_DIRECT_BLOCK], of which [from, to) are there */
};

/* A buffer, and what it holds. */
struct request {
    char *buffer;
    size_t bytes;
    uint64_t offset; /* in the file */
};

struct gs_direct_writer {
    struct gs_output *output;
    int fd;
    char *memory; /* of all buffers */
    pthread_t thread[WRITERS];
    unsigned threads;
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t filled; /* a request is there, or `ends` is set */
    pthread_cond_t freed;  /* a buffer is free */
    char *free[BUFFERS];
    unsigned free_count;
    struct request queue[BUFFERS]; /* a ring */
    unsigned first, queued;
    struct part *parts;
    size_t part_count, part_room;
    struct gs_error error; /* the first */
    bool started, ends;
};

static uint64_t file_start(const struct gs_direct_writer *direct)
{
    return direct->output->start + direct->output->head_bytes;
}

static void keep_error(struct gs_direct_writer *direct, const struct gs_error *error)
{
    pthread_mutex_lock(&direct->mutex);
    if (direct->error.status == GS_OK)
        direct->error = *error;
    pthread_mutex_unlock(&direct->mutex);
}

/* Write a request and free its buffer. */
static void write_request(struct gs_direct_writer *direct, const struct request *request)
{
    struct gs_error error = {.status = GS_OK};
    size_t written = 0;
    int errnum =
        gs_direct_pwrite(direct->fd, request->buffer, request->bytes, request->offset, &written);
    if (errnum != 0)
        (void)gs_fail(&error, GS_ERR_OUTPUT, errnum, "%s: write failed", direct->output->name);
    else /* what it refuses, if anything */
        (void)gs_output_write(direct->output, request->buffer + written, request->bytes - written,
                              request->offset + written - file_start(direct), &error);
    if (error.status != GS_OK)
        keep_error(direct, &error);
    pthread_mutex_lock(&direct->mutex);
    direct->free[direct->free_count++] = request->buffer;
    pthread_cond_signal(&direct->freed);
    pthread_mutex_unlock(&direct->mutex);
}

static void *write_requests(void *argument)
{
    struct gs_direct_writer *direct = argument;
    for (;;) {
        pthread_mutex_lock(&direct->mutex);
        while (direct->queued == 0 && !direct->ends)
            pthread_cond_wait(&direct->filled, &direct->mutex);
        const bool any = direct->queued > 0;
        const struct request request = direct->queue[direct->first];
        if (any) {
            direct->first = (direct->first + 1) % BUFFERS;
            direct->queued--;
        }
        pthread_mutex_unlock(&direct->mutex);
        if (!any)
            return NULL;
        write_request(direct, &request);
    }
}

struct gs_direct_writer *gs_direct_open(struct gs_output *output)
{
    struct gs_direct_writer *direct = malloc(sizeof *direct);
    int fd = direct != NULL ? gs_direct_reopen(output->fd, O_WRONLY) : -1;
    if (fd < 0) {
        free(direct);
        return NULL;
    }
    *direct = (struct gs_direct_writer){.output = output,
                                        .fd = fd,
                                        .mutex = PTHREAD_MUTEX_INITIALIZER,
                                        .filled = PTHREAD_COND_INITIALIZER,
                                        .freed = PTHREAD_COND_INITIALIZER};
    return direct;
}

/* Before the first write: buffers and threads. Without any thread, callers write themselves: so
 * they do where address space is limited, which the sort has planned to use. Returns whether there
 * is memory. Called with the mutex held. */
static bool start(struct gs_direct_writer *direct)
{
    if (direct->started)
        return direct->memory != NULL;
    const bool limited = gs_buffer_space_left() != UINT64_MAX;
    const size_t buffers = limited ? 1 : BUFFERS;
    direct->started = true;
    direct->memory = aligned_alloc(GS_DIRECT_BLOCK, buffers * BUFFER_BYTES);
    if (direct->memory == NULL)
        return false;
    for (size_t i = 0; i < buffers; i++)
        direct->free[direct->free_count++] = direct->memory + i * BUFFER_BYTES;
    while (!limited && direct->threads < WRITERS &&
           pthread_create(&direct->thread[direct->threads], NULL, write_requests, direct) == 0)
        direct->threads++;
    return true;
}

/* What one call writes: whole blocks in a row, a buffer at a time. */
struct row {
    struct gs_direct_writer *direct;
    struct request request; /* its buffer is NULL before it has any bytes */
};

static void submit(struct row *row)
{
    struct gs_direct_writer *direct = row->direct;
    const struct request request = row->request;
    if (request.buffer == NULL)
        return;
    row->request = (struct request){.offset = request.offset + request.bytes};
    if (direct->threads == 0) {
        write_request(direct, &request);
        return;
    }
    pthread_mutex_lock(&direct->mutex);
    direct->queue[(direct->first + direct->queued++) % BUFFERS] = request;
    pthread_cond_signal(&direct->filled);
    pthread_mutex_unlock(&direct->mutex);
}

static char *take_buffer(struct gs_direct_writer *direct)
{
    pthread_mutex_lock(&direct->mutex);
    while (direct->free_count == 0)
        pthread_cond_wait(&direct->freed, &direct->mutex);
    char *buffer = direct->free[--direct->free_count];
    pthread_mutex_unlock(&direct->mutex);
    return buffer;
}

static void append(struct row *row, const char *data, size_t bytes)
{
    while (bytes > 0) {
        struct request *request = &row->request;
        if (request->buffer == NULL)
            request->buffer = take_buffer(row->direct);
        const size_t room = BUFFER_BYTES - request->bytes;
        const size_t here = bytes < room ? bytes : room;
        memcpy(request->buffer + request->bytes, data, here);
        request->bytes += here;
        data += here;
        bytes -= here;
        if (request->bytes == BUFFER_BYTES)
            submit(row);
    }
}

/* Take out of the list what continues `part` on either side, and add it. */
static void join_parts(struct gs_direct_writer *direct, struct part *part)
{
    for (size_t i = direct->part_count; i-- > 0;) {
        struct part *other = &direct->parts[i];
        if (other->block != part->block || (other->to != part->from && other->from != part->to))
            continue;
        memcpy(part->bytes + other->from, other->bytes + other->from, other->to - other->from);
        part->from = other->from < part->from ? other->from : part->from;
        part->to = other->to > part->to ? other->to : part->to;
        free(other->bytes);
        *other = direct->parts[--direct->part_count];
    }
}

/* Have room for one more part in the list. */
static bool make_room(struct gs_direct_writer *direct)
{
    if (direct->part_count < direct->part_room)
        return true;
    const size_t room = 2 * direct->part_room + 64;
    struct part *parts = reallocarray(direct->parts, room, sizeof *parts);
    if (parts == NULL)
        return false;
    direct->parts = parts;
    direct->part_room = room;
    return true;
}

/* The part of a block that holds `bytes` bytes at `offset` has come. Returns the block if that is
 * now complete: the caller frees it. NULL: the rest is still to come. Not *kept: there is no memory
 * for it. Called with the mutex held. */
static char *complete_block(struct gs_direct_writer *direct, const char *data, size_t bytes,
                            uint64_t offset, bool *kept)
{
    struct part part = {.block = offset / GS_DIRECT_BLOCK,
                        .from = offset % GS_DIRECT_BLOCK,
                        .to = offset % GS_DIRECT_BLOCK + bytes,
                        .bytes = malloc(GS_DIRECT_BLOCK)};
    *kept = part.bytes != NULL && make_room(direct);
    if (!*kept) {
        free(part.bytes);
        return NULL;
    }
    memcpy(part.bytes + part.from, data, bytes);
    join_parts(direct, &part);
    if (part.from == 0 && part.to == GS_DIRECT_BLOCK)
        return part.bytes;
    direct->parts[direct->part_count++] = part;
    return NULL;
}

/* Part of a block, at either end of what is written: append the block if it is complete. */
static void append_part(struct row *row, const char *data, size_t bytes, uint64_t offset)
{
    struct gs_direct_writer *direct = row->direct;
    struct gs_error error = {.status = GS_OK};
    bool kept = true;
    if (bytes == 0)
        return;
    pthread_mutex_lock(&direct->mutex);
    char *block = complete_block(direct, data, bytes, offset, &kept);
    pthread_mutex_unlock(&direct->mutex);
    if (block != NULL) {
        row->request.offset =
            row->request.buffer == NULL ? offset - offset % GS_DIRECT_BLOCK : row->request.offset;
        append(row, block, GS_DIRECT_BLOCK);
        free(block);
    } else if (!kept && gs_output_write(direct->output, data, bytes, offset - file_start(direct),
                                        &error) != GS_OK) {
        keep_error(direct, &error);
    }
}

static enum gs_status find_error(struct gs_direct_writer *direct, struct gs_error *err)
{
    pthread_mutex_lock(&direct->mutex);
    if (direct->error.status != GS_OK)
        *err = direct->error;
    const enum gs_status st = direct->error.status;
    pthread_mutex_unlock(&direct->mutex);
    return st;
}

enum gs_status gs_direct_write(struct gs_direct_writer *direct, const void *data, size_t bytes,
                               uint64_t position, struct gs_error *err)
{
    const char *from = data;
    const uint64_t offset = file_start(direct) + position;
    pthread_mutex_lock(&direct->mutex);
    const bool able = start(direct);
    pthread_mutex_unlock(&direct->mutex);
    if (!able)
        return gs_output_write(direct->output, data, bytes, position, err);
    size_t head = (size_t)(-offset % GS_DIRECT_BLOCK);
    head = head < bytes ? head : bytes;
    const size_t tail = (bytes - head) % GS_DIRECT_BLOCK;
    struct row row = {.direct = direct, .request = {.offset = offset + head}};
    append_part(&row, from, head, offset);
    append(&row, from + head, bytes - head - tail);
    append_part(&row, from + bytes - tail, tail, offset + bytes - tail);
    submit(&row);
    return find_error(direct, err);
}

enum gs_status gs_direct_close(struct gs_direct_writer *direct, struct gs_error *err)
{
    if (direct == NULL)
        return GS_OK;
    pthread_mutex_lock(&direct->mutex);
    direct->ends = true;
    pthread_cond_broadcast(&direct->filled);
    pthread_mutex_unlock(&direct->mutex);
    for (unsigned i = 0; i < direct->threads; i++)
        pthread_join(direct->thread[i], NULL);
    for (size_t i = 0; i < direct->part_count; i++) { /* at the ends, or beside cached writes */
        const struct part *part = &direct->parts[i];
        struct gs_error error = {.status = GS_OK};
        if (gs_output_write(direct->output, part->bytes + part->from, part->to - part->from,
                            part->block * GS_DIRECT_BLOCK + part->from - file_start(direct),
                            &error) != GS_OK)
            keep_error(direct, &error);
        free(part->bytes);
    }
    enum gs_status st = find_error(direct, err);
    if (close(direct->fd) != 0 && errno != EINTR && st == GS_OK)
        st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: close failed", direct->output->name);
    free(direct->parts);
    free(direct->memory);
    free(direct);
    return st;
}

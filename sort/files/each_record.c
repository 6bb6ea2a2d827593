/* each_record.c -- records of the inputs, shown in their order, for what reads them once.
 * SPDX-License-Identifier: MIT
 *
 * A mapped file is shown in pieces, so that what is sought near its start is found at once; a pipe
 * as its bytes come. Neither needs memory for the whole file.
 */
#include "sort/files/each_record.h"

#include "common/memory/memory.h"
#include "common/files/pipe.h"

#include <errno.h>
#include <string.h>

/* Bytes of a mapped file that are shown at once: enough for several threads. */
#define MAPPED_BYTES ((size_t)64 << 20)

/* Bytes of one read from a pipe: as many as a large one holds. */
#define READ_BYTES ((size_t)1 << 20)

/* Whom the records are shown to. */
struct each {
    unsigned record_bytes;
    size_t piece_bytes;
    gs_each_look *look;
    void *context;
    struct gs_progress *progress;
    uint64_t shown; /* of all inputs */
    bool stopped;
};

static void show(struct each *each, const struct gs_input *input, uint64_t index,
                 const char *records, uint64_t count)
{
    each->stopped = !each->look(each->context, input, index, records, count);
    each->shown += count;
    atomic_store(&each->progress->done, each->shown);
}

static void show_mapped(struct each *each, const struct gs_input *input)
{
    const char *records = input->bytes;
    const uint64_t count = input->size / each->record_bytes;
    const uint64_t piece =
        (each->piece_bytes > 0 ? each->piece_bytes : MAPPED_BYTES) / each->record_bytes;
    for (uint64_t at = 0; at < count && !each->stopped; at += piece)
        show(each, input, at, records + at * each->record_bytes,
             count - at < piece ? count - at : piece);
}

static enum gs_status show_stream(struct each *each, struct gs_input *input, struct gs_error *err)
{
    enum gs_status st;
    size_t used = 0; /* bytes that are not shown yet */
    size_t got;
    uint64_t size = 0;
    uint64_t index = 0;
    struct gs_pipe_reader reader = {.own = {-1, -1}};
    const size_t room = each->piece_bytes > 0 ? each->piece_bytes : READ_BYTES;
    char *buffer = gs_pages_alloc(room);
    if (buffer == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, errno, "%s", input->name);
        goto cleanup;
    }
    GS_TRY(gs_input_start(input, err));
    gs_pipe_reader_open(&reader, input->fd);
    if (input->rest_bytes > 0) /* else input->rest may be NULL */
        memcpy(buffer, input->rest, input->rest_bytes);
    size = used = input->rest_bytes;
    do {
        GS_TRY(gs_pipe_reader_read(&reader, buffer + used, room - used, &got, input->name, err));
        GS_TRY(gs_input_look(input, buffer + used, got, err));
        size += got;
        used += got;
        if (got > 0 && used < each->piece_bytes / 2)
            continue;
        const uint64_t count = used / each->record_bytes;
        show(each, input, index, buffer, count);
        index += count;
        used %= each->record_bytes;
        memmove(buffer, buffer + count * each->record_bytes, used);
    } while (got > 0 && !each->stopped);
    /* If that was not all, the size does not matter: only what the input seems to be. */
    GS_TRY(each->stopped ? gs_magic_check(&input->magic, true, input->name, err)
                         : gs_input_check_end(input, size, each->record_bytes, err));
    gs_input_end(input); /* thousands of pipes must not use up the descriptors */

cleanup:
    gs_pipe_reader_close(&reader);
    gs_pages_free(buffer, room);
    return st;
}

enum gs_status gs_each_record(const struct gs_inputs *inputs, unsigned record_bytes,
                              size_t piece_bytes, gs_each_look *look, void *context,
                              const char *phase, struct gs_progress *progress, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct each each = {.record_bytes = record_bytes,
                        .piece_bytes = piece_bytes,
                        .look = look,
                        .context = context,
                        .progress = progress};
    gs_progress_enter(progress, phase,
                      gs_inputs_pending(inputs) ? 0 : gs_inputs_bytes(inputs) / record_bytes);
    for (size_t i = 0; i < inputs->count && !each.stopped; i++) {
        struct gs_input *input = &inputs->list[i];
        if (input->pending)
            GS_TRY(show_stream(&each, input, err));
        else
            show_mapped(&each, input);
    }
cleanup:
    return st;
}

/* mode_check.c -- -c and -C: are the inputs in order, one after the other?
 * SPDX-License-Identifier: MIT
 *
 * A mapped file is checked in pieces, so that a disorder near its start is found at once; a pipe is
 * checked as its bytes come. Neither needs memory for the whole file. The first record of a file
 * must continue the last one before it.
 */
#include "cli/modes.h"
#include "cli/memory_limit.h"
#include "cli/progress.h"
#include "cli/record_format.h"
#include "cli/report.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/pipe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Keys of a mapped file that are checked at once: enough for several threads. */
#define GS_CHECK_KEYS ((uint64_t)1 << 24)

/* Bytes of one read from a pipe: as many as a large one holds. */
#define GS_CHECK_BYTES ((size_t)1 << 20)

/* The record before, or the one that is out of order. */
static char last[GS_RECORD_BYTES_MAX];

/* The state after some keys. */
struct check {
    const struct gs_options *options;
    bool begun;     /* `last` is a key: there was one, in this input or an earlier one */
    uint64_t index; /* in this input: of the next key, or, once ordered is false, of the disorder */
    bool ordered;
};

/* Carry on with the next `count` keys. */
static void check_keys(struct check *check, const char *keys, uint64_t count)
{
    const unsigned record_bytes = gs_record_bytes(check->options);
    const void *previous = check->begun ? last : NULL;
    uint64_t bad = gs_width(check->options)->first_disorder(check->options, keys, count, previous);
    check->ordered = bad == count;
    check->begun = check->begun || count > 0;
    check->index += bad;
    if (!check->ordered)
        memcpy(last, keys + bad * record_bytes, record_bytes);
    else if (count > 0)
        memcpy(last, keys + (count - 1) * record_bytes, record_bytes);
}

static void check_mapped(struct check *check, const struct gs_input *input,
                         struct gs_progress *progress)
{
    const unsigned record_bytes = gs_record_bytes(check->options);
    const char *keys = input->bytes;
    uint64_t count = input->size / record_bytes;
    gs_progress_enter(progress, "check", count);
    while (check->ordered && check->index < count) {
        uint64_t left = count - check->index;
        check_keys(check, keys + check->index * record_bytes,
                   left < GS_CHECK_KEYS ? left : GS_CHECK_KEYS);
        atomic_store(&progress->done, check->index);
    }
}

static enum gs_status check_stream(struct check *check, struct gs_input *input,
                                   struct gs_progress *progress, struct gs_error *err)
{
    enum gs_status st;
    const unsigned record_bytes = gs_record_bytes(check->options);
    size_t used = 0; /* bytes of a key that is not complete yet */
    size_t got;
    uint64_t size = 0;
    struct gs_pipe_reader reader = {.own = {-1, -1}};
    char *buffer = gs_pages_alloc(GS_CHECK_BYTES);
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
        GS_TRY(gs_pipe_reader_read(&reader, buffer + used, GS_CHECK_BYTES - used, &got, input->name,
                                   err));
        GS_TRY(gs_input_look(input, buffer + used, got, err));
        size += got;
        used += got;
        uint64_t keys = used / record_bytes;
        check_keys(check, buffer, keys);
        used %= record_bytes;
        memmove(buffer, buffer + keys * record_bytes, used);
        atomic_store(&progress->done, check->index);
    } while (got > 0 && check->ordered);
    /* If there is a disorder, the size does not matter: only what the input seems to be. */
    if (check->ordered || !input->sized)
        GS_TRY(gs_input_check_end(input, check->ordered ? size : 0, record_bytes, err));
    gs_input_end(input); /* thousands of pipes must not use up the descriptors */

cleanup:
    gs_pipe_reader_close(&reader);
    gs_pages_free(buffer, GS_CHECK_BYTES);
    return st;
}

/* Check the inputs one after the other; *disordered is the one that has the first disorder. */
static enum gs_status check_inputs(struct check *check, const struct gs_inputs *inputs,
                                   struct gs_progress *progress, const struct gs_input **disordered,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (size_t i = 0; i < inputs->count && check->ordered; i++) {
        struct gs_input *input = &inputs->list[i];
        check->index = 0;
        *disordered = input;
        if (input->pending)
            GS_TRY(check_stream(check, input, progress, err));
        else
            check_mapped(check, input, progress);
    }
cleanup:
    return st;
}

enum gs_status gs_mode_check(struct gs_command *command, struct gs_progress *progress,
                             bool *ordered, struct gs_error *err)
{
    struct gs_inputs inputs;
    struct check check = {.options = &command->sort, .ordered = true};
    const struct gs_input *disordered = NULL;
    enum gs_status st = gs_open_records(command, &inputs, err);
    if (st != GS_OK)
        return st;
    gs_inputs_make_room(&inputs, gs_address_space_wanted(command, 0, false));
    gs_report_watch(&inputs, NULL, "checked");
    gs_progress_enter(progress, "check", 0);
    st = gs_decide_records(command, &inputs, err);
    if (st == GS_OK)
        st = gs_inputs_consume(&inputs, err);
    if (st == GS_OK)
        st = check_inputs(&check, &inputs, progress, &disordered, err);
    gs_progress_stop();
    if (st == GS_OK && !check.ordered && !command->quiet) {
        char text[GS_KEY_TEXT];
        gs_record_text(&command->sort, last, text);
        gs_report_line("%s:%" PRIu64 ": disorder: %s", disordered->name, check.index, text);
    }
    gs_report_watch(NULL, NULL, NULL);
    gs_inputs_close(&inputs);
    *ordered = check.ordered;
    return st;
}

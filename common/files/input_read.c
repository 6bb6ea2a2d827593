/* input_read.c -- read the inputs that could not be mapped.
 * SPDX-License-Identifier: MIT
 */
#include "common/files/file.h"
#include "common/formats/format.h"
#include "common/files/input.h"
#include "common/files/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Read the bytes in front of the records. */
static enum gs_status skip_head(struct gs_input *input, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    char block[4096] = {0};
    uint64_t done = 0;
    size_t got = 1;
    while (done < input->skip && got > 0) {
        uint64_t left = input->skip - done;
        char *to = input->head != NULL ? (char *)input->head + done : block;
        size_t room = input->head == NULL && left > sizeof block ? sizeof block : (size_t)left;
        GS_TRY(gs_file_read_some(input->fd, to, room, &got, input->name, err));
        GS_TRY(gs_input_look(input, to, got, err));
        done += got;
    }
    if (done < input->skip)
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: has less than the %" PRIu64 " bytes to skip",
                     input->name, input->skip);
cleanup:
    return st;
}

enum gs_status gs_input_start(struct gs_input *input, struct gs_error *err)
{
    if (input->fd < 0)
        input->fd = open(input->name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (input->fd < 0)
        return gs_fail(err, GS_ERR_INPUT, errno, "%s: cannot read", input->name);
    if (input->skipped)
        return GS_OK;
    input->skipped = true;
    return input->begin != NULL ? input->begin(input, err) : skip_head(input, err);
}

/* The watch for one input: it looks at what came first. */
struct look_state {
    const struct gs_slurp_watch *watch;
    struct gs_input *input;
};

/* Look at those first bytes of an input that have come to memory since the last call. */
static enum gs_status look_at_memory(struct gs_input *input, struct gs_error *err)
{
    const uint64_t seen = input->magic.head.count - input->skip; /* else all has been seen */
    if (input->magic.looks == GS_LOOKS_NONE || input->memory.used <= seen)
        return GS_OK;
    return gs_input_look(input, input->memory.bytes + seen, input->memory.used - seen, err);
}

static enum gs_status look_and_watch(void *context, uint64_t bytes, struct gs_error *err)
{
    const struct look_state *state = context;
    enum gs_status st = look_at_memory(state->input, err);
    return st != GS_OK ? st : state->watch->gate(state->watch->context, bytes, err);
}

static void tell_mover(void *context)
{
    const struct look_state *state = context;
    if (state->watch->moves != NULL)
        state->watch->moves(state->watch->context);
}

/* The watch for one of several inputs: it adds the bytes of the inputs before it. */
struct read_state {
    const struct gs_slurp_watch *watch;
    uint64_t before;
};

static enum gs_status add_before(void *context, uint64_t bytes, struct gs_error *err)
{
    const struct read_state *state = context;
    return state->watch->gate(state->watch->context, state->before + bytes, err);
}

static void tell_moves(void *context)
{
    const struct read_state *state = context;
    if (state->watch->moves != NULL)
        state->watch->moves(state->watch->context);
}

void gs_input_end(struct gs_input *input)
{
    if (input->fd != STDIN_FILENO)
        close(input->fd);
    input->fd = -1;
    input->pending = false;
}

enum gs_status gs_input_make_rest(struct gs_input *input, struct gs_error *err)
{
    if (input->rest == NULL)
        input->rest = malloc(GS_RECORD_BYTES_MAX);
    return input->rest != NULL ? GS_OK : gs_fail(err, GS_ERR_MEMORY, errno, "%s", input->name);
}

/* Move the bytes of an incomplete unit from the end of what was read to input->rest. */
static void keep_rest(struct gs_input *input, size_t unit)
{
    input->rest_bytes = (size_t)(input->size % unit);
    input->size -= input->rest_bytes;
    gs_slurp_trim(&input->memory);
    input->bytes = input->memory.bytes;
    if (input->rest_bytes > 0) /* else input->bytes may be NULL */
        memcpy(input->rest, (const char *)input->bytes + input->size, input->rest_bytes);
}

enum gs_status gs_input_read(struct gs_input *input, size_t unit, bool populates,
                             const struct gs_slurp_watch *watch, struct gs_error *err)
{
    enum gs_status st = gs_input_start(input, err);
    if (st == GS_OK)
        st = gs_input_make_rest(input, err);
    if (st != GS_OK)
        return st;
    struct look_state state = {.watch = watch, .input = input};
    const struct gs_slurp_watch own = {
        .gate = look_and_watch, .moves = tell_mover, .context = &state};
    st = gs_slurp_copy(&input->memory, input->rest, input->rest_bytes, input->name, err);
    if (st == GS_OK)
        st = gs_slurp_read(&input->memory, input->fd, input->name, populates, &own, err);
    input->bytes = input->memory.bytes;
    input->size = input->memory.used;
    if (st != GS_OK) {
        keep_rest(input, unit);
        return st;
    }
    gs_input_end(input);
    return gs_input_check_end(input, input->size, unit, err);
}

enum gs_status gs_inputs_read(struct gs_inputs *inputs, size_t unit,
                              const struct gs_slurp_watch *watch, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct read_state state = {.watch = watch, .before = 0};
    const struct gs_slurp_watch own = {.gate = add_before, .moves = tell_moves, .context = &state};
    for (size_t i = 0; i < inputs->count && st == GS_OK; i++) {
        struct gs_input *input = &inputs->list[i];
        if (!input->pending)
            continue;
        st = gs_input_read(input, unit, inputs->populates, &own, err);
        state.before += input->size;
    }
    return st;
}

enum gs_status gs_inputs_read_on(struct gs_inputs *inputs, size_t unit, void *to, size_t room,
                                 size_t *got, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    char *bytes = to;
    size_t used = 0;
    for (size_t i = 0; i < inputs->count && used < unit; i++) {
        struct gs_input *input = &inputs->list[i];
        if (!input->pending)
            continue;
        GS_TRY(gs_input_start(input, err));
        GS_TRY(gs_input_make_rest(input, err));
        if (input->memory.used + input->end == 0) {
            gs_pipe_grow(input->fd);
            input->end = input->rest_bytes;
        }
        memcpy(bytes, input->rest, input->rest_bytes);
        used = input->rest_bytes;
        size_t now = 1;
        while (used < unit && now > 0) {
            GS_TRY(gs_file_read_some(input->fd, bytes + used, room - used, &now, input->name, err));
            GS_TRY(gs_input_look(input, bytes + used, now, err));
            used += now;
            input->end += now;
        }
        input->rest_bytes = used % unit;
        if (now == 0) {
            GS_TRY(gs_input_check_end(input, input->memory.used + input->end, unit, err));
            gs_input_end(input);
            used = 0;
        }
        used -= used % unit;
        memcpy(input->rest, bytes + used, input->rest_bytes);
    }
    *got = used;

cleanup:
    return st;
}

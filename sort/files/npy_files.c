/* npy_files.c -- inputs that are .npy files, which say themselves what they hold.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/npy_files.h"

#include "common/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than most headers have. It is doubled as bytes come: a header may lie about its length. */
enum { ROOM_BYTES = 4096 };

/* The first bytes of an input: its header, if it is a .npy file. */
struct start {
    unsigned char *bytes;
    size_t size;
    size_t room;
};

static enum gs_status no_memory(const char *name, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", name);
}

static enum gs_status fail_changed(const char *name, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_INPUT, 0, "%s: its .npy header has changed meanwhile", name);
}

static enum gs_status grow(struct start *start, const char *name, struct gs_error *err)
{
    const size_t room = start->room < ROOM_BYTES ? ROOM_BYTES : 2 * start->room;
    unsigned char *bytes = realloc(start->bytes, room);
    if (bytes == NULL)
        return no_memory(name, err);
    start->bytes = bytes;
    start->room = room;
    return GS_OK;
}

static enum gs_status read_at(int fd, void *to, size_t size, uint64_t at, size_t *got,
                              const char *name, struct gs_error *err)
{
    const int errnum = gs_file_pread_most(fd, to, size, at, got);
    return errnum == 0 ? GS_OK : gs_fail(err, GS_ERR_INPUT, errnum, "%s: read failed", name);
}

/* Read until `size` of the first bytes are there, or the end: at `at` in a file, or on in a pipe,
 * where it is -1. */
static enum gs_status read_until(struct start *start, size_t size, int fd, off_t at,
                                 const char *name, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (size_t got = 1; start->size < size && got > 0; start->size += got) {
        if (start->size == start->room)
            GS_TRY(grow(start, name, err));
        const size_t most = size < start->room ? size : start->room;
        unsigned char *to = start->bytes + start->size;
        if (at < 0)
            GS_TRY(gs_file_read_some(fd, to, most - start->size, &got, name, err));
        else
            GS_TRY(
                read_at(fd, to, most - start->size, (uint64_t)at + start->size, &got, name, err));
    }
cleanup:
    return st;
}

/* Read a header or, if there is none, only as many bytes as tell that. */
static enum gs_status read_header(struct start *start, int fd, off_t at, const char *name,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint32_t header_bytes = 0;
    GS_TRY(read_until(start, GS_NPY_MAGIC_BYTES, fd, at, name, err));
    if (!gs_npy_is(start->bytes, start->size))
        goto cleanup;
    GS_TRY(read_until(start, GS_NPY_PREFIX_BYTES, fd, at, name, err));
    GS_TRY(gs_npy_header_bytes(start->bytes, start->size, name, &header_bytes, err));
    st = read_until(start, header_bytes, fd, at, name, err);
cleanup:
    return st;
}

/* Read the header of a regular file; of standard input, from its position on. Nothing is read if it
 * is something else, or cannot be read. *regular: it is one, or cannot be looked at. */
static enum gs_status look_at_file(const char *name, struct start *start, bool *regular,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct stat status;
    const bool standard = strcmp(name, "-") == 0;
    const bool seen = (standard ? fstat(STDIN_FILENO, &status) : stat(name, &status)) == 0;
    *regular = !seen || S_ISREG(status.st_mode);
    if (!seen || !*regular)
        return GS_OK;
    const int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const off_t at = fd >= 0 ? lseek(fd, 0, SEEK_CUR) : -1;
    if (at >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > at)
        st = read_header(start, fd, at, name, err);
    if (!standard && fd >= 0)
        close(fd);
    return st;
}

/* Begin with the first input, whose header has been read. It keeps those bytes. */
static enum gs_status take_first(struct gs_npy_files **npy, size_t inputs, uint64_t **skips,
                                 struct start *start, const char *name, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    *npy = calloc(1, sizeof **npy);
    *skips = calloc(inputs, sizeof **skips);
    if (*npy == NULL || *skips == NULL) {
        (void)no_memory(name, err);
        return GS_ERR_MEMORY;
    }
    (*npy)->name = name;
    (*npy)->bytes = start->bytes;
    start->bytes = NULL;
    GS_TRY(gs_npy_parse(&(*npy)->head, (*npy)->bytes, start->size, name, err));
    (*npy)->count = (*npy)->head.count;
    (*skips)[0] = (*npy)->head.header_bytes;
cleanup:
    return st;
}

/* Parse the header of another input, `size` bytes of which are there: its type is that of the first
 * one. Free *head on success. */
static enum gs_status take_other(struct gs_npy_files *npy, struct gs_npy *head, const void *bytes,
                                 size_t size, const char *name, struct gs_error *err)
{
    uint64_t all;
    if (!gs_npy_is(bytes, size))
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: %s is a .npy file, so all others must be such files, too", name,
                       npy->name);
    enum gs_status st = gs_npy_parse(head, bytes, size, name, err);
    if (st != GS_OK)
        return st;
    if (!gs_npy_agree(&npy->head, head))
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: its records are not those of %s", name, npy->name);
    else if (__builtin_add_overflow(npy->count, head->count, &npy->count) ||
             __builtin_mul_overflow(npy->count, head->type.record_bytes, &all) || all > INT64_MAX)
        st = gs_fail(err, GS_ERR_INPUT, 0,
                     "%s: no file has as many records as the .npy headers say", name);
    else if (npy->streams)
        gs_npy_files_count(npy, npy->count);
    if (st != GS_OK)
        gs_npy_free(head);
    return st;
}

enum gs_status gs_npy_files_order(struct gs_format *format, const struct gs_npy *head,
                                  const struct gs_format_options *options, const char *name,
                                  struct gs_error *err)
{
    const enum gs_status st =
        gs_npy_format(format, head, options->keys, options->key_count, name, err);
    if (st == GS_OK || !options->shown || options->key_count > 0)
        return st;
    *err = (struct gs_error){.status = GS_OK};
    *format = gs_format_of((struct gs_key_type){
        .kind = GS_TYPE_BYTES, .bytes = head->type.record_bytes, .big_endian = true});
    return GS_OK;
}

enum gs_status gs_npy_files_find(const char *first, size_t count,
                                 const struct gs_format_options *options, struct gs_npy_files **npy,
                                 uint64_t **skips, struct gs_format *format, bool *undecided,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct start start = {.size = 0};
    bool regular;
    GS_TRY(look_at_file(first, &start, &regular, err));
    *undecided = !regular;
    if (!gs_npy_is(start.bytes, start.size))
        goto cleanup;
    GS_TRY(take_first(npy, count, skips, &start, first, err));
    st = gs_npy_files_order(format, &(*npy)->head, options, first, err);
cleanup:
    free(start.bytes);
    return st;
}

void gs_npy_files_free(struct gs_npy_files *npy)
{
    if (npy == NULL)
        return;
    gs_npy_free(&npy->head);
    gs_npy_free(&npy->made);
    free(npy->made_bytes);
    free(npy->bytes);
    free(npy->out);
    free(npy);
}

/* What comes from now on are the records that the header speaks of. */
static void expect_records(struct gs_input *input, const struct gs_npy *head)
{
    input->magic = gs_magic_none;
    input->sized = true;
    input->promised = head->count * head->type.record_bytes;
}

/* Begin a pending input that is not the first. */
static enum gs_status begin_other(struct gs_input *input, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_npy head;
    struct start start = {.size = 0};
    GS_TRY(read_header(&start, input->fd, -1, input->name, err));
    GS_TRY(take_other(input->context, &head, start.bytes, start.size, input->name, err));
    expect_records(input, &head);
    gs_npy_free(&head);
cleanup:
    free(start.bytes);
    return st;
}

/* Is this the header that was looked at? */
static bool is_same(const struct gs_npy_files *npy, const void *bytes, uint64_t size)
{
    return size >= npy->head.header_bytes && memcmp(bytes, npy->bytes, npy->head.header_bytes) == 0;
}

/* Begin the first input, a file that could not be mapped. */
static enum gs_status begin_first(struct gs_input *input, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_npy_files *npy = input->context;
    struct start start = {.size = 0};
    GS_TRY(read_until(&start, npy->head.header_bytes, input->fd, -1, input->name, err));
    if (!is_same(npy, start.bytes, start.size))
        st = fail_changed(input->name, err);
    expect_records(input, &npy->head);
cleanup:
    free(start.bytes);
    return st;
}

enum gs_status gs_npy_files_begin(struct gs_inputs *inputs, const struct gs_format_options *options,
                                  struct gs_npy_files **npy, uint64_t **skips,
                                  struct gs_format *format, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_input *input = &inputs->list[0];
    struct start start = {.size = 0};
    if (!input->pending)
        return GS_OK;
    GS_TRY(gs_input_start(input, err));
    GS_TRY(read_header(&start, input->fd, -1, input->name, err));
    if (start.bytes == NULL || start.size < GS_NPY_MAGIC_BYTES) {
        /* That is all; a terminal would have to say so again. */
        st = gs_slurp_copy(&input->memory, start.bytes, start.size, input->name, err);
        input->bytes = input->memory.bytes;
        input->size = start.size;
        gs_input_end(input);
    } else if (!gs_npy_is(start.bytes, start.size)) {
        GS_TRY(gs_input_make_rest(input, err));
        memcpy(input->rest, start.bytes, start.size);
        input->rest_bytes = start.size;
        st = gs_input_look(input, start.bytes, start.size, err);
    } else {
        GS_TRY(take_first(npy, inputs->count, skips, &start, input->name, err));
        if (*npy == NULL)
            goto cleanup;
        expect_records(input, &(*npy)->head);
        st = gs_npy_files_order(format, &(*npy)->head, options, input->name, err);
    }
cleanup:
    free(start.bytes);
    return st;
}

/* Take the header of a mapped input: copied, as the file may change. */
static enum gs_status take_mapped(struct gs_npy_files *npy, const struct gs_input *input,
                                  struct gs_npy *head, struct gs_error *err)
{
    uint32_t bytes = 0;
    enum gs_status st = GS_OK;
    if (gs_npy_is(input->bytes, input->size))
        GS_TRY(gs_npy_header_bytes(input->bytes, input->size, input->name, &bytes, err));
    const size_t size = bytes < input->size ? bytes : (size_t)input->size;
    unsigned char *copy = malloc(size + 1);
    if (copy == NULL)
        return no_memory(input->name, err);
    memcpy(copy, input->bytes, size);
    st = take_other(npy, head, copy, size, input->name, err);
    free(copy);
cleanup:
    return st;
}

/* Take the header of input i, if it is mapped. */
static enum gs_status follow(struct gs_npy_files *npy, struct gs_input *input, bool first,
                             uint64_t *skip, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_npy other = {.count = 0};
    const struct gs_npy *head = first ? &npy->head : &other;
    input->begin = first ? begin_first : begin_other;
    input->context = npy;
    if (first && (input->pending ? false : !is_same(npy, input->bytes, input->size)))
        return fail_changed(input->name, err);
    if (input->mapping == NULL)
        return GS_OK;
    if (!first)
        GS_TRY(take_mapped(npy, input, &other, err));
    GS_TRY(gs_npy_check_size(head, input->size, input->name, err));
    input->bytes = (const char *)input->bytes + head->header_bytes;
    input->size -= head->header_bytes;
    *skip = head->header_bytes;
cleanup:
    gs_npy_free(&other);
    return st;
}

enum gs_status gs_npy_files_follow(struct gs_npy_files *npy, struct gs_inputs *inputs,
                                   uint64_t *skips, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (size_t i = 0; i < inputs->count; i++)
        GS_TRY(follow(npy, &inputs->list[i], i == 0, &skips[i], err));
cleanup:
    return st;
}

enum gs_status gs_npy_files_add(struct gs_npy_files *npy, const char *field,
                                const struct gs_key_type *type, struct gs_error *err)
{
    return gs_npy_add_field(&npy->made, &npy->made_bytes, &npy->head, npy->bytes, field, type,
                            npy->name, err);
}

enum gs_status gs_npy_files_make_out(struct gs_npy_files *npy, bool changes, bool grows,
                                     struct gs_error *err)
{
    const struct gs_npy *head = npy->made_bytes != NULL ? &npy->made : &npy->head;
    npy->out_bytes = head->header_bytes;
    if (grows || npy->made_bytes != NULL || (changes && npy->count > 1))
        npy->out_bytes = gs_npy_room(head, grows ? INT64_MAX : head->count);
    npy->out = malloc(npy->out_bytes);
    if (npy->out == NULL)
        return no_memory(npy->name, err);
    gs_npy_files_count(npy, npy->count);
    return GS_OK;
}

void gs_npy_files_count(struct gs_npy_files *npy, uint64_t count)
{
    const struct gs_wanted *wanted = &npy->wanted;
    const bool made = npy->made_bytes != NULL;
    if (wanted->end != GS_WANTED_ALL && wanted->count < count)
        count = wanted->count;
    gs_npy_write(made ? &npy->made : &npy->head, made ? npy->made_bytes : npy->bytes, count,
                 npy->out, npy->out_bytes);
}

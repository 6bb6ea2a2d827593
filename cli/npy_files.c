/* npy_files.c -- inputs that are .npy files, which say themselves what they hold.
 * SPDX-License-Identifier: MIT
 */
#include "cli/npy_files.h"

#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many bytes tell a .npy file. */
#define MAGIC_BYTES 6

/* The first bytes of a file. */
struct start {
    unsigned char bytes[GS_NPY_HEADER_MAX];
    size_t size;
    uint64_t file_bytes;
};

/* Read the start of a regular file; of standard input, from its position on. size is 0 if it is
 * something else, or cannot be read. Returns whether it is one, or cannot be looked at. */
static bool read_start(const char *name, struct start *start)
{
    struct stat status;
    bool standard = strcmp(name, "-") == 0;
    start->size = 0;
    if ((standard ? fstat(STDIN_FILENO, &status) : stat(name, &status)) != 0)
        return true;
    if (!S_ISREG(status.st_mode))
        return false;
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    off_t at = fd >= 0 ? lseek(fd, 0, SEEK_CUR) : -1;
    if (at >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > at &&
        gs_file_pread_most(fd, start->bytes, sizeof start->bytes, (uint64_t)at, &start->size) == 0)
        start->file_bytes = (uint64_t)(status.st_size - at);
    else
        start->size = 0;
    if (!standard && fd >= 0)
        close(fd);
    return true;
}

/* Have the arrays the same records? Their headers may be of different lengths. */
static bool agree(const struct gs_npy *a, const unsigned char *a_bytes, const struct gs_npy *b,
                  const unsigned char *b_bytes)
{
    if (a->record_bytes != b->record_bytes || a->field_count != b->field_count ||
        a->structured != b->structured)
        return false;
    for (uint32_t i = 0; i < a->field_count; i++) {
        const struct gs_npy_field *x = &a->fields[i];
        const struct gs_npy_field *y = &b->fields[i];
        if (x->offset != y->offset || x->bytes != y->bytes || x->type.kind != y->type.kind ||
            x->type.big_endian != y->type.big_endian || x->name_bytes != y->name_bytes ||
            memcmp(a_bytes + x->name, b_bytes + y->name, x->name_bytes) != 0)
            return false;
    }
    return true;
}

/* Begin with the first file, whose header has been parsed. */
static enum gs_status take_first(struct gs_npy_files **npy, size_t inputs, uint64_t **skips,
                                 const struct gs_npy *head, const void *bytes, const char *name,
                                 struct gs_error *err)
{
    *npy = calloc(1, sizeof **npy);
    *skips = calloc(inputs, sizeof **skips);
    if (*npy == NULL || *skips == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%zu inputs", inputs);
    (*npy)->name = name;
    (*npy)->head = *head;
    memcpy((*npy)->bytes, bytes, head->header_bytes);
    (*npy)->count = head->count;
    (*skips)[0] = head->header_bytes;
    return GS_OK;
}

/* Parse the header of another file, `size` bytes of which are there, and check it against that of
 * the first. */
static enum gs_status take_other(struct gs_npy_files *npy, struct gs_npy *head, const void *bytes,
                                 size_t size, const char *name, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (!gs_npy_is(bytes, size))
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: %s is a .npy file, so all others must be such files, too", name,
                       npy->name);
    GS_TRY(gs_npy_parse(head, bytes, size, name, err));
    if (!agree(&npy->head, npy->bytes, head, bytes))
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: its records are not those of %s", name,
                       npy->name);
    npy->count += head->count;
    if (npy->streams)
        st = gs_npy_files_count(npy, npy->count, name, err);
cleanup:
    return st;
}

enum gs_status gs_npy_files_find(const char *const *names, size_t count,
                                 const struct gs_format_options *options, struct gs_npy_files **npy,
                                 uint64_t **skips, struct gs_format *format, bool *undecided,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    static struct gs_npy head;
    struct start *start = calloc(1, sizeof *start);
    if (start == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%s", names[0]);
    *undecided = !read_start(names[0], start);
    if (!gs_npy_is(start->bytes, start->size))
        goto cleanup;
    GS_TRY(gs_npy_parse(&head, start->bytes, start->size, names[0], err));
    GS_TRY(gs_npy_check_size(&head, start->file_bytes, names[0], err));
    GS_TRY(take_first(npy, count, skips, &head, start->bytes, names[0], err));
    for (size_t i = 1; i < count && *npy != NULL && *skips != NULL; i++) {
        if (!read_start(names[i], start) || start->size == 0)
            continue;
        GS_TRY(take_other(*npy, &head, start->bytes, start->size, names[i], err));
        GS_TRY(gs_npy_check_size(&head, start->file_bytes, names[i], err));
        (*skips)[i] = head.header_bytes;
    }
    st = gs_npy_format(format, &(*npy)->head, (*npy)->bytes, options->keys, options->key_count,
                       names[0], err);
cleanup:
    free(start);
    return st;
}

/* Read from a pipe until `size` of its first bytes are there, or it ends. */
static enum gs_status read_until(struct start *start, size_t size, const struct gs_input *input,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (size_t got = 1; start->size < size && got > 0; start->size += got)
        GS_TRY(gs_file_read_some(input->fd, start->bytes + start->size, size - start->size, &got,
                                 input->name, err));
cleanup:
    return st;
}

/* Read the header of a pipe, or, if there is none, only as many bytes as tell that. */
static enum gs_status read_header(struct start *start, const struct gs_input *input,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint32_t header_bytes = 0;
    GS_TRY(read_until(start, MAGIC_BYTES, input, err));
    if (!gs_npy_is(start->bytes, start->size))
        goto cleanup;
    GS_TRY(read_until(start, GS_NPY_PREFIX_BYTES, input, err));
    GS_TRY(gs_npy_header_bytes(start->bytes, start->size, input->name, &header_bytes, err));
    st = read_until(start, header_bytes, input, err);
cleanup:
    return st;
}

/* What comes from now on are the records that the header speaks of. */
static void expect_records(struct gs_input *input, const struct gs_npy *head)
{
    input->magic = gs_magic_none;
    input->sized = !__builtin_mul_overflow(head->count, head->record_bytes, &input->promised);
}

/* Begin a pipe that is not the first input. */
static enum gs_status begin_other(struct gs_input *input, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    static struct gs_npy head;
    struct start *start = calloc(1, sizeof *start);
    if (start == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%s", input->name);
    GS_TRY(read_header(start, input, err));
    GS_TRY(take_other(input->context, &head, start->bytes, start->size, input->name, err));
    expect_records(input, &head);
cleanup:
    free(start);
    return st;
}

enum gs_status gs_npy_files_begin(struct gs_inputs *inputs, const struct gs_format_options *options,
                                  struct gs_npy_files **npy, uint64_t **skips,
                                  struct gs_format *format, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    static struct gs_npy head;
    struct gs_input *input = &inputs->list[0];
    struct start *start = calloc(1, sizeof *start);
    if (start == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%s", input->name);
    if (!input->pending)
        goto cleanup;
    GS_TRY(gs_input_start(input, err));
    GS_TRY(read_header(start, input, err));
    if (start->size < MAGIC_BYTES) { /* that is all; a terminal would have to say so once more */
        st = gs_slurp_copy(&input->memory, start->bytes, start->size, input->name, err);
        input->bytes = input->memory.bytes;
        input->size = start->size;
        gs_input_end(input);
        goto cleanup;
    }
    if (!gs_npy_is(start->bytes, start->size)) {
        GS_TRY(gs_input_make_rest(input, err));
        memcpy(input->rest, start->bytes, start->size);
        input->rest_bytes = start->size;
        st = gs_input_look(input, start->bytes, start->size, err);
        goto cleanup;
    }
    GS_TRY(gs_npy_parse(&head, start->bytes, start->size, input->name, err));
    expect_records(input, &head);
    GS_TRY(take_first(npy, inputs->count, skips, &head, start->bytes, input->name, err));
    st = gs_npy_format(format, &(*npy)->head, (*npy)->bytes, options->keys, options->key_count,
                       input->name, err);
cleanup:
    free(start);
    return st;
}

enum gs_status gs_npy_files_follow(struct gs_npy_files *npy, struct gs_inputs *inputs,
                                   uint64_t *skips, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    static struct gs_npy head;
    for (size_t i = 1; i < inputs->count; i++) {
        struct gs_input *input = &inputs->list[i];
        if (skips[i] != 0) /* known already */
            continue;
        input->begin = begin_other;
        input->context = npy;
        if (input->mapping == NULL)
            continue;
        size_t first = input->size < GS_NPY_HEADER_MAX ? (size_t)input->size : GS_NPY_HEADER_MAX;
        GS_TRY(take_other(npy, &head, input->bytes, first, input->name, err));
        GS_TRY(gs_npy_check_size(&head, input->size, input->name, err));
        input->bytes = (const char *)input->bytes + head.header_bytes;
        input->size -= head.header_bytes;
        skips[i] = head.header_bytes;
    }
cleanup:
    return st;
}

enum gs_status gs_npy_files_count(struct gs_npy_files *npy, uint64_t count, const char *name,
                                  struct gs_error *err)
{
    npy->out_head = npy->head;
    memcpy(npy->out_bytes, npy->bytes, npy->head.header_bytes);
    return gs_npy_set_count(&npy->out_head, npy->out_bytes, count, name, err);
}

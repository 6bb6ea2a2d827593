/* npy_files.c -- inputs that are .npy files, which say themselves what they hold.
 * SPDX-License-Identifier: MIT
 */
#include "cli/npy_files.h"

#include "cli/command.h"
#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first bytes of a file. */
struct start {
    unsigned char bytes[GS_NPY_HEADER_MAX];
    size_t size;
    uint64_t file_bytes;
};

/* Read the start of a regular file; of standard input, from its position on. size is 0 if it is
 * something else, or cannot be read. */
static void read_start(const char *name, struct start *start)
{
    struct stat status;
    bool standard = strcmp(name, "-") == 0;
    start->size = 0;
    if (!standard && (stat(name, &status) != 0 || !S_ISREG(status.st_mode)))
        return;
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    off_t at = fd >= 0 ? lseek(fd, 0, SEEK_CUR) : -1;
    if (at >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > at &&
        gs_file_pread_most(fd, start->bytes, sizeof start->bytes, (uint64_t)at, &start->size) == 0)
        start->file_bytes = (uint64_t)(status.st_size - at);
    else
        start->size = 0;
    if (!standard && fd >= 0)
        close(fd);
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

/* Parse the header of one file and check it against the first one's. */
static enum gs_status take_file(struct gs_command *command, size_t i, const char *name,
                                const struct start *start, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_npy_files *npy = command->npy;
    static struct gs_npy own;
    GS_TRY(gs_npy_parse(&own, start->bytes, start->size, name, err));
    GS_TRY(gs_npy_check_size(&own, start->file_bytes, name, err));
    if (i == 0) {
        npy->head = own;
        memcpy(npy->bytes, start->bytes, own.header_bytes);
    } else if (!agree(&npy->head, npy->bytes, &own, start->bytes)) {
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: its records are not those of %s", name,
                     command->files[0]);
    }
    command->skips[i] = own.header_bytes;
    npy->count += own.count;
cleanup:
    return st;
}

enum gs_status gs_npy_files_find(struct gs_command *command,
                                 const struct gs_format_options *options, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const size_t count = command->file_count > 0 ? command->file_count : 1;
    struct start *start = malloc(sizeof *start);
    if (start == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%zu inputs", count);
    for (size_t i = 0; i < count; i++) {
        const char *name = command->file_count > 0 ? command->files[i] : "-";
        read_start(name, start);
        bool is_npy = gs_npy_is(start->bytes, start->size);
        if (i == 0 && !is_npy)
            goto cleanup;
        if (i == 0) {
            command->npy = calloc(1, sizeof *command->npy);
            command->skips = calloc(count, sizeof *command->skips);
        }
        if (command->npy == NULL || command->skips == NULL)
            st = gs_fail(err, GS_ERR_MEMORY, errno, "%zu inputs", count);
        else if (!is_npy)
            st = gs_fail(err, GS_ERR_INPUT, 0,
                         "%s: %s is a .npy file, so all others must be such files, too", name,
                         command->files[0]);
        if (st == GS_OK)
            st = take_file(command, i, name, start, err);
        if (st != GS_OK)
            goto cleanup;
    }
    st = gs_npy_format(&command->format, &command->npy->head, command->npy->bytes, options->keys,
                       options->key_count, command->file_count > 0 ? command->files[0] : "-", err);
cleanup:
    free(start);
    return st;
}

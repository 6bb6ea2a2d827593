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

/* Parse the header of file i and check it against that of the first. */
static enum gs_status take_file(struct gs_npy_files *npy, const char *const *names, size_t i,
                                const struct start *start, uint64_t *skip, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    static struct gs_npy own;
    if (!gs_npy_is(start->bytes, start->size))
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: %s is a .npy file, so all others must be such files, too", names[i],
                       names[0]);
    GS_TRY(gs_npy_parse(&own, start->bytes, start->size, names[i], err));
    GS_TRY(gs_npy_check_size(&own, start->file_bytes, names[i], err));
    if (i == 0) {
        npy->head = own;
        memcpy(npy->bytes, start->bytes, own.header_bytes);
    } else if (!agree(&npy->head, npy->bytes, &own, start->bytes)) {
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: its records are not those of %s", names[i],
                     names[0]);
    }
    *skip = own.header_bytes;
    npy->count += own.count;
cleanup:
    return st;
}

enum gs_status gs_npy_files_find(const char *const *names, size_t count,
                                 const struct gs_format_options *options, struct gs_npy_files **npy,
                                 uint64_t **skips, struct gs_format *format, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct start *start = calloc(1, sizeof *start);
    if (start != NULL)
        read_start(names[0], start);
    if (start != NULL && !gs_npy_is(start->bytes, start->size))
        goto cleanup;
    *npy = calloc(1, sizeof **npy);
    *skips = calloc(count, sizeof **skips);
    if (start == NULL || *npy == NULL || *skips == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, errno, "%zu inputs", count);
        goto cleanup;
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            read_start(names[i], start);
        GS_TRY(take_file(*npy, names, i, start, *skips + i, err));
    }
    st = gs_npy_format(format, &(*npy)->head, (*npy)->bytes, options->keys, options->key_count,
                       names[0], err);
cleanup:
    free(start);
    return st;
}

/* table_files.c -- an input that is a FITS, LAS or HDF5 file.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/table_files.h"

#include "common/files/file.h"
#include "sort/files/combine.h"
#include "sort/files/npy_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_BYTES = 1 << 20 };

static enum gs_status no_memory(const char *name, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", name);
}

static enum gs_status changed(const char *name, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_INPUT, 0, "%s: the file has changed meanwhile", name);
}

/* Have the first `needed` bytes of a file, of which there are *size. */
static enum gs_status read_until(int fd, unsigned char **bytes, size_t *size, uint64_t needed,
                                 const char *name, struct gs_error *err)
{
    if (needed > GS_TABLE_HEAD_MAX)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: more than 64 MiB are in front of its table: move that to the front",
                       name);
    unsigned char *grown = realloc(*bytes, needed + 1); /* a string for sscanf, too */
    if (grown == NULL)
        return no_memory(name, err);
    *bytes = grown;
    size_t got = 0;
    const int errnum = gs_file_pread_most(fd, grown + *size, needed - *size, *size, &got);
    *size += got;
    grown[*size] = 0;
    return errnum == 0 ? GS_OK : gs_fail(err, GS_ERR_INPUT, errnum, "%s: read failed", name);
}

static bool is_hdf5(const unsigned char *bytes)
{
    return bytes != NULL && strncmp((const char *)bytes, GS_HDF5_MAGIC, strlen(GS_HDF5_MAGIC)) == 0;
}

/* *bytes: `size` of the file that are there. */
static enum gs_status read_hdf5(int fd, const char *name, struct gs_npy *table,
                                unsigned char **bytes, size_t size, struct gs_error *err)
{
    uint64_t needed;
    enum gs_status st = gs_hdf5_find(table, &needed, name, err);
    if (st != GS_OK)
        return st;
    if (needed > size)
        st = read_until(fd, bytes, &size, needed, name, err);
    if (st == GS_OK && size < needed)
        st = gs_fail(err, GS_ERR_INPUT, 0, "%s: ends in front of its dataset", name);
    if (st != GS_OK)
        gs_npy_free(table);
    return st;
}

static enum gs_status read_table(int fd, const char *name, struct gs_npy *table,
                                 unsigned char **bytes, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    size_t size = 0;
    uint64_t needed = GS_TABLE_MAGIC_BYTES;
    GS_TRY(read_until(fd, bytes, &size, needed, name, err));
    if (is_hdf5(*bytes))
        return read_hdf5(fd, name, table, bytes, size, err);
    const bool fits = gs_fits_is(*bytes, size);
    if (!fits && !gs_las_is(*bytes, size)) {
        free(*bytes);
        *bytes = NULL;
        return GS_OK;
    }
    do {
        GS_TRY(read_until(fd, bytes, &size, needed, name, err));
        if (size < needed)
            return gs_fail(err, GS_ERR_INPUT, 0, "%s: ends in front of its %s", name,
                           fits ? "binary table: if it has one, it is cut off" : "points");
        GS_TRY((fits ? gs_fits_parse : gs_las_parse)(table, *bytes, size, &needed, name, err));
    } while (needed > size);
cleanup:
    return st;
}

/* If the file is one: *bytes are those in front of its records, and *table what they say. Else
 * *bytes is NULL. named: a column is. */
static enum gs_status look(const char *name, bool named, struct gs_npy *table,
                           unsigned char **bytes, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct stat status;
    *bytes = NULL;
    if (strcmp(name, "-") == 0 || stat(name, &status) != 0 || !S_ISREG(status.st_mode))
        return GS_OK;
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        st = read_table(fd, name, table, bytes, err);
    if (fd >= 0)
        close(fd);
    if (st == GS_ERR_INPUT && !named && !is_hdf5(*bytes)) {
        free(*bytes);
        *bytes = NULL;
        *err = (struct gs_error){.status = GS_OK};
        return GS_OK;
    }
    return st;
}

enum gs_status gs_table_find(struct gs_task *task, struct gs_error *err)
{
    struct gs_found *found = &task->found;
    const struct gs_format_options *options = &task->named;
    const char *name = task->file_count > 0 ? task->files[0] : "-";
    struct gs_npy table = {.count = 0};
    unsigned char *bytes;
    enum gs_status st = look(name, options->key_count > 0, &table, &bytes, err);
    if (st == GS_OK && bytes != NULL && task->file_count > 1) {
        gs_npy_free(&table);
        st = gs_fail(err, GS_ERR_USAGE, 0, "%s: a FITS, LAS or HDF5 file is sorted alone", name);
    }
    if (st != GS_OK || bytes == NULL) {
        free(bytes);
        return st;
    }
    found->npy = calloc(1, sizeof *found->npy);
    found->skips = calloc(found->file_count, sizeof *found->skips);
    if (found->npy == NULL || found->skips == NULL) {
        gs_npy_free(&table);
        free(bytes);
        return no_memory(name, err);
    }
    *found->npy =
        (struct gs_npy_files){.name = name, .head = table, .bytes = bytes, .count = table.count};
    found->skips[0] = table.header_bytes;
    return gs_npy_files_order(&found->format, &table, options, name, err);
}

enum gs_status gs_table_follow(struct gs_npy_files *npy, struct gs_input *input,
                               struct gs_error *err)
{
    const struct gs_npy *table = &npy->head;
    if (input->mapping == NULL)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: a table has to be mapped, which is not possible here", input->name);
    if (input->size < table->header_bytes ||
        memcmp(input->bytes, npy->bytes, table->header_bytes) != 0)
        return changed(input->name, err);
    const uint64_t behind = input->size - table->header_bytes;
    if (behind / table->type.record_bytes < table->count)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: is cut off within its %llu records of %u bytes",
                       input->name, (unsigned long long)table->count,
                       (unsigned)table->type.record_bytes);
    input->bytes = (const char *)input->bytes + table->header_bytes;
    input->size = table->count * table->type.record_bytes;
    npy->tail_bytes = behind - input->size;
    npy->device = input->device;
    npy->inode = input->inode;
    return GS_OK;
}

enum gs_status gs_table_check(const struct gs_task *task, const struct gs_output *output,
                              struct gs_error *err)
{
    const char *name = task->found.npy->name;
    if (task->sort.index_bytes != 0)
        return GS_OK;
    if (gs_writes_fewer(&task->sort) || task->combine != NULL ||
        task->sort.wanted.end != GS_WANTED_ALL || task->split > 0)
        return gs_fail(
            err, GS_ERR_USAGE, 0,
            "%s: a FITS, LAS or HDF5 file keeps all of its records: it can only be sorted", name);
    if (output->kind != GS_OUTPUT_TEMPORARY)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "%s: a FITS, LAS or HDF5 file becomes another one: use -o FILE", name);
    return GS_OK;
}

enum gs_status gs_table_write_tail(const struct gs_npy_files *npy, struct gs_output *output,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct stat status;
    uint64_t at = npy->head.header_bytes + npy->head.count * npy->head.type.record_bytes;
    const uint64_t end = at + npy->tail_bytes;
    char *buffer = malloc(COPY_BYTES);
    const int fd = open(npy->name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (buffer == NULL)
        GS_TRY(no_memory(npy->name, err));
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_dev != npy->device ||
        status.st_ino != npy->inode)
        GS_TRY(changed(npy->name, err));
    GS_TRY(gs_output_settle(output, err));
    for (size_t here; at < end; at += here) {
        here = end - at < COPY_BYTES ? (size_t)(end - at) : COPY_BYTES;
        GS_TRY(gs_file_pread_full(fd, buffer, here, at, npy->name, err));
        GS_TRY(gs_file_pwrite_full(output->fd, buffer, here, at, output->name, err));
    }
cleanup:
    if (fd >= 0)
        close(fd);
    free(buffer);
    return st;
}

/* columns.c -- a record as a line of text: what stands in it, in the order of its bytes.
 * SPDX-License-Identifier: MIT
 */
#include "cli/columns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum gs_status no_memory(struct gs_error *err)
{
    return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "--print");
}

static enum gs_status add_column(struct gs_columns *columns, uint32_t offset,
                                 struct gs_key_type type, struct gs_error *err)
{
    if (columns->count == columns->room) {
        const size_t room = 2 * columns->room + 16;
        struct gs_key_field *list = realloc(columns->list, room * sizeof *list);
        if (list == NULL)
            return no_memory(err);
        columns->list = list;
        columns->room = room;
    }
    columns->list[columns->count++] = (struct gs_key_field){.offset = offset, .type = type};
    const size_t bytes = 2 * (size_t)type.bytes + 3;
    columns->line_bytes += 1 + (bytes > GS_KEY_TEXT ? bytes : GS_KEY_TEXT);
    return GS_OK;
}

static enum gs_status add_bytes(struct gs_columns *columns, uint32_t offset, uint32_t end,
                                struct gs_error *err)
{
    if (offset == end)
        return GS_OK;
    return add_column(
        columns, offset,
        (struct gs_key_type){.kind = GS_TYPE_BYTES, .bytes = end - offset, .big_endian = true},
        err);
}

static int compare_offsets(const void *a, const void *b)
{
    const struct gs_key_field *x = a;
    const struct gs_key_field *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The keys, and what is between them. */
static enum gs_status add_keys(struct gs_columns *columns, const struct gs_format *format,
                               struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_key_field keys[GS_FORMAT_KEYS_MAX];
    uint32_t at = 0;
    memcpy(keys, format->keys, sizeof keys);
    qsort(keys, format->key_count, sizeof *keys, compare_offsets);
    for (uint32_t i = 0; i < format->key_count; i++) {
        GS_TRY(add_bytes(columns, at, keys[i].offset, err));
        GS_TRY(add_column(columns, keys[i].offset, keys[i].type, err));
        at = keys[i].offset + keys[i].type.bytes;
    }
    st = add_bytes(columns, at, format->record_bytes, err);
cleanup:
    return st;
}

/* The name of a field, below that of the structure that it is in; index: which of several numbers,
 * or -1. Tabs and line ends in it would be taken for others. */
static void print_name(FILE *names, const char *above, const struct gs_npy_field *field, long index)
{
    fprintf(names, "%s%s", ftell(names) == 0 ? "#" : "\t", above);
    for (uint32_t i = 0; i < field->name_bytes; i++)
        fputc((unsigned char)field->name[i] < ' ' ? '?' : field->name[i], names);
    if (index >= 0)
        fprintf(names, "[%ld]", index);
}

/* A field takes a column, or one for each number in it. */
static enum gs_status add_field(struct gs_columns *columns, FILE *names, const char *above,
                                const struct gs_npy_field *field, uint32_t offset,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_key_type type = field->type;
    if (type.bytes == 0 || field->bytes == 0) /* an array of structures, or nothing */
        type =
            (struct gs_key_type){.kind = GS_TYPE_BYTES, .bytes = field->bytes, .big_endian = true};
    const uint32_t count = type.bytes > 0 ? field->bytes / type.bytes : 1;
    for (uint32_t i = 0; i < count; i++) {
        print_name(names, above, field, count > 1 ? (long)i : -1);
        GS_TRY(add_column(columns, offset + i * type.bytes, type, err));
    }
cleanup:
    return st;
}

static enum gs_status add_fields(struct gs_columns *columns, FILE *names, const char *above,
                                 const struct gs_npy_field *fields, uint32_t count, uint32_t offset,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    char *path = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct gs_npy_field *field = &fields[i];
        if (field->padding)
            continue;
        if (field->fields == NULL) {
            GS_TRY(add_field(columns, names, above, field, offset + field->offset, err));
            continue;
        }
        const size_t path_bytes = strlen(above) + field->name_bytes + 2;
        path = malloc(path_bytes);
        if (path == NULL)
            return no_memory(err);
        snprintf(path, path_bytes, "%s%.*s.", above, (int)field->name_bytes, field->name);
        GS_TRY(add_fields(columns, names, path, field->fields, field->field_count,
                          offset + field->offset, err));
        free(path);
        path = NULL;
    }
cleanup:
    free(path);
    return st;
}

enum gs_status gs_columns_make(struct gs_columns *columns, const struct gs_command *command,
                               struct gs_error *err)
{
    *columns = (struct gs_columns){.count = 0};
    if (command->task.found.npy == NULL)
        return add_keys(columns, &command->task.found.format, err);
    const struct gs_npy_type *type = &command->task.found.npy->head.type;
    FILE *names = open_memstream(&columns->names, &columns->names_bytes);
    if (names == NULL)
        return no_memory(err);
    enum gs_status st = add_fields(columns, names, "", type->fields, type->field_count, 0, err);
    fputc('\n', names);
    if (fclose(names) != 0 && st == GS_OK)
        st = no_memory(err);
    if (!type->structured)
        columns->names_bytes = 0;
    return st;
}

void gs_columns_free(struct gs_columns *columns)
{
    free(columns->list);
    free(columns->names);
    *columns = (struct gs_columns){.count = 0};
}

size_t gs_columns_print(const struct gs_columns *columns, const void *record, char *line)
{
    char *at = line;
    for (size_t i = 0; i < columns->count; i++) {
        const struct gs_key_field *column = &columns->list[i];
        if (column->type.kind == GS_TYPE_BYTES)
            gs_bytes_print((const char *)record + column->offset, column->type.bytes, at);
        else
            gs_key_print(column, record, at);
        at += strlen(at);
        *at++ = i + 1 < columns->count ? '\t' : '\n';
    }
    return (size_t)(at - line);
}

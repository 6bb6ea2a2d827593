/* npy_type.c -- the type of a .npy file's records, from the literal of its header.
 * SPDX-License-Identifier: MIT
 *
 * A type is a string ("<f8"), a tuple of a type and a shape, or a list of fields, which have names,
 * types and perhaps shapes. While it is read, it is also written as text, in one notation, by which
 * types are compared.
 */
#include "common/formats/npy_type.h"

#include "common/formats/date.h"
#include "common/formats/npy_plain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS_MAX = 32 };

struct reader {
    const struct gs_literals *literals;
    struct gs_npy_type *to;
    uint32_t room; /* of its text */
    const char *name;
    struct gs_error *err;
};

/* A type, or one within it, that was read. */
struct type {
    struct gs_npy_field field;
    bool is_void; /* bytes without a meaning */
    bool is_array;
    bool is_structure;
};

static enum gs_status read_type(struct reader *r, uint32_t index, struct type *type);

static void free_fields(struct gs_npy_field *fields, uint32_t count)
{
    for (uint32_t i = 0; fields != NULL && i < count; i++)
        free_fields(fields[i].fields, fields[i].field_count);
    free(fields);
}

static enum gs_status refuse(const struct reader *r, const char *why)
{
    return gs_fail(r->err, GS_ERR_INPUT, 0, "%s: a .npy file that cannot be sorted: %s", r->name,
                   why);
}

static enum gs_status damaged(const struct reader *r, const struct gs_literal *where)
{
    return gs_fail(r->err, GS_ERR_INPUT, 0, "%s: damaged .npy header at byte %u", r->name,
                   (unsigned)where->begin);
}

static const struct gs_literal *at(const struct reader *r, uint32_t index)
{
    return &r->literals->list[index];
}

/* Append bytes to the type as text. */
static enum gs_status write_bytes(struct reader *r, const char *bytes, uint32_t count)
{
    struct gs_npy_type *to = r->to;
    if (count > r->room - to->text_bytes) {
        const uint32_t room = 2 * r->room + count + 64;
        char *text = realloc(to->text, room);
        if (text == NULL)
            return gs_fail(r->err, GS_ERR_MEMORY, errno, "%s", r->name);
        to->text = text;
        r->room = room;
    }
    for (uint32_t i = 0; i < count; i++)
        to->text[to->text_bytes++] = bytes[i];
    return GS_OK;
}

static enum gs_status write_text(struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum gs_status write_text(struct reader *r, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return write_bytes(r, text, (uint32_t)length);
}

/* A string, after its length, so that no other one looks alike. */
static enum gs_status write_string(struct reader *r, const struct gs_literal *string)
{
    enum gs_status st = write_text(r, "%u:", (unsigned)string->count);
    if (st == GS_OK)
        st = write_bytes(r, r->literals->strings + string->first, string->count);
    return st;
}

/* A plain type, in a string. */
static enum gs_status read_plain(struct reader *r, const struct gs_literal *string,
                                 struct type *type)
{
    const char *text = r->literals->strings + string->first;
    const struct gs_npy_plain plain = gs_npy_plain_read(text);
    char unit[GS_DATE_UNIT_TEXT];
    if (plain.kind == '\0' || strlen(text) != string->count)
        return refuse(r, "its type is unknown");
    if (plain.kind == 'O')
        return refuse(r, "it holds Python objects");
    if (gs_npy_plain_bytes(&plain) > GS_RECORD_BYTES_MAX)
        return refuse(r, "its records are larger than 65536 bytes");
    *type = (struct type){.is_void = plain.kind == 'V'};
    type->field.bytes = (uint32_t)gs_npy_plain_bytes(&plain);
    type->field.type = gs_npy_plain_key(&plain);
    type->field.no_key = gs_npy_plain_no_key(&plain);
    const bool ordered =
        plain.kind == 'U' || (plain.size > 1 && !type->is_void && plain.kind != 'S');
    gs_date_unit_name(&plain.date, unit);
    return write_text(r, "%c%c%u%s", ordered ? "<>"[plain.big_endian] : '|', plain.kind,
                      (unsigned)plain.size, unit);
}

/* One dimension of an array within a record. */
static enum gs_status read_dimension(struct reader *r, const struct gs_literal *dimension,
                                     uint64_t *times)
{
    if (dimension->kind != GS_LITERAL_INTEGER || dimension->negative ||
        dimension->value > INT32_MAX)
        return refuse(r, "a field's shape is not one of sizes");
    if (__builtin_mul_overflow(*times, dimension->value, times))
        return refuse(r, "a field is an array that is too large");
    return write_text(r, "%" PRIu64 ",", dimension->value);
}

/* Make an array of a type, which has been read. A shape is a number or some: 1 alone means none. */
static enum gs_status read_shape(struct reader *r, uint32_t index, struct type *type)
{
    enum gs_status st = GS_OK;
    uint64_t times = 1;
    const struct gs_literal *shape = at(r, index);
    const bool number = shape->kind == GS_LITERAL_INTEGER;
    if (!number && shape->kind != GS_LITERAL_TUPLE && shape->kind != GS_LITERAL_LIST)
        return damaged(r, shape);
    if (type->field.bytes == 0 && !type->is_structure)
        return refuse(r, "a field is an array of nothing");
    if (number ? shape->value == 1 && !shape->negative : shape->count == 0)
        return GS_OK;
    if (!number && shape->count > DIMENSIONS_MAX)
        return refuse(r, "a field has more than 32 dimensions");
    GS_TRY(write_text(r, "("));
    if (number)
        GS_TRY(read_dimension(r, shape, &times));
    for (uint32_t i = number ? 0 : shape->first; i != 0; i = at(r, i)->next)
        GS_TRY(read_dimension(r, at(r, i), &times));
    GS_TRY(write_text(r, ")"));
    if (type->field.bytes > 0 && times > GS_RECORD_BYTES_MAX / type->field.bytes)
        return refuse(r, "a field is an array that is too large");
    type->field.bytes *= (uint32_t)times;
    type->field.no_key = type->field.bytes > 0 ? "it is an array" : "it has no bytes";
    type->is_array = true;
    type->is_structure = false;
    free_fields(type->field.fields, type->field.field_count);
    type->field.fields = NULL;
cleanup:
    return st;
}

/* The name of a field, and its title, if it has one. */
static enum gs_status read_name(struct reader *r, uint32_t index, const struct gs_literal **name,
                                const struct gs_literal **title)
{
    *name = at(r, index);
    *title = NULL;
    if ((*name)->kind == GS_LITERAL_TUPLE && (*name)->count == 2) {
        *title = at(r, (*name)->first);
        *name = at(r, (*title)->next);
    }
    if (*title != NULL && (*title)->kind == GS_LITERAL_NONE)
        *title = NULL;
    else if (*title != NULL && (*title)->kind != GS_LITERAL_STRING)
        return refuse(r, "a field's title is no string");
    return (*name)->kind == GS_LITERAL_STRING ? GS_OK : damaged(r, at(r, index));
}

/* A field of a structure, at *offset, which moves behind it. */
static enum gs_status read_field(struct reader *r, uint32_t index, uint32_t *offset,
                                 struct gs_npy_field *field)
{
    enum gs_status st = GS_OK;
    struct type type = {.is_void = false};
    const struct gs_literal *whole = at(r, index);
    const struct gs_literal *name;
    const struct gs_literal *title;
    if ((whole->kind != GS_LITERAL_TUPLE && whole->kind != GS_LITERAL_LIST) || whole->count < 2 ||
        whole->count > 3)
        return damaged(r, whole);
    GS_TRY(read_name(r, whole->first, &name, &title));
    const uint32_t begin = r->to->text_bytes;
    GS_TRY(write_text(r, "%u ", (unsigned)*offset));
    GS_TRY(write_string(r, name));
    if (title != NULL)
        GS_TRY(write_string(r, title));
    GS_TRY(write_text(r, " "));
    const uint32_t descr = at(r, whole->first)->next;
    GS_TRY(read_type(r, descr, &type));
    if (whole->count == 3)
        GS_TRY(read_shape(r, at(r, descr)->next, &type));
    *offset += type.field.bytes;
    if (*offset > GS_RECORD_BYTES_MAX)
        GS_TRY(refuse(r, "its records are larger than 65536 bytes"));
    *field = type.field;
    type.field.fields = NULL;
    field->name = r->literals->strings + name->first;
    field->name_bytes = name->count;
    field->padding =
        name == at(r, whole->first) && name->count == 0 && (type.is_array || type.is_void);
    field->offset = *offset - field->bytes;
    if (field->padding) /* shows only in where others are */
        r->to->text_bytes = begin;
cleanup:
    free_fields(type.field.fields, type.field.field_count);
    return st;
}

static int compare_names(const void *a, const void *b)
{
    const struct gs_npy_field *x = a;
    const struct gs_npy_field *y = b;
    if (x->name_bytes != y->name_bytes)
        return x->name_bytes < y->name_bytes ? -1 : 1;
    return memcmp(x->name, y->name, x->name_bytes);
}

/* No two fields of a structure have the same name or title. */
static enum gs_status check_names(struct reader *r, const struct gs_literal *list,
                                  const struct gs_npy_field *fields)
{
    enum gs_status st = GS_OK;
    size_t count = 0;
    struct gs_npy_field *all = calloc(2 * (size_t)list->count + 1, sizeof *all);
    if (all == NULL)
        return gs_fail(r->err, GS_ERR_MEMORY, errno, "%s", r->name);
    for (uint32_t i = list->first; i != 0; i = at(r, i)->next, fields++) {
        const struct gs_literal *name;
        const struct gs_literal *title;
        GS_TRY(read_name(r, at(r, i)->first, &name, &title));
        if (!fields->padding)
            all[count++] = *fields;
        if (!fields->padding && title != NULL)
            all[count++] = (struct gs_npy_field){.name = r->literals->strings + title->first,
                                                 .name_bytes = title->count};
    }
    qsort(all, count, sizeof *all, compare_names);
    for (size_t i = 1; i < count; i++)
        if (compare_names(&all[i - 1], &all[i]) == 0)
            GS_TRY(refuse(r, "two of its fields have the same name"));
cleanup:
    free(all);
    return st;
}

static enum gs_status read_structure(struct reader *r, const struct gs_literal *list,
                                     struct type *type)
{
    enum gs_status st = GS_OK;
    uint32_t bytes = 0;
    struct gs_npy_field *fields = calloc((size_t)list->count + 1, sizeof *fields);
    struct gs_npy_field *next = fields;
    if (fields == NULL)
        return gs_fail(r->err, GS_ERR_MEMORY, errno, "%s", r->name);
    GS_TRY(write_text(r, "{"));
    for (uint32_t i = list->first; i != 0; i = at(r, i)->next)
        GS_TRY(read_field(r, i, &bytes, next++));
    GS_TRY(check_names(r, list, fields));
    GS_TRY(write_text(r, "}%u", (unsigned)bytes));
    *type = (struct type){.is_structure = true};
    type->field.bytes = bytes;
    type->field.no_key = "it is a structure";
    type->field.fields = fields;
    type->field.field_count = list->count;
    fields = NULL;
cleanup:
    free_fields(fields, list->count);
    return st;
}

static enum gs_status read_type(struct reader *r, uint32_t index, struct type *type)
{
    enum gs_status st = GS_OK;
    const struct gs_literal *descr = at(r, index);
    if (descr->kind == GS_LITERAL_STRING)
        return read_plain(r, descr, type);
    if (descr->kind == GS_LITERAL_LIST)
        return read_structure(r, descr, type);
    if (descr->kind != GS_LITERAL_TUPLE || descr->count != 2)
        return damaged(r, descr);
    GS_TRY(read_type(r, descr->first, type));
    st = read_shape(r, at(r, descr->first)->next, type);
cleanup:
    return st;
}

enum gs_status gs_npy_type_read(struct gs_npy_type *type, const struct gs_literals *literals,
                                uint32_t descr, const char *name, struct gs_error *err)
{
    struct reader r = {.literals = literals, .to = type, .name = name, .err = err};
    struct type whole = {.is_void = false};
    *type = (struct gs_npy_type){.record_bytes = 0};
    const enum gs_status st = read_type(&r, descr, &whole);
    type->record_bytes = whole.field.bytes;
    type->structured = whole.is_structure;
    type->fields = whole.field.fields;
    type->field_count = whole.field.field_count;
    if (st != GS_OK)
        return st;
    if (whole.field.bytes == 0)
        return refuse(&r, "its records have no bytes");
    if (whole.is_array)
        return refuse(&r, "its records are arrays");
    if (type->structured)
        return GS_OK;
    type->fields = calloc(1, sizeof *type->fields);
    if (type->fields == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%s", name);
    type->fields[0] = whole.field;
    type->field_count = 1;
    return GS_OK;
}

void gs_npy_type_free(struct gs_npy_type *type)
{
    free_fields(type->fields, type->field_count);
    free(type->column_names);
    free(type->text);
    *type = (struct gs_npy_type){.record_bytes = 0};
}

/* npy_format.c -- the format of a .npy file's records, with its fields as keys.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/npy.h"

#include "common/formats/zorder.h"

#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 512 };

/* The names of the fields, as far as there is room. */
static void list_fields(const struct gs_npy *npy, char list[LIST_BYTES])
{
    size_t used = 0;
    list[0] = '\0';
    for (uint32_t i = 0; i < npy->type.field_count; i++) {
        const struct gs_npy_field *field = &npy->type.fields[i];
        if (field->padding)
            continue;
        if (used + field->name_bytes + 8 > LIST_BYTES) {
            snprintf(list + used, LIST_BYTES - used, " ...");
            return;
        }
        used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%.*s", used > 0 ? " " : "",
                                 (int)field->name_bytes, field->name);
    }
}

/* The field of this name, or of a structure's name, a dot and the name of a field in that; NULL if
 * there is none. Adds to *offset where it is. */
static const struct gs_npy_field *find_field(const struct gs_npy_field *fields, uint32_t count,
                                             const char *name, size_t length, uint32_t *offset)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct gs_npy_field *field = &fields[i];
        const size_t own = field->name_bytes;
        const struct gs_npy_field *found = NULL;
        if (field->padding || own > length || memcmp(field->name, name, own) != 0)
            continue;
        *offset += field->offset;
        if (own == length)
            found = field;
        else if (name[own] == '.')
            found = find_field(field->fields, field->field_count, name + own + 1, length - own - 1,
                               offset);
        if (found != NULL)
            return found;
        *offset -= field->offset;
    }
    return NULL;
}

static enum gs_status add_field(struct gs_format *format, const struct gs_npy_field *field,
                                uint32_t offset, bool descending, bool chosen, const char *name,
                                struct gs_error *err)
{
    const bool named = field->name != NULL;
    if (field->no_key != NULL)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: cannot be sorted by %s%.*s: %s%s", name,
                       named ? "field " : "its type", (int)field->name_bytes,
                       named ? field->name : "", field->no_key,
                       field->fields != NULL ? ": -k FIELD.FIELD is one in it"
                       : named && !chosen    ? "; -k FIELD chooses others"
                                             : "");
    if (format->key_count == GS_FORMAT_KEYS_MAX)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: more than %d fields: say which by -k FIELD", name,
                       GS_FORMAT_KEYS_MAX);
    format->keys[format->key_count++] =
        (struct gs_key_field){.offset = offset, .type = field->type, .descending = descending};
    return GS_OK;
}

/* The length of the first key of a list with commas between; those in zorder(...) are its own. */
static size_t first_length(const char *key, size_t length)
{
    size_t at = 0;
    int depth = 0;
    const bool woven = length > 7 && memcmp(key, "zorder(", 7) == 0;
    for (; at < length && (key[at] != ',' || (woven && depth > 0)); at++)
        depth += key[at] == '(' ? 1 : key[at] == ')' ? -1 : 0;
    return at;
}

static enum gs_status refuse_name(const struct gs_npy *npy, const char *key, size_t length,
                                  const char *name, struct gs_error *err)
{
    char list[LIST_BYTES];
    if (npy->type.columns > 0)
        return gs_fail(err, GS_ERR_USAGE, 0, "%s: there is no column '%.*s': they are 0 to %u",
                       name, (int)length, key, (unsigned)npy->type.columns - 1);
    list_fields(npy, list);
    return gs_fail(err, GS_ERR_USAGE, 0, "%s: there is no field '%.*s'; its fields are: %s", name,
                   (int)length, key, list);
}

/* The field that -k names, and whether ":r" is behind; or several, with commas between or woven. */
static enum gs_status add_named(struct gs_format *format, const struct gs_npy *npy, const char *key,
                                size_t length, const char *name, struct gs_error *err)
{
    uint32_t offset = 0;
    size_t inside_bytes;
    enum gs_status st = GS_OK;
    const uint32_t first = format->key_count;
    const struct gs_npy_type *type = &npy->type;
    const struct gs_npy_field *field =
        find_field(type->fields, type->field_count, key, length, &offset);
    bool descending = field == NULL && length > 2 && memcmp(key + length - 2, ":r", 2) == 0;
    if (descending)
        field = find_field(type->fields, type->field_count, key, length - 2, &offset);
    if (field != NULL)
        return add_field(format, field, offset, descending, true, name, err);
    const size_t before = first_length(key, length);
    if (before < length) {
        GS_TRY(add_named(format, npy, key, before, name, err));
        return add_named(format, npy, key + before + 1, length - before - 1, name, err);
    }
    const char *inside = gs_zorder_inside(key, length, &inside_bytes, &descending);
    if (inside == NULL)
        return refuse_name(npy, key, length, name, err);
    GS_TRY(add_named(format, npy, inside, inside_bytes, name, err));
    st = gs_zorder_finish(format, first, descending, key, length, err);
cleanup:
    return st;
}

/* Rows without -k, if they are in the order of their bytes: these are one key, however many. */
static bool are_bytes(const struct gs_npy_type *type)
{
    const struct gs_key_type *column = &type->fields[0].type;
    return type->columns > 0 && type->fields[0].no_key == NULL &&
           (column->kind == GS_TYPE_BYTES ||
            (column->kind == GS_TYPE_UNSIGNED && (column->big_endian || column->bytes == 1)));
}

enum gs_status gs_npy_format(struct gs_format *format, const struct gs_npy *npy,
                             const char *const *keys, uint32_t key_count, const char *name,
                             struct gs_error *err)
{
    enum gs_status st = GS_OK;
    *format = (struct gs_format){.record_bytes = npy->type.record_bytes};
    if (key_count > 0 && !npy->type.structured)
        return gs_fail(err, GS_ERR_USAGE, 0, "%s: its records have no fields, so there is no -k %s",
                       name, keys[0]);
    for (uint32_t i = 0; i < key_count; i++)
        GS_TRY(add_named(format, npy, keys[i], strlen(keys[i]), name, err));
    if (key_count == 0 && are_bytes(&npy->type)) {
        *format = gs_format_of((struct gs_key_type){
            .kind = GS_TYPE_BYTES, .bytes = format->record_bytes, .big_endian = true});
        return GS_OK;
    }
    for (uint32_t i = 0; key_count == 0 && i < npy->type.field_count; i++)
        if (!npy->type.structured || !npy->type.fields[i].padding)
            GS_TRY(add_field(format, &npy->type.fields[i], npy->type.fields[i].offset, false, false,
                             name, err));
    if (format->key_count == 0)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: none of its fields has a name", name);
    st = gs_format_finish(format, err);
cleanup:
    return st;
}

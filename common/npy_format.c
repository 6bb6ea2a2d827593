/* npy_format.c -- the format of a .npy file's records, with its fields as keys.
 * SPDX-License-Identifier: MIT
 */
#include "common/npy.h"

#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 512 };

/* The names of the fields, as far as there is room. */
static void list_fields(const struct gs_npy *npy, const char *header, char list[LIST_BYTES])
{
    size_t used = 0;
    list[0] = '\0';
    for (uint32_t i = 0; i < npy->field_count; i++) {
        const struct gs_npy_field *field = &npy->fields[i];
        if (field->name_bytes == 0)
            continue;
        if (used + field->name_bytes + 8 > LIST_BYTES) {
            snprintf(list + used, LIST_BYTES - used, " ...");
            return;
        }
        used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%.*s", used > 0 ? " " : "",
                                 (int)field->name_bytes, header + field->name);
    }
}

/* The field of this name, or NULL. */
static const struct gs_npy_field *find_field(const struct gs_npy *npy, const char *header,
                                             const char *name, size_t length)
{
    for (uint32_t i = 0; i < npy->field_count; i++) {
        const struct gs_npy_field *field = &npy->fields[i];
        if (field->name_bytes == length && length > 0 &&
            memcmp(header + field->name, name, length) == 0)
            return field;
    }
    return NULL;
}

static enum gs_status add_field(struct gs_format *format, const struct gs_npy_field *field,
                                bool descending, bool chosen, const char *header, const char *name,
                                struct gs_error *err)
{
    const bool named = field->name_bytes > 0;
    if (field->no_key != NULL)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: cannot be sorted by %s%.*s: %s%s", name,
                       named ? "field " : "its type", (int)field->name_bytes, header + field->name,
                       field->no_key, named && !chosen ? "; -k FIELD chooses others" : "");
    if (format->key_count == GS_FORMAT_KEYS_MAX)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: more than %d fields: say which by -k FIELD", name,
                       GS_FORMAT_KEYS_MAX);
    format->keys[format->key_count++] =
        (struct gs_key_field){field->offset, field->type, descending};
    return GS_OK;
}

/* The field that -k names, and whether ":r" is behind. */
static enum gs_status add_named(struct gs_format *format, const struct gs_npy *npy,
                                const char *header, const char *key, const char *name,
                                struct gs_error *err)
{
    char list[LIST_BYTES];
    const size_t length = strlen(key);
    const struct gs_npy_field *field = find_field(npy, header, key, length);
    const bool descending = field == NULL && length > 2 && strcmp(key + length - 2, ":r") == 0;
    if (descending)
        field = find_field(npy, header, key, length - 2);
    if (field != NULL)
        return add_field(format, field, descending, true, header, name, err);
    list_fields(npy, header, list);
    return gs_fail(err, GS_ERR_USAGE, 0, "%s: there is no field '%s'; its fields are: %s", name,
                   key, list);
}

enum gs_status gs_npy_format(struct gs_format *format, const struct gs_npy *npy, const void *header,
                             const char *const *keys, uint32_t key_count, const char *name,
                             struct gs_error *err)
{
    enum gs_status st = GS_OK;
    *format = (struct gs_format){.record_bytes = npy->record_bytes};
    if (key_count > 0 && !npy->structured)
        return gs_fail(err, GS_ERR_USAGE, 0, "%s: its records have no fields, so there is no -k %s",
                       name, keys[0]);
    for (uint32_t i = 0; i < key_count; i++)
        GS_TRY(add_named(format, npy, header, keys[i], name, err));
    for (uint32_t i = 0; key_count == 0 && i < npy->field_count; i++)
        if (!npy->structured || npy->fields[i].name_bytes > 0)
            GS_TRY(add_field(format, &npy->fields[i], false, false, header, name, err));
    if (format->key_count == 0)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: none of its fields has a name", name);
    st = gs_format_finish(format, err);
cleanup:
    return st;
}

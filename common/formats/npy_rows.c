/* npy_rows.c -- the rows of a two-dimensional array as records, whose columns are fields 0, 1, ...
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/npy_type.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = sizeof "65535" };

static enum gs_status refuse(const char *name, const char *why, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_INPUT, 0, "%s: a .npy file that cannot be sorted: %s", name, why);
}

enum gs_status gs_npy_rows_make(struct gs_npy_type *type, uint64_t columns, bool fortran,
                                const char *name, struct gs_error *err)
{
    if (type->structured)
        return refuse(name, "its rows are of structures; numpy's x.ravel() has one dimension", err);
    if (columns == 0)
        return refuse(name, "its rows have no columns", err);
    if (fortran && columns > 1)
        return refuse(name, "it is in Fortran order; numpy's ascontiguousarray(x) has rows", err);
    if (columns > GS_RECORD_BYTES_MAX / type->record_bytes)
        return refuse(name, "its rows are larger than 65536 bytes", err);
    const uint32_t count = (uint32_t)columns;
    struct gs_npy_field *fields = calloc(count, sizeof *fields);
    char *names = malloc((size_t)count * NAME_BYTES);
    char *text = realloc(type->text, type->text_bytes + sizeof "[65536]");
    type->text = text != NULL ? text : type->text;
    if (fields == NULL || names == NULL || text == NULL) {
        free(fields);
        free(names);
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", name);
    }
    for (uint32_t i = 0; i < count; i++) {
        fields[i] = type->fields[0];
        fields[i].name = names + (size_t)i * NAME_BYTES;
        fields[i].name_bytes =
            (uint32_t)snprintf(names + (size_t)i * NAME_BYTES, NAME_BYTES, "%u", (unsigned)i);
        fields[i].offset = i * type->record_bytes;
    }
    type->text_bytes +=
        (uint32_t)snprintf(text + type->text_bytes, sizeof "[65536]", "[%u]", (unsigned)count);
    free(type->fields);
    type->fields = fields;
    type->field_count = count;
    type->columns = count;
    type->column_names = names;
    type->structured = true;
    type->record_bytes *= count;
    return GS_OK;
}

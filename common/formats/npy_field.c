/* npy_field.c -- the header of a .npy file with one more field behind the others.
 * SPDX-License-Identifier: MIT
 *
 * Records of a plain type become structures: what they were is the field 'key'. Rows do, too.
 */
#include "common/formats/npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = 12, ADDED = 160, ALIGNMENT = 64 };

static bool has_field(const struct gs_npy *npy, const char *field)
{
    for (uint32_t i = 0; npy->type.structured && i < npy->type.field_count; i++)
        if (npy->type.fields[i].name_bytes == strlen(field) &&
            memcmp(npy->type.fields[i].name, field, strlen(field)) == 0)
            return true;
    return false;
}

/* Does a list end in a comma, which Python allows? text is behind its last bracket. */
static bool ends_in_comma(const char *text)
{
    for (text -= 2; *text == ' ' || (*text >= '\t' && *text <= '\r');)
        text--;
    return *text == ',';
}

enum gs_status gs_npy_add_field(struct gs_npy *made, unsigned char **bytes,
                                const struct gs_npy *npy, const void *header, const char *field,
                                const struct gs_key_type *type, const char *name,
                                struct gs_error *err)
{
    const char *from = header;
    const char *descr_end = from + npy->descr_end;
    const uint32_t columns = npy->type.columns;
    const bool listed = npy->type.structured && columns == 0;
    if (has_field(npy, field))
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: has a field '%s' already", name, field);
    char *to = malloc(npy->header_bytes + PREFIX + ADDED + ALIGNMENT + strlen(field));
    if (to == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", name);
    char *out = to + PREFIX;
    out = stpcpy(out, listed ? "{'descr': " : "{'descr': [('key', ");
    out = mempcpy(out, from + npy->descr, npy->descr_end - npy->descr - listed);
    if (columns > 0)
        out += sprintf(out, ", (%u,)", (unsigned)columns);
    out = stpcpy(out, !listed ? "), " : ends_in_comma(descr_end) ? " " : ", ");
    out +=
        sprintf(out, "('%s', '%cu%u')], 'fortran_order': False, 'shape': (%" PRIu64 ",), }", field,
                type->bytes == 1   ? '|'
                : type->big_endian ? '>'
                                   : '<',
                (unsigned)type->bytes, npy->count);
    while ((out + 1 - to) % ALIGNMENT != 0)
        *out++ = ' ';
    *out++ = '\n';
    memcpy(to, from, 8); /* magic and version, of which 1 has no room for so long a header */
    to[6] = from[6] > 2 ? from[6] : 2;
    for (uint32_t i = 0; i < 4; i++)
        to[8 + i] = (char)((uint32_t)(out - to - PREFIX) >> (8 * i));
    *bytes = (unsigned char *)to;
    return gs_npy_parse(made, to, (size_t)(out - to), name, err);
}

/* fuzz_npy.c -- a libFuzzer target: any .npy header is refused, or means a sound format.
 * SPDX-License-Identifier: MIT
 *
 * The input is the file. What was read from a header stays in one with another count.
 */
#include "common/formats/npy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct gs_npy npy;
static struct gs_npy again;

static void check_format(const char *const *keys, uint32_t count)
{
    struct gs_format format;
    struct gs_error err = {.status = GS_OK};
    if (gs_npy_format(&format, &npy, keys, count, "x", &err) != GS_OK) {
        if (err.status == GS_OK || err.text[0] == '\0')
            abort();
        return;
    }
    if (format.record_bytes != npy.type.record_bytes || format.key_count == 0)
        abort();
    for (uint32_t i = 0; i < format.key_count; i++)
        if (format.keys[i].type.bytes == 0 ||
            format.keys[i].offset + format.keys[i].type.bytes > format.record_bytes)
            abort();
}

/* All fields as they are, and the first one by its name. */
static void check_fields(void)
{
    char name[256];
    const char *const keys[] = {name, "no such field"};
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < npy.type.field_count; i++) {
        const struct gs_npy_field *field = &npy.type.fields[i];
        if (field->offset != bytes ||
            (npy.type.structured ? field->name == NULL : field->bytes == 0))
            abort();
        bytes += field->bytes;
    }
    if (bytes != npy.type.record_bytes || bytes == 0 || bytes > GS_RECORD_BYTES_MAX)
        abort();
    check_format(NULL, 0);
    check_format(keys + 1, 1);
    if (!npy.type.structured || npy.type.fields[0].name_bytes >= sizeof name - 2)
        return;
    memcpy(name, npy.type.fields[0].name, npy.type.fields[0].name_bytes);
    memcpy(name + npy.type.fields[0].name_bytes, ":r", 3);
    check_format(keys, 1);
    name[npy.type.fields[0].name_bytes] = '\0';
    check_format(keys, 1);
}

static void check_count(const char *header, uint64_t count)
{
    struct gs_error err = {.status = GS_OK};
    const uint32_t bytes = gs_npy_room(&npy, count);
    char *to = malloc(bytes);
    if (to == NULL)
        return;
    gs_npy_write(&npy, header, count, to, bytes);
    if (gs_npy_parse(&again, to, bytes, "x", &err) == GS_OK) {
        if (again.count != count || again.header_bytes != bytes || !gs_npy_agree(&npy, &again) ||
            again.type.record_bytes != npy.type.record_bytes ||
            again.type.field_count != npy.type.field_count)
            abort();
        gs_npy_free(&again);
    } else if (bytes < GS_NPY_HEADER_MAX && count < INT64_MAX / GS_RECORD_BYTES_MAX - bytes) {
        abort();
    }
    free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gs_error err = {.status = GS_OK};
    const enum gs_status st = gs_npy_parse(&npy, data, size, "x", &err);
    if (st != err.status || (st != GS_OK && err.text[0] == '\0'))
        abort();
    if (st != GS_OK)
        return 0;
    char *header = malloc(npy.header_bytes);
    if (header == NULL)
        return 0;
    memcpy(header, data, npy.header_bytes);
    gs_npy_check_size(&npy, size, "x", &err);
    check_fields();
    check_count(header, 1);
    check_count(header, UINT64_MAX);
    check_count(header, 1234567890123);
    check_count(header, 0);
    free(header);
    gs_npy_free(&npy);
    return 0;
}

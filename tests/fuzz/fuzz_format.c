/* fuzz_format.c -- a libFuzzer target: any -t, -R and -k are refused or mean a sound format.
 * SPDX-License-Identifier: MIT
 *
 * The input is options, each one letter and its value, ended by a zero byte: "R16\0k8:f64r\0".
 */
#include "common/formats/codec.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every key lies within the record, apart from the others, and is named as it is read. */
static void check_format(const struct gs_format *format)
{
    static uint8_t used[GS_RECORD_BYTES_MAX];
    char text[GS_KEY_TYPE_TEXT];
    struct gs_key_type type;
    struct gs_error err = {.status = GS_OK};
    if (format->key_count == 0 || format->record_bytes == 0 ||
        format->record_bytes > GS_RECORD_BYTES_MAX)
        abort();
    memset(used, 0, format->record_bytes);
    for (uint32_t i = 0; i < format->key_count; i++) {
        const struct gs_key_field *key = &format->keys[i];
        if (key->type.bytes == 0 || key->offset + key->type.bytes > format->record_bytes)
            abort();
        for (uint32_t b = 0; b < key->type.bytes; b++)
            if (used[key->offset + b]++ != 0)
                abort();
        gs_key_type_name(&key->type, text);
        if (gs_key_type_parse("-t", text, &type, &err) != GS_OK || type.kind != key->type.kind ||
            type.bytes != key->type.bytes || type.big_endian != key->type.big_endian)
            abort();
    }
}

/* Records are restored, and their keys have a text. */
static void check_codec(const struct gs_format *format, const uint8_t *data, size_t size)
{
    uint8_t elements[BYTES_MAX * GS_CODEC_BLOCK];
    uint8_t again[BYTES_MAX];
    struct gs_codec codec;
    const size_t count = size / format->record_bytes;
    gs_codec_init(&codec, format);
    for (int vectors = codec.vectors; vectors >= 0; vectors--) {
        codec.vectors = vectors != 0;
        gs_codec_load(&codec, data, elements, count);
        gs_codec_store(&codec, elements, again, count);
        if (memcmp(data, again, count * format->record_bytes) != 0)
            abort();
    }
    for (uint32_t i = 0; count > 0 && i < format->key_count; i++) {
        char text[GS_KEY_TEXT];
        gs_key_print(&format->keys[i], data, text);
        if (strlen(text) == 0 || strlen(text) >= sizeof text)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char bytes[BYTES_MAX + 1];
    struct gs_format_options options = {.type = NULL};
    struct gs_format format;
    struct gs_error err = {.status = GS_OK};
    size = size < BYTES_MAX ? size : BYTES_MAX;
    memcpy(bytes, data, size);
    bytes[size] = '\0';
    for (size_t at = 0; at < size; at += strlen(bytes + at) + 1) {
        const char *value = bytes + at + 1;
        if (bytes[at] == 't')
            options.type = value;
        else if (bytes[at] == 'R')
            options.record = value;
        else if (bytes[at] == 'k' && gs_format_add_key(&options, value, &err) != GS_OK)
            return 0;
    }
    const enum gs_status st = gs_format_parse(&format, &options, &err);
    if (st != err.status || (st != GS_OK && (st != GS_ERR_USAGE || err.text[0] == '\0')))
        abort();
    if (st != GS_OK)
        return 0;
    check_format(&format);
    if (format.element_bytes > 0)
        check_codec(&format, data, size);
    return 0;
}

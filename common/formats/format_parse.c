/* format_parse.c -- parse and check record sizes and keys.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/format.h"

#include "common/formats/key_type.h"
#include "common/formats/zorder.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum gs_status gs_key_field_parse(const char *option, const char *text, struct gs_key_field *key,
                                  struct gs_error *err)
{
    const char *colon = gs_key_number_read(text, &key->offset);
    if (colon == NULL || *colon != ':')
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "invalid %s argument '%s': a %s is OFFSET:TYPE, OFFSET in bytes from 0, "
                       "as in 8:f64%s",
                       option, text, option[1] == 'k' ? "key" : "field",
                       option[1] == 'k' ? " or, descending, 8:f64r" : "");
    const char *end = gs_key_type_read(colon + 1, &key->type);
    key->descending = end != NULL && (*end | 0x20) == 'r';
    if (end == NULL || end[key->descending] != '\0')
        return gs_key_type_refuse(option, text, colon + 1, err);
    return GS_OK;
}

static enum gs_status parse_record(const char *text, uint32_t *bytes, struct gs_error *err)
{
    const char *end = gs_key_number_read(text, bytes);
    if (end != NULL &&
        (strcasecmp(end, "b") == 0 || strcmp(end, "k") == 0 || strcmp(end, "K") == 0)) {
        *bytes <<= *end == 'k' || *end == 'K' ? 10 : 0;
        end++;
    }
    if (end == NULL || *end != '\0' || *bytes == 0 || *bytes > GS_RECORD_BYTES_MAX)
        return gs_fail(err, GS_ERR_USAGE, 0, "invalid -R argument '%s': a record has 1 to %d bytes",
                       text, GS_RECORD_BYTES_MAX);
    return GS_OK;
}

void gs_key_field_name(const struct gs_key_field *key, char text[GS_KEY_FIELD_TEXT])
{
    char type[GS_KEY_TYPE_TEXT];
    gs_key_type_name(&key->type, type);
    snprintf(text, GS_KEY_FIELD_TEXT, "%u:%s%s", (unsigned)key->offset, type,
             key->descending ? "r" : "");
}

bool gs_format_key_name(const struct gs_format *format, uint32_t i, char text[GS_KEY_FIELD_TEXT])
{
    char key[GS_KEY_FIELD_TEXT - sizeof "zorder()"];
    uint32_t first = i;
    while (first > 0 && format->keys[first].woven == 0 && i - first < GS_ZORDER_MAX)
        first--;
    const bool within = first + format->keys[first].woven > i;
    const bool last = within && first + format->keys[first].woven == i + 1;
    gs_key_field_name(&format->keys[i], text);
    snprintf(key, sizeof key, "%s", text);
    snprintf(text, GS_KEY_FIELD_TEXT, "%s%s%s", format->keys[i].woven > 0 ? "zorder(" : "", key,
             last ? ")" : "");
    return within && first < i;
}

/* A byte in two keys would be useless in the second, and no record could be one element. */
static enum gs_status check_apart(const struct gs_key_field *a, const struct gs_key_field *b,
                                  struct gs_error *err)
{
    char first[GS_KEY_FIELD_TEXT];
    char second[GS_KEY_FIELD_TEXT];
    if (a->offset + a->type.bytes <= b->offset || b->offset + b->type.bytes <= a->offset)
        return GS_OK;
    gs_key_field_name(a, first);
    gs_key_field_name(b, second);
    return gs_fail(err, GS_ERR_USAGE, 0, "keys %s and %s overlap: a byte belongs to one key", first,
                   second);
}

enum gs_status gs_format_finish(struct gs_format *format, struct gs_error *err)
{
    for (uint32_t i = 0; i < format->key_count; i++) {
        const struct gs_key_field *key = &format->keys[i];
        char text[GS_KEY_FIELD_TEXT];
        gs_key_field_name(key, text);
        if (key->offset + key->type.bytes > format->record_bytes)
            return gs_fail(
                err, GS_ERR_USAGE, 0, "key %s ends at byte %u, but a record has %u bytes", text,
                (unsigned)(key->offset + key->type.bytes), (unsigned)format->record_bytes);
        for (uint32_t j = 0; j < i; j++) {
            enum gs_status st = check_apart(&format->keys[j], key, err);
            if (st != GS_OK)
                return st;
        }
    }
    const uint32_t bytes = format->record_bytes;
    format->element_bytes = bytes <= 4 ? 4 : bytes <= 8 ? 8 : bytes <= 16 ? 16 : 0;
    return GS_OK;
}

struct gs_format gs_format_of(struct gs_key_type type)
{
    struct gs_format format = {.record_bytes = type.bytes, .key_count = 1};
    format.keys[0].type = type;
    gs_format_finish(&format, NULL);
    return format;
}

enum gs_status gs_set_once(const char *what, const char *arg, const char **value,
                           struct gs_error *err)
{
    if (*value != NULL && strcmp(*value, arg) != 0)
        return gs_fail(err, GS_ERR_USAGE, 0, "multiple %s specified: '%s' and '%s'", what, *value,
                       arg);
    *value = arg;
    return GS_OK;
}

enum gs_status gs_format_add_key(struct gs_format_options *options, const char *key,
                                 struct gs_error *err)
{
    if (options->key_count == GS_FORMAT_KEYS_MAX)
        return gs_fail(err, GS_ERR_USAGE, 0, "more than %d keys: -k %s", GS_FORMAT_KEYS_MAX, key);
    options->keys[options->key_count++] = key;
    return GS_OK;
}

/* Parse TYPE[r],TYPE[r] and so on: all fields of a record, each of them a key. */
static enum gs_status parse_fields(struct gs_format *format, const char *text, struct gs_error *err)
{
    *format = (struct gs_format){.key_count = 0};
    for (const char *at = text, *end; at != NULL; at = *end == ',' ? end + 1 : NULL) {
        if (format->key_count == GS_FORMAT_KEYS_MAX)
            return gs_fail(err, GS_ERR_USAGE, 0, "more than %d fields: -t %s", GS_FORMAT_KEYS_MAX,
                           text);
        struct gs_key_field *key = &format->keys[format->key_count++];
        key->offset = format->record_bytes;
        end = gs_key_type_read(at, &key->type);
        key->descending = end != NULL && (*end | 0x20) == 'r';
        if (key->descending)
            end++;
        if (end == NULL || (*end != ',' && *end != '\0'))
            return gs_key_type_refuse("-t", text, at, err);
        format->record_bytes += key->type.bytes;
        if (format->record_bytes > GS_RECORD_BYTES_MAX)
            return gs_fail(err, GS_ERR_USAGE, 0,
                           "invalid -t argument '%s': its fields take more than %d bytes", text,
                           GS_RECORD_BYTES_MAX);
    }
    return gs_format_finish(format, err);
}

/* -t alone, or with an -R that says the same. */
static enum gs_status parse_type(struct gs_format *format, const struct gs_format_options *options,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_key_type type;
    uint32_t bytes = 0;
    if (strchr(options->type, ',') != NULL) {
        GS_TRY(parse_fields(format, options->type, err));
    } else {
        GS_TRY(gs_key_type_parse("-t", options->type, &type, err));
        *format = gs_format_of(type);
    }
    if (options->record != NULL)
        GS_TRY(parse_record(options->record, &bytes, err));
    if (options->record != NULL && bytes != format->record_bytes)
        st =
            gs_fail(err, GS_ERR_USAGE, 0,
                    "-t %s has %u bytes, but -R %s: name all fields, as in -t u64,u32, or the keys "
                    "by -k OFFSET:TYPE instead of -t",
                    options->type, (unsigned)format->record_bytes, options->record);
cleanup:
    return st;
}

/* Append a key: OFFSET:TYPE[r]. */
static enum gs_status add_key(struct gs_format *format, const char *text, struct gs_error *err)
{
    if (format->key_count == GS_FORMAT_KEYS_MAX)
        return gs_fail(err, GS_ERR_USAGE, 0, "more than %d keys: -k %s", GS_FORMAT_KEYS_MAX, text);
    return gs_key_field_parse("-k", text, &format->keys[format->key_count++], err);
}

/* The same, or several that are woven. */
static enum gs_status parse_key(struct gs_format *format, const char *text, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    bool descending;
    size_t length;
    char list[256];
    char *left = list;
    const uint32_t first = format->key_count;
    const char *inside = gs_zorder_inside(text, strlen(text), &length, &descending);
    if (inside == NULL)
        return add_key(format, text, err);
    snprintf(list, sizeof list, "%.*s", (int)length, inside);
    for (const char *one; (one = strsep(&left, ",")) != NULL;)
        GS_TRY(add_key(format, one, err));
    st = gs_zorder_finish(format, first, descending, text, strlen(text), err);
cleanup:
    return st;
}

enum gs_status gs_format_parse(struct gs_format *format, const struct gs_format_options *options,
                               struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_key_type type = {.kind = GS_TYPE_UNSIGNED, .bytes = 4};
    if (options->type != NULL && options->key_count > 0)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "-t names all fields of a record, as in -t u64,u32r, and each is a key; -k "
                       "OFFSET:TYPE goes with -R SIZE");
    if (options->type != NULL)
        return parse_type(format, options, err);
    if (options->key_count > 0 && options->record == NULL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "-k needs -R SIZE, the size of a record in bytes, as in -R 16 -k 8:f64; of "
                       "a .npy file, and of a FITS, LAS or HDF5 file that is named alone, it is a "
                       "field");
    if (options->record != NULL) {
        type = (struct gs_key_type){.kind = GS_TYPE_BYTES, .big_endian = true};
        GS_TRY(parse_record(options->record, &type.bytes, err));
    }
    *format = gs_format_of(type);
    format->key_count = options->key_count > 0 ? 0 : 1;
    for (uint32_t i = 0; i < options->key_count; i++)
        GS_TRY(parse_key(format, options->keys[i], err));
    st = gs_format_finish(format, err);
cleanup:
    return st;
}

void gs_format_name(const struct gs_format *format, char text[GS_FORMAT_TEXT])
{
    const struct gs_key_field *first = &format->keys[0];
    char key[GS_KEY_FIELD_TEXT];
    if (first->type.bytes == format->record_bytes && !first->descending) {
        gs_key_type_name(&first->type, text);
        return;
    }
    int used = snprintf(text, GS_FORMAT_TEXT, "%u bytes by", (unsigned)format->record_bytes);
    for (uint32_t i = 0; i < format->key_count; i++) {
        const bool within = gs_format_key_name(format, i, key);
        if ((size_t)used + strlen(key) + sizeof "  ..." > GS_FORMAT_TEXT) {
            snprintf(text + used, GS_FORMAT_TEXT - (size_t)used, " ...");
            return;
        }
        used +=
            snprintf(text + used, GS_FORMAT_TEXT - (size_t)used, "%s%s", within ? "," : " ", key);
    }
}

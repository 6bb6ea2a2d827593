/* format.c -- parse and check types, record sizes and keys.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/format.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    char name[5];
    struct gs_key_type type;
} types[] = {
    {"u8", {GS_TYPE_UNSIGNED, 1, false}},    {"u16", {GS_TYPE_UNSIGNED, 2, false}},
    {"u32", {GS_TYPE_UNSIGNED, 4, false}},   {"u64", {GS_TYPE_UNSIGNED, 8, false}},
    {"u128", {GS_TYPE_UNSIGNED, 16, false}}, {"i8", {GS_TYPE_SIGNED, 1, false}},
    {"i16", {GS_TYPE_SIGNED, 2, false}},     {"i32", {GS_TYPE_SIGNED, 4, false}},
    {"i64", {GS_TYPE_SIGNED, 8, false}},     {"i128", {GS_TYPE_SIGNED, 16, false}},
    {"f16", {GS_TYPE_FLOAT, 2, false}},      {"bf16", {GS_TYPE_BFLOAT, 2, false}},
    {"f32", {GS_TYPE_FLOAT, 4, false}},      {"f64", {GS_TYPE_FLOAT, 8, false}},
};

/* What else they are called; of the same length as in `types`, and the longest that fits counts. */
static const struct {
    char name[9];
    struct gs_key_type type;
} others[] = {
    {"double", {GS_TYPE_FLOAT, 8, false}},    {"float", {GS_TYPE_FLOAT, 4, false}},
    {"half", {GS_TYPE_FLOAT, 2, false}},      {"float16", {GS_TYPE_FLOAT, 2, false}},
    {"float32", {GS_TYPE_FLOAT, 4, false}},   {"float64", {GS_TYPE_FLOAT, 8, false}},
    {"bfloat16", {GS_TYPE_BFLOAT, 2, false}}, {"be16", {GS_TYPE_UNSIGNED, 2, true}},
    {"be32", {GS_TYPE_UNSIGNED, 4, true}},    {"be64", {GS_TYPE_UNSIGNED, 8, true}},
    {"le16", {GS_TYPE_UNSIGNED, 2, false}},   {"le32", {GS_TYPE_UNSIGNED, 4, false}},
    {"le64", {GS_TYPE_UNSIGNED, 8, false}},
};

/* Does the text begin with the word, in small or capital letters? */
static bool begins(const char *text, const char *word)
{
    return strncasecmp(text, word, strlen(word)) == 0;
}

/* Read a number up to GS_RECORD_BYTES_MAX, decimal or with 0x; the rest of the text, or NULL if
 * there is none or it is greater. */
static const char *read_number(const char *text, uint32_t *value)
{
    const bool hex = begins(text, "0x") && isxdigit((unsigned char)text[2]);
    const char *const begin = hex ? text + 2 : text;
    const char *end = begin;
    for (*value = 0; hex ? isxdigit((unsigned char)*end) : *end >= '0' && *end <= '9'; end++) {
        const uint32_t digit = (uint32_t)(*end <= '9' ? *end - '0' : (*end | 0x20) - 'a' + 10);
        *value = *value * (hex ? 16 : 10) + digit;
        if (*value > GS_RECORD_BYTES_MAX)
            return NULL;
    }
    return end > begin ? end : NULL;
}

/* Read what may be behind a name: _t as in C, and the order of bytes. */
static const char *read_tail(const char *text, bool in_c, struct gs_key_type *type)
{
    if (in_c && begins(text, "_t"))
        text += 2;
    if (!begins(text, "be") && !begins(text, "le"))
        return text;
    type->big_endian = begins(text, "be");
    return text + 2;
}

/* Read a name of `types`, or as C and numpy write integers, uint32_t; the rest, or NULL. */
static const char *read_name(const char *text, struct gs_key_type *type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *name = types[i].name;
        const char *at = text;
        const bool integer = *name == 'u' || *name == 'i';
        const bool in_c = begins(text, *name == 'u' ? "uint" : "int");
        at += integer && in_c ? (*name == 'u' ? 4 : 3) : 1;
        if ((*text | 0x20) != *name || !begins(at, name + 1))
            continue;
        at += strlen(name + 1);
        if (*at >= '0' && *at <= '9')
            continue;
        *type = types[i].type;
        return read_tail(at, integer && in_c, type);
    }
    return NULL;
}

/* Read a name of `others`; the rest, or NULL. */
static const char *read_other(const char *text, struct gs_key_type *type)
{
    size_t longest = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t length = strlen(others[i].name);
        if (length <= longest || !begins(text, others[i].name))
            continue;
        longest = length;
        *type = others[i].type;
    }
    const bool ordered = begins(text, "be") || begins(text, "le");
    return longest == 0 ? NULL : ordered ? text + longest : read_tail(text + longest, false, type);
}

/* Read a type as numpy writes it, with the size in bytes: <u4, >f8. */
static const char *read_numpy(const char *text, struct gs_key_type *type)
{
    uint32_t bytes = 0;
    const char kind = (char)(text[1] | 0x20);
    const char *end =
        kind == 'u' || kind == 'i' || kind == 'f' ? read_number(text + 2, &bytes) : NULL;
    const bool known = bytes == 2 || bytes == 4 || bytes == 8 || (kind != 'f' && bytes == 1);
    *type = (struct gs_key_type){kind == 'u'   ? GS_TYPE_UNSIGNED
                                 : kind == 'i' ? GS_TYPE_SIGNED
                                               : GS_TYPE_FLOAT,
                                 bytes, *text == '>'};
    return known ? end : NULL;
}

/* Read a type at the start of the text; returns the rest, or NULL if there is none. */
static const char *read_type(const char *text, struct gs_key_type *type)
{
    if (*text == '<' || *text == '>')
        return read_numpy(text, type);
    const char *end = read_other(text, type);
    if (end == NULL)
        end = read_name(text, type);
    if (end != NULL)
        return end;
    *type = (struct gs_key_type){GS_TYPE_BYTES, 0, true};
    end = (*text | 0x20) == 'b' ? read_number(text + 1, &type->bytes) : NULL;
    return type->bytes > 0 ? end : NULL;
}

static enum gs_status refuse_type(const char *option, const char *text, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_USAGE, 0,
                   "invalid type in %s argument '%s': it is one of u8 u16 u32 u64 u128 i8 i16 i32 "
                   "i64 i128 f16 bf16 f32 f64, big-endian with 'be' behind, or bN for N bytes, "
                   "1 to %d; of records -t u64,u32r names all fields",
                   option, text, GS_RECORD_BYTES_MAX);
}

enum gs_status gs_key_type_parse(const char *option, const char *text, struct gs_key_type *type,
                                 struct gs_error *err)
{
    const char *end = read_type(text, type);
    if (end != NULL && strcasecmp(end, "r") == 0)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "invalid %s argument '%s': 'r' belongs to a key; -r reverses the order",
                       option, text);
    return end != NULL && *end == '\0' ? GS_OK : refuse_type(option, text, err);
}

enum gs_status gs_key_field_parse(const char *option, const char *text, struct gs_key_field *key,
                                  struct gs_error *err)
{
    const char *colon = read_number(text, &key->offset);
    if (colon == NULL || *colon != ':')
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "invalid %s argument '%s': a %s is OFFSET:TYPE, OFFSET in bytes from 0, "
                       "as in 8:f64%s",
                       option, text, option[1] == 'k' ? "key" : "field",
                       option[1] == 'k' ? " or, descending, 8:f64r" : "");
    const char *end = read_type(colon + 1, &key->type);
    key->descending = end != NULL && (*end | 0x20) == 'r';
    if (end == NULL || end[key->descending] != '\0')
        return refuse_type(option, text, err);
    return GS_OK;
}

static enum gs_status parse_record(const char *text, uint32_t *bytes, struct gs_error *err)
{
    const char *end = read_number(text, bytes);
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
        end = read_type(at, &key->type);
        key->descending = end != NULL && (*end | 0x20) == 'r';
        end += key->descending ? 1 : 0;
        if (end == NULL || (*end != ',' && *end != '\0'))
            return refuse_type("-t", text, err);
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

enum gs_status gs_format_parse(struct gs_format *format, const struct gs_format_options *options,
                               struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_key_type type = {GS_TYPE_UNSIGNED, 4, false};
    if (options->type != NULL && options->key_count > 0)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "-t names all fields of a record, as in -t u64,u32r, and each is a key; -k "
                       "OFFSET:TYPE goes with -R SIZE");
    if (options->type != NULL)
        return parse_type(format, options, err);
    if (options->key_count > 0 && options->record == NULL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "-k needs -R SIZE, the size of a record in bytes, as in -R 16 -k 8:f64; of "
                       "a .npy file, "
                       "it names a field");
    if (options->record != NULL) {
        type = (struct gs_key_type){GS_TYPE_BYTES, 0, true};
        GS_TRY(parse_record(options->record, &type.bytes, err));
    }
    *format = gs_format_of(type);
    for (uint32_t i = 0; i < options->key_count; i++)
        GS_TRY(gs_key_field_parse("-k", options->keys[i], &format->keys[i], err));
    if (options->key_count > 0)
        format->key_count = options->key_count;
    st = gs_format_finish(format, err);
cleanup:
    return st;
}

void gs_key_type_name(const struct gs_key_type *type, char text[GS_KEY_TYPE_TEXT])
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type.kind == type->kind && types[i].type.bytes == type->bytes) {
            snprintf(text, GS_KEY_TYPE_TEXT, "%.4s%s", types[i].name, type->big_endian ? "be" : "");
            return;
        }
    }
    snprintf(text, GS_KEY_TYPE_TEXT, "b%u", (unsigned)type->bytes);
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
        gs_key_field_name(&format->keys[i], key);
        if ((size_t)used + strlen(key) + sizeof "  ..." > GS_FORMAT_TEXT) {
            snprintf(text + used, GS_FORMAT_TEXT - (size_t)used, " ...");
            return;
        }
        used += snprintf(text + used, GS_FORMAT_TEXT - (size_t)used, " %s", key);
    }
}

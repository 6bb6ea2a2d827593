/* key_type.c -- the types of keys: how they are written, and read.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/key_type.h"

#include "common/formats/date.h"
#include "common/formats/type_hint.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    char name[5];
    struct gs_key_type type;
} types[] = {
    {"u8", {.kind = GS_TYPE_UNSIGNED, .bytes = 1}},
    {"u16", {.kind = GS_TYPE_UNSIGNED, .bytes = 2}},
    {"u32", {.kind = GS_TYPE_UNSIGNED, .bytes = 4}},
    {"u64", {.kind = GS_TYPE_UNSIGNED, .bytes = 8}},
    {"u128", {.kind = GS_TYPE_UNSIGNED, .bytes = 16}},
    {"i8", {.kind = GS_TYPE_SIGNED, .bytes = 1}},
    {"i16", {.kind = GS_TYPE_SIGNED, .bytes = 2}},
    {"i32", {.kind = GS_TYPE_SIGNED, .bytes = 4}},
    {"i64", {.kind = GS_TYPE_SIGNED, .bytes = 8}},
    {"i128", {.kind = GS_TYPE_SIGNED, .bytes = 16}},
    {"f16", {.kind = GS_TYPE_FLOAT, .bytes = 2}},
    {"bf16", {.kind = GS_TYPE_BFLOAT, .bytes = 2}},
    {"f32", {.kind = GS_TYPE_FLOAT, .bytes = 4}},
    {"f64", {.kind = GS_TYPE_FLOAT, .bytes = 8}},
};

/* What else they are called; of the same length as in `types`, and the longest that fits counts. */
static const struct {
    char name[9];
    struct gs_key_type type;
} others[] = {
    {"double", {.kind = GS_TYPE_FLOAT, .bytes = 8}},
    {"half", {.kind = GS_TYPE_FLOAT, .bytes = 2}},
    {"float16", {.kind = GS_TYPE_FLOAT, .bytes = 2}},
    {"float32", {.kind = GS_TYPE_FLOAT, .bytes = 4}},
    {"float64", {.kind = GS_TYPE_FLOAT, .bytes = 8}},
    {"bfloat16", {.kind = GS_TYPE_BFLOAT, .bytes = 2}},
    {"be16", {.kind = GS_TYPE_UNSIGNED, .bytes = 2, .big_endian = true}},
    {"be32", {.kind = GS_TYPE_UNSIGNED, .bytes = 4, .big_endian = true}},
    {"be64", {.kind = GS_TYPE_UNSIGNED, .bytes = 8, .big_endian = true}},
    {"le16", {.kind = GS_TYPE_UNSIGNED, .bytes = 2}},
    {"le32", {.kind = GS_TYPE_UNSIGNED, .bytes = 4}},
    {"le64", {.kind = GS_TYPE_UNSIGNED, .bytes = 8}},
};

/* Does the text begin with the word, in small or capital letters? */
static bool begins(const char *text, const char *word)
{
    return strncasecmp(text, word, strlen(word)) == 0;
}

const char *gs_key_number_read(const char *text, uint32_t *value)
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
        kind == 'u' || kind == 'i' || kind == 'f' ? gs_key_number_read(text + 2, &bytes) : NULL;
    const bool known = bytes == 2 || bytes == 4 || bytes == 8 || (kind != 'f' && bytes == 1);
    *type = (struct gs_key_type){.kind = kind == 'u'   ? GS_TYPE_UNSIGNED
                                         : kind == 'i' ? GS_TYPE_SIGNED
                                                       : GS_TYPE_FLOAT,
                                 .bytes = bytes,
                                 .big_endian = *text == '>'};
    return known ? end : NULL;
}

/* Read a date or a duration, as numpy writes them: M8[ns], >m8[s], datetime64[D]; in these, small
 * and capital letters are not the same. */
static const char *read_date(const char *text, struct gs_key_type *type)
{
    static const char *const words[] = {"M8", "datetime64", "m8", "timedelta64"};
    const bool ordered = *text == '<' || *text == '>';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(text + ordered, words[i], length) != 0)
            continue;
        *type = (struct gs_key_type){.kind = i < 2 ? GS_TYPE_DATE : GS_TYPE_DURATION,
                                     .bytes = sizeof(int64_t),
                                     .big_endian = *text == '>'};
        const char *end = gs_date_unit_read(text + ordered + length, type);
        return end != NULL && !ordered ? read_tail(end, false, type) : end;
    }
    return NULL;
}

const char *gs_key_type_read(const char *text, struct gs_key_type *type)
{
    const char *dated = read_date(text, type);
    if (dated != NULL)
        return dated;
    if (*text == '<' || *text == '>')
        return read_numpy(text, type);
    const char *end = read_other(text, type);
    if (end == NULL)
        end = read_name(text, type);
    if (end != NULL)
        return end;
    *type = (struct gs_key_type){.kind = GS_TYPE_BYTES, .big_endian = true};
    end = (*text | 0x20) == 'b' ? gs_key_number_read(text + 1, &type->bytes) : NULL;
    return type->bytes > 0 ? end : NULL;
}

enum gs_status gs_key_type_refuse(const char *option, const char *text, const char *wrong,
                                  struct gs_error *err)
{
    char meant[GS_TYPE_HINT_TEXT];
    const bool known = gs_type_hint(wrong, meant);
    return gs_fail(
        err, GS_ERR_USAGE, 0,
        "invalid type in %s argument '%s'%s%s%s: it is one of u8 u16 u32 u64 u128 i8 "
        "i16 i32 i64 i128 f16 bf16 f32 f64, big-endian with 'be' behind, numpy's M8[ns] "
        "and m8[ns], or bN for N bytes, 1 to %d; of records -t u64,u32r names all fields",
        option, text, known ? " (did you mean " : "", known ? meant : "", known ? "?)" : "",
        GS_RECORD_BYTES_MAX);
}

enum gs_status gs_key_type_parse(const char *option, const char *text, struct gs_key_type *type,
                                 struct gs_error *err)
{
    const char *end = gs_key_type_read(text, type);
    if (end != NULL && strcasecmp(end, "r") == 0)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "invalid %s argument '%s': 'r' belongs to a key; -r reverses the order",
                       option, text);
    return end != NULL && *end == '\0' ? GS_OK : gs_key_type_refuse(option, text, text, err);
}

void gs_key_type_name(const struct gs_key_type *type, char text[GS_KEY_TYPE_TEXT])
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type.kind == type->kind && types[i].type.bytes == type->bytes) {
            snprintf(text, GS_KEY_TYPE_TEXT, "%.4s%s", types[i].name, type->big_endian ? "be" : "");
            return;
        }
    }
    if (gs_key_is_date(type)) {
        char unit[GS_DATE_UNIT_TEXT];
        gs_date_unit_name(type, unit);
        snprintf(text, GS_KEY_TYPE_TEXT, "%c8%s%s", type->kind == GS_TYPE_DATE ? 'M' : 'm', unit,
                 type->big_endian ? "be" : "");
        return;
    }
    snprintf(text, GS_KEY_TYPE_TEXT, "b%u", (unsigned)type->bytes);
}

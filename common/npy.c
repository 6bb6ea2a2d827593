/* npy.c -- parse and change the header of a .npy file.
 * SPDX-License-Identifier: MIT
 *
 * A header is the literal of a Python dictionary with three entries in any order:
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3,), }
 * filled with spaces and ended by a newline.
 */
#include "common/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAGIC_BYTES = 6, DEPTH_MAX = 8 };

static const char magic[] = "\x93NUMPY";

struct parser {
    const char *text; /* the whole header */
    uint32_t at;
    uint32_t end;
    const char *name;
    struct gs_npy *npy;
    struct gs_error *err;
};

static enum gs_status refuse(const struct parser *p, const char *why)
{
    return gs_fail(p->err, GS_ERR_INPUT, 0, "%s: a .npy file that cannot be sorted: %s", p->name,
                   why);
}

static enum gs_status damaged(const struct parser *p)
{
    return gs_fail(p->err, GS_ERR_INPUT, 0, "%s: damaged .npy header at byte %u", p->name,
                   (unsigned)p->at);
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && p->text[p->at] == ' ')
        p->at++;
}

/* Skip blanks, and take this character if it is next. */
static bool take(struct parser *p, char c)
{
    skip_blanks(p);
    if (p->at == p->end || p->text[p->at] != c)
        return false;
    p->at++;
    return true;
}

static bool take_word(struct parser *p, const char *word)
{
    const size_t length = strlen(word);
    skip_blanks(p);
    if (p->end - p->at < length || memcmp(p->text + p->at, word, length) != 0)
        return false;
    p->at += (uint32_t)length;
    return true;
}

/* A string in either kind of quotes: where it is. An escaped character is two. */
static bool take_string(struct parser *p, uint32_t *begin, uint32_t *length)
{
    const char quote = take(p, '\'') ? '\'' : '"';
    if (quote == '"' && !take(p, '"'))
        return false;
    *begin = p->at;
    for (; p->at < p->end && p->text[p->at] != quote; p->at++)
        if (p->text[p->at] == '\\' && p->at + 1 < p->end)
            p->at++;
    *length = p->at - *begin;
    return p->at < p->end && p->text[p->at++] == quote;
}

/* Digits, and an L behind them, as Python 2 wrote. False if there are none, or too many. */
static bool take_number(struct parser *p, uint64_t *value)
{
    skip_blanks(p);
    const uint32_t begin = p->at;
    for (*value = 0; p->at < p->end && p->text[p->at] >= '0' && p->text[p->at] <= '9'; p->at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(p->text[p->at] - '0'), value))
            return false;
    const bool digits = p->at > begin;
    if (p->at < p->end && p->text[p->at] == 'L')
        p->at++;
    return digits;
}

/* The type in a string like "<f8", of a field. */
static enum gs_status read_plain(struct parser *p, uint32_t begin, uint32_t length,
                                 struct gs_npy_field *field)
{
    struct parser type = {p->text, begin, begin + length, p->name, p->npy, p->err};
    uint64_t size = 0;
    const char order = length > 0 ? p->text[begin] : '\0';
    type.at += order == '<' || order == '>' || order == '|' || order == '=';
    const char kind = type.at < type.end ? p->text[type.at++] : '\0';
    if (kind == 'O')
        return refuse(p, "it holds Python objects");
    const bool sized = take_number(&type, &size);
    if (kind == '?' && type.at == type.end)
        size = 1;
    else if (kind == '\0' || !sized || size > GS_RECORD_BYTES_MAX || p->text[type.at - 1] == 'L')
        return refuse(p, "its type is unknown");
    const bool dated = (kind == 'M' || kind == 'm') && type.at < type.end;
    if ((type.at != type.end && !dated) || strchr("?buifcmMSUV", kind) == NULL)
        return refuse(p, "its type is unknown");
    const bool power = size == 1 || size == 2 || size == 4 || size == 8;
    const uint32_t bytes = (uint32_t)(kind == 'U' ? 4 * size : size);
    *field = (struct gs_npy_field){.bytes = bytes, .type = {GS_TYPE_UNSIGNED, bytes, order == '>'}};
    if (kind == 'i')
        field->type.kind = GS_TYPE_SIGNED;
    if (kind == 'f')
        field->type.kind = GS_TYPE_FLOAT;
    if (kind == 'S' || kind == 'V')
        field->type = (struct gs_key_type){GS_TYPE_BYTES, bytes, true};
    else if (strchr("cmMU", kind) != NULL)
        field->no_key = kind == 'U'   ? "text of type U has no order of bytes"
                        : kind == 'c' ? "complex numbers have no order"
                                      : "dates are not supported as keys";
    else if (!power || (kind == 'f' && size == 1))
        field->no_key = "numbers of this size are not supported as keys";
    if (bytes == 0 || bytes > GS_RECORD_BYTES_MAX)
        return refuse(p, "a value has no bytes, or too many");
    return GS_OK;
}

/* The numbers in a tuple: their product, and how many they are. */
static bool take_tuple(struct parser *p, uint64_t *product, uint32_t *count)
{
    uint64_t value;
    *product = 1;
    *count = 0;
    if (!take(p, '('))
        return false;
    while (!take(p, ')')) {
        const bool first = *count == 0;
        skip_blanks(p);
        const uint32_t digits = p->at;
        if (!take_number(p, &value) || __builtin_mul_overflow(*product, value, product))
            return false;
        if (first) {
            p->npy->digits = digits;
            p->npy->digit_count = p->at - digits - (p->text[p->at - 1] == 'L');
        }
        ++*count;
        if (!take(p, ',') && (first || p->at == p->end || p->text[p->at] != ')'))
            return false;
    }
    return true;
}

static enum gs_status read_descr(struct parser *p, struct gs_npy_field *whole, int depth);

/* A field's tuple: its name, or a title and a name; its type; its own shape, if it is an array. */
static enum gs_status read_field(struct parser *p, struct gs_npy_field *field, int depth)
{
    uint32_t name = 0;
    uint32_t name_bytes = 0;
    uint64_t times = 1;
    uint32_t dimensions;
    if (!take(p, '('))
        return damaged(p);
    const bool titled = take(p, '(');
    if (!take_string(p, &name, &name_bytes))
        return damaged(p);
    if (titled && (!take(p, ',') || !take_string(p, &name, &name_bytes) || !take(p, ')')))
        return damaged(p);
    if (!take(p, ','))
        return damaged(p);
    enum gs_status st = read_descr(p, field, depth);
    if (st != GS_OK)
        return st;
    const bool more = take(p, ',');
    bool closed = take(p, ')');
    if (more && !closed) {
        if (!take_tuple(p, &times, &dimensions) || times == 0 ||
            times > GS_RECORD_BYTES_MAX / field->bytes)
            return refuse(p, "a field is an array of no size, or too large");
        field->bytes *= (uint32_t)times;
        field->no_key = "it is an array";
        closed = take(p, ')');
    }
    if (!closed)
        return damaged(p);
    field->name = name;
    field->name_bytes = name_bytes;
    return GS_OK;
}

/* The fields of a structure; only those of the outermost are kept. */
static enum gs_status read_structure(struct parser *p, struct gs_npy_field *whole, int depth)
{
    struct gs_npy *npy = p->npy;
    uint32_t bytes = 0;
    while (!take(p, ']')) {
        struct gs_npy_field field = {.bytes = 0};
        enum gs_status st = read_field(p, &field, depth + 1);
        if (st != GS_OK)
            return st;
        field.offset = bytes;
        bytes += field.bytes;
        if (bytes > GS_RECORD_BYTES_MAX)
            return refuse(p, "its records are larger than 65536 bytes");
        if (depth == 0 && npy->field_count == GS_NPY_FIELDS_MAX)
            return refuse(p, "it has more than 256 fields");
        if (depth == 0)
            npy->fields[npy->field_count++] = field;
        if (!take(p, ',') && (p->at == p->end || p->text[p->at] != ']'))
            return damaged(p);
    }
    *whole = (struct gs_npy_field){.bytes = bytes, .no_key = "it is a structure"};
    return bytes > 0 ? GS_OK : refuse(p, "its records have no fields");
}

static enum gs_status read_descr(struct parser *p, struct gs_npy_field *whole, int depth)
{
    uint32_t begin;
    uint32_t length;
    if (depth == DEPTH_MAX)
        return refuse(p, "its structures are nested too deeply");
    if (take(p, '['))
        return read_structure(p, whole, depth);
    if (!take_string(p, &begin, &length))
        return damaged(p);
    return read_plain(p, begin, length, whole);
}

static enum gs_status read_type(struct parser *p)
{
    struct gs_npy_field whole = {.bytes = 0};
    p->npy->structured = take(p, '[');
    p->at -= p->npy->structured;
    enum gs_status st = read_descr(p, &whole, 0);
    if (st != GS_OK)
        return st;
    p->npy->record_bytes = whole.bytes;
    if (!p->npy->structured)
        p->npy->fields[p->npy->field_count++] = whole;
    return GS_OK;
}

static enum gs_status read_shape(struct parser *p, uint32_t *dimensions)
{
    if (!take_tuple(p, &p->npy->count, dimensions))
        return damaged(p);
    if (*dimensions > 1)
        return refuse(p, "it has more than one dimension");
    return GS_OK;
}

/* The three entries, each once, in any order. */
static enum gs_status read_dictionary(struct parser *p)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };
    enum gs_status st = GS_OK;
    uint32_t dimensions = 0;
    uint32_t digits = 0;
    uint32_t digit_count = 0;
    int seen = 0;
    if (!take(p, '{'))
        return damaged(p);
    while (st == GS_OK && !take(p, '}')) {
        uint32_t at;
        uint32_t length;
        if (!take_string(p, &at, &length) || !take(p, ':'))
            return damaged(p);
        const char *key = p->text + at;
        const int entry = length == 5 && memcmp(key, "descr", 5) == 0             ? DESCR
                          : length == 13 && memcmp(key, "fortran_order", 13) == 0 ? ORDER
                          : length == 5 && memcmp(key, "shape", 5) == 0           ? SHAPE
                                                                                  : ALL;
        if ((seen & entry) != 0 || entry == ALL)
            return damaged(p);
        seen |= entry;
        if (entry == DESCR)
            st = read_type(p);
        else if (entry == SHAPE)
            st = read_shape(p, &dimensions);
        else if (!take_word(p, "True") && !take_word(p, "False"))
            return damaged(p);
        if (entry == SHAPE && dimensions == 1) {
            digits = p->npy->digits;
            digit_count = p->npy->digit_count;
        }
        if (st == GS_OK && !take(p, ',') && (p->at == p->end || p->text[p->at] != '}'))
            return damaged(p);
    }
    p->npy->digits = digits;
    p->npy->digit_count = digit_count;
    return st != GS_OK || seen == ALL ? st : damaged(p);
}

bool gs_npy_is(const void *bytes, size_t size)
{
    return size >= MAGIC_BYTES && memcmp(bytes, magic, MAGIC_BYTES) == 0;
}

enum gs_status gs_npy_header_bytes(const void *bytes, size_t size, const char *name,
                                   uint32_t *header_bytes, struct gs_error *err)
{
    const unsigned char *b = bytes;
    if (size < GS_NPY_PREFIX_BYTES || !gs_npy_is(bytes, size))
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: ends within its .npy header", name);
    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: .npy version %u.%u is unknown", name, b[6], b[7]);
    uint64_t length = (uint64_t)b[8] | (uint64_t)b[9] << 8;
    if (b[6] > 1)
        length |= (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24;
    length += b[6] > 1 ? 12 : 10;
    if (length < GS_NPY_PREFIX_BYTES || length > GS_NPY_HEADER_MAX)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: its .npy header has %" PRIu64 " bytes: not %d to %d", name, length,
                       GS_NPY_PREFIX_BYTES, GS_NPY_HEADER_MAX);
    *header_bytes = (uint32_t)length;
    return GS_OK;
}

enum gs_status gs_npy_parse(struct gs_npy *npy, const void *bytes, size_t size, const char *name,
                            struct gs_error *err)
{
    enum gs_status st = GS_OK;
    *npy = (struct gs_npy){.count = 0};
    GS_TRY(gs_npy_header_bytes(bytes, size, name, &npy->header_bytes, err));
    if (size < npy->header_bytes)
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: ends within its .npy header", name);
    const char *text = bytes;
    struct parser p = {text, text[6] > 1 ? 12 : 10, npy->header_bytes, name, npy, err};
    GS_TRY(read_dictionary(&p));
    if (!take_word(&p, "\n") || p.at != p.end)
        return damaged(&p);
cleanup:
    return st;
}

enum gs_status gs_npy_check_size(const struct gs_npy *npy, uint64_t file_bytes, const char *name,
                                 struct gs_error *err)
{
    uint64_t bytes;
    if (!__builtin_mul_overflow(npy->count, npy->record_bytes, &bytes) &&
        !__builtin_add_overflow(bytes, npy->header_bytes, &bytes) && bytes == file_bytes)
        return GS_OK;
    return gs_fail(
        err, GS_ERR_INPUT, 0,
        "%s: has %" PRIu64 " bytes, but its .npy header says %u and %" PRIu64 " records of %u",
        name, file_bytes, (unsigned)npy->header_bytes, npy->count, (unsigned)npy->record_bytes);
}

enum gs_status gs_npy_set_count(struct gs_npy *npy, void *header, uint64_t count, const char *name,
                                struct gs_error *err)
{
    char digits[24];
    char *text = header;
    const uint32_t length = (uint32_t)snprintf(digits, sizeof digits, "%" PRIu64, count);
    const uint32_t last = npy->header_bytes - 1; /* the newline */
    const uint32_t rest = npy->digits + npy->digit_count;
    uint32_t end = last; /* of the text, without the spaces that fill up */
    if (count == npy->count)
        return GS_OK;
    while (end > rest && text[end - 1] == ' ')
        end--;
    if (npy->digit_count == 0 || npy->digits + length + (end - rest) > last)
        return gs_fail(err, GS_ERR_INPUT, 0,
                       "%s: no room in its .npy header for %" PRIu64 " records", name, count);
    memmove(text + npy->digits + length, text + rest, end - rest);
    memcpy(text + npy->digits, digits, length);
    end += npy->digits + length - rest;
    memset(text + end, ' ', last - end);
    npy->count = count;
    npy->digit_count = length;
    return GS_OK;
}

/* npy_plain.c -- a plain type as numpy writes it: order of bytes, kind, size and unit.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/npy_plain.h"

#include "common/formats/date.h"

#include <stdio.h>
#include <string.h>

/* Digits at *text, which moves behind them. False if there are none, or they are too many. */
static bool take_number(const char **text, uint32_t *value)
{
    const char *begin = *text;
    uint64_t number = 0;
    for (; **text >= '0' && **text <= '9' && number <= INT32_MAX; ++*text)
        number = number * 10 + (uint64_t)(**text - '0');
    *value = (uint32_t)number;
    return *text > begin && number <= INT32_MAX;
}

/* Has numpy a type of this kind and size? */
static bool has_size(char kind, uint32_t size)
{
    switch (kind) {
    case 'b':
        return size == 1;
    case 'i':
    case 'u':
        return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
        return size == 2 || size == 4 || size == 8 || size == 16;
    case 'c':
        return size == 8 || size == 16 || size == 32;
    case 'M':
    case 'm':
        return size == 8;
    case 'O': /* of a pointer */
        return size == 4 || size == 8;
    default:
        return kind == 'S' || kind == 'U' || kind == 'V';
    }
}

struct gs_npy_plain gs_npy_plain_read(const char *text)
{
    static const struct gs_npy_plain none = {.kind = '\0'};
    struct gs_npy_plain plain = none;
    const char order = *text != '\0' && strchr("<>|=", *text) != NULL ? *text++ : '|';
    plain.big_endian = order == '>';
    plain.kind = *text != '\0' ? *text++ : '\0';
    if (*text == '\0' && (plain.kind == '?' || plain.kind == 'O')) {
        plain.size = 1;
        plain.kind = plain.kind == '?' ? 'b' : 'O';
        return plain;
    }
    const char *digits = text;
    if (!take_number(&text, &plain.size) || !has_size(plain.kind, plain.size))
        return none;
    const bool dated = (plain.kind == 'M' || plain.kind == 'm') && text == digits + 1;
    if (dated)
        text = gs_date_unit_read(text, &plain.date);
    return text != NULL && *text == '\0' ? plain : none;
}

uint64_t gs_npy_plain_bytes(const struct gs_npy_plain *plain)
{
    return plain->kind == 'U' ? 4 * (uint64_t)plain->size : plain->size;
}

struct gs_key_type gs_npy_plain_key(const struct gs_npy_plain *plain)
{
    struct gs_key_type type = plain->date; /* its unit, if it has one */
    type.kind = plain->kind == 'i'   ? GS_TYPE_SIGNED
                : plain->kind == 'M' ? GS_TYPE_DATE
                : plain->kind == 'm' ? GS_TYPE_DURATION
                                     : GS_TYPE_UNSIGNED;
    type.bytes = plain->size;
    type.big_endian = plain->big_endian;
    if (plain->kind == 'f' || plain->kind == 'c')
        type.kind = GS_TYPE_FLOAT;
    if (plain->kind == 'c')
        type.bytes /= 2;
    if (plain->kind == 'S' || plain->kind == 'V' || plain->kind == 'U' || type.bytes > 8)
        type = (struct gs_key_type){.kind = GS_TYPE_BYTES,
                                    .bytes = (uint32_t)gs_npy_plain_bytes(plain),
                                    .big_endian = true};
    return type;
}

const char *gs_npy_plain_no_key(const struct gs_npy_plain *plain)
{
    if (plain->size == 0)
        return "it has no bytes";
    if (plain->kind == 'U')
        return "text of type U has no order of bytes";
    if (plain->kind == 'c')
        return "complex numbers have no order";
    return plain->kind == 'f' && plain->size == 16
               ? "numbers of this size are not supported as keys"
               : NULL;
}

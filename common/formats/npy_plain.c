/* npy_plain.c -- a plain type as numpy writes it: order of bytes, kind, size and unit.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/npy_plain.h"

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

static bool take_unit(const char *text, char unit[32])
{
    static const char *const units[] = {"Y",  "M",  "W",  "D",  "h",  "m",  "s",
                                        "ms", "us", "ns", "ps", "fs", "as", "generic"};
    uint32_t factor = 1;
    if (*text == '\0')
        return true;
    if (*text++ != '[' || (*text >= '0' && *text <= '9' && !take_number(&text, &factor)))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t length = strlen(units[i]);
        if (strncmp(text, units[i], length) != 0 || strcmp(text + length, "]") != 0)
            continue;
        if (strcmp(units[i], "generic") == 0)
            return true;
        if (factor != 1)
            snprintf(unit, 32, "[%u%s]", (unsigned)factor, units[i]);
        else
            snprintf(unit, 32, "[%s]", units[i]);
        return true;
    }
    return false;
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
    return (dated ? take_unit(text, plain.unit) : *text == '\0') ? plain : none;
}

uint64_t gs_npy_plain_bytes(const struct gs_npy_plain *plain)
{
    return plain->kind == 'U' ? 4 * (uint64_t)plain->size : plain->size;
}

struct gs_key_type gs_npy_plain_key(const struct gs_npy_plain *plain)
{
    struct gs_key_type type = {GS_TYPE_UNSIGNED, plain->size, plain->big_endian};
    const bool dated = plain->kind == 'M' || plain->kind == 'm';
    if (plain->kind == 'i' || dated)
        type.kind = GS_TYPE_SIGNED;
    if (plain->kind == 'f' || plain->kind == 'c')
        type.kind = GS_TYPE_FLOAT;
    if (plain->kind == 'c')
        type.bytes /= 2;
    if (plain->kind == 'S' || plain->kind == 'V' || plain->kind == 'U' || type.bytes > 8)
        type = (struct gs_key_type){GS_TYPE_BYTES, (uint32_t)gs_npy_plain_bytes(plain), true};
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
    if (plain->kind == 'M' || plain->kind == 'm')
        return "dates are not supported as keys; numpy's x.view('i8') has numbers";
    return plain->kind == 'f' && plain->size == 16
               ? "numbers of this size are not supported as keys"
               : NULL;
}

/* key_text.c -- a key's value as text, in the key's own notation.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/date.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_SHOWN = 32 };

__extension__ typedef unsigned __int128 wide;

void gs_bytes_print(const void *bytes, size_t count, char *text)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *byte = bytes;
    *text++ = '0';
    *text++ = 'x';
    for (const unsigned char *end = byte + count; byte < end; byte++) {
        *text++ = digits[*byte >> 4];
        *text++ = digits[*byte & 15];
    }
    *text = '\0';
}

static void print_integer(wide value, bool negative, char text[GS_KEY_TEXT])
{
    char digits[GS_KEY_TEXT];
    char *const end = digits + sizeof digits;
    char *at = end;
    *--at = '\0';
    for (; value >> 64 != 0; value /= 10)
        *--at = (char)('0' + (int)(value % 10));
    uint64_t low = (uint64_t)value; /* much faster to divide */
    do {
        *--at = (char)('0' + (int)(low % 10));
        low /= 10;
    } while (low > 0);
    if (negative)
        *--at = '-';
    memcpy(text, at, (size_t)(end - at));
}

static void print_bytes(const unsigned char *bytes, uint32_t count, char text[GS_KEY_TEXT])
{
    gs_bytes_print(bytes, count < BYTES_SHOWN ? count : BYTES_SHOWN, text);
    if (count > BYTES_SHOWN)
        memcpy(text + 2 + 2 * BYTES_SHOWN, "...", sizeof "...");
}

/* What a float is made of. */
struct shape {
    int width;
    int fraction_bits;
    int bias; /* of its exponent */
};

static struct shape shape_of(const struct gs_key_type *type)
{
    if (type->kind == GS_TYPE_BFLOAT)
        return (struct shape){16, 7, 127};
    return type->bytes == 2   ? (struct shape){16, 10, 15}
           : type->bytes == 4 ? (struct shape){32, 23, 127}
                              : (struct shape){64, 52, 1023};
}

/* The value of a magnitude in bits; that of infinity is as if the exponents went on. Of an f64 that
 * would exceed it. */
static double value_of(const struct shape *shape, uint64_t magnitude)
{
    const int exponent = (int)(magnitude >> shape->fraction_bits);
    const uint64_t one = UINT64_C(1) << shape->fraction_bits;
    const uint64_t fraction = magnitude & (one - 1);
    return ldexp((double)(exponent > 0 ? one | fraction : fraction),
                 (exponent > 0 ? exponent : 1) - shape->bias - shape->fraction_bits);
}

/* Write a finite magnitude with the fewest digits that are read back as it: they lie nearer to it
 * than to the numbers beside it. A normal number that needs no more digits than all numbers of its
 * type can keep is written with those, and zeros at the end are left out. */
static void print_magnitude(const struct shape *shape, uint64_t magnitude, char *text, size_t room)
{
    const double value = value_of(shape, magnitude);
    const bool is_double = shape->fraction_bits == 52;
    double low = value;
    double high = value;
    if (!is_double && magnitude > 0) { /* halfway to these, which a double holds */
        low = (value + value_of(shape, magnitude - 1)) / 2;
        high = (value + value_of(shape, magnitude + 1)) / 2;
    }
    const bool is_normal = magnitude >> shape->fraction_bits != 0;
    for (int digits = is_normal ? shape->fraction_bits * 3 / 10 : 1; digits <= 17; digits++) {
        snprintf(text, room, "%.*g", digits, value);
        const double read = strtod(text, NULL);
        if (read == value || (low < read && read < high))
            return;
    }
}

static void print_float(const struct gs_key_type *type, uint64_t bits, char text[GS_KEY_TEXT])
{
    const struct shape shape = shape_of(type);
    const uint64_t sign = UINT64_C(1) << (shape.width - 1);
    const uint64_t infinity = sign - (UINT64_C(1) << shape.fraction_bits);
    const uint64_t magnitude = bits & (sign - 1);
    const uint64_t fraction = magnitude - infinity;
    const uint64_t usual = UINT64_C(1) << (shape.fraction_bits - 1); /* as strtod(3) reads "nan" */
    if (magnitude != bits)
        *text++ = '-';
    if (magnitude < infinity)
        print_magnitude(&shape, magnitude, text, GS_KEY_TEXT - 1);
    else if (magnitude == infinity)
        memcpy(text, "inf", sizeof "inf");
    else if (fraction == usual)
        memcpy(text, "nan", sizeof "nan");
    else
        snprintf(text, GS_KEY_TEXT - 1, "nan(0x%" PRIx64 ")", fraction);
}

void gs_key_print(const struct gs_key_field *key, const void *record, char text[GS_KEY_TEXT])
{
    const unsigned char *bytes = (const unsigned char *)record + key->offset;
    const uint32_t count = key->type.bytes;
    if (key->type.kind == GS_TYPE_BYTES || count == 0) {
        print_bytes(bytes, count, text);
        return;
    }
    wide value = 0;
    for (uint32_t i = 0; i < count; i++)
        value = value << 8 | bytes[key->type.big_endian ? i : count - 1 - i];
    const bool negative = key->type.kind == GS_TYPE_SIGNED && value >> (count * 8 - 1) != 0;
    if (negative) /* its bits above `count` bytes are set, too */
        value = -(value | (count < 16 ? ~(wide)0 << (count * 8) : 0));
    if (gs_key_is_date(&key->type))
        gs_date_print(&key->type, (int64_t)(uint64_t)value, text);
    else if (key->type.kind == GS_TYPE_FLOAT || key->type.kind == GS_TYPE_BFLOAT)
        print_float(&key->type, (uint64_t)value, text);
    else
        print_integer(value, negative, text);
}

void gs_whole_key_print(const struct gs_key_field *key, const void *record, char text[GS_KEY_TEXT])
{
    char one[GS_KEY_TEXT];
    size_t used = 0;
    gs_key_print(key, record, text);
    for (uint32_t i = 0; i < key->woven && used < GS_KEY_TEXT; i++) {
        gs_key_print(&key[i], record, one);
        used += (size_t)snprintf(text + used, GS_KEY_TEXT - used, "%s%s%s", i == 0 ? "(" : ",", one,
                                 i + 1 == key->woven ? ")" : "");
    }
}

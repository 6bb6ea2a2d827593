/* key_text.c -- a key's value as text, in the key's own notation.
 * SPDX-License-Identifier: MIT
 */
#include "common/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_SHOWN = 32 };

__extension__ typedef unsigned __int128 wide;

static void print_integer(wide value, bool negative, char text[GS_KEY_TEXT])
{
    char digits[GS_KEY_TEXT];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value > 0);
    snprintf(text, GS_KEY_TEXT, "%s%s", negative ? "-" : "", at);
}

static void print_bytes(const unsigned char *bytes, uint32_t count, char text[GS_KEY_TEXT])
{
    int used = snprintf(text, GS_KEY_TEXT, "0x");
    for (uint32_t i = 0; i < count && i < BYTES_SHOWN; i++)
        used += snprintf(text + used, GS_KEY_TEXT - (size_t)used, "%02x", bytes[i]);
    if (count > BYTES_SHOWN)
        snprintf(text + used, GS_KEY_TEXT - (size_t)used, "...");
}

/* An f16 as the f32 of the same value, in bits: its subnormal numbers are normal ones there. */
static uint32_t widen_half(uint32_t half)
{
    const uint32_t sign = (half & 0x8000) << 16;
    const uint32_t exponent = half >> 10 & 0x1f;
    const uint32_t fraction = half & 0x3ff;
    if (exponent > 0)
        return sign | (exponent + 112) << 23 | fraction << 13;
    if (fraction == 0)
        return sign;
    const uint32_t top = 31 - (uint32_t)__builtin_clz(fraction); /* of value 2^(top - 24) */
    return sign | (top + 103) << 23 | (fraction << (23 - top) & 0x7fffff);
}

/* A finite number with the fewest digits that are read back as it. */
static void print_finite(uint64_t bits, bool is_double, char text[GS_KEY_TEXT])
{
    double value;
    float narrow = 0;
    memcpy(&value, &bits, sizeof value);
    if (!is_double) {
        const uint32_t low = (uint32_t)bits;
        memcpy(&narrow, &low, sizeof narrow);
        value = (double)narrow;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, GS_KEY_TEXT, "%.*g", digits, value);
        if (is_double ? strtod(text, NULL) == value : strtof(text, NULL) == narrow)
            return;
    }
}

static void print_float(const struct gs_key_type *type, uint64_t bits, char text[GS_KEY_TEXT])
{
    const unsigned width = type->bytes * 8;
    const unsigned fraction_bits = type->kind == GS_TYPE_BFLOAT ? 7
                                   : width == 16                ? 10
                                   : width == 32                ? 23
                                                                : 52;
    const uint64_t infinity = (UINT64_C(1) << (width - 1)) - (UINT64_C(1) << fraction_bits);
    const char *sign = bits >> (width - 1) != 0 ? "-" : "";
    const uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    if ((bits & infinity) == infinity && fraction != 0)
        snprintf(text, GS_KEY_TEXT, "%snan(0x%" PRIx64 ")", sign, fraction);
    else if ((bits & infinity) == infinity)
        snprintf(text, GS_KEY_TEXT, "%sinf", sign);
    else if (type->kind == GS_TYPE_BFLOAT)
        print_finite(bits << 16, false, text);
    else
        print_finite(width == 16 ? widen_half((uint32_t)bits) : bits, width == 64, text);
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
    if (key->type.kind == GS_TYPE_FLOAT || key->type.kind == GS_TYPE_BFLOAT)
        print_float(&key->type, (uint64_t)value, text);
    else
        print_integer(value, negative, text);
}

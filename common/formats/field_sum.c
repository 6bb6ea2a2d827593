/* field_sum.c -- the sum of a number in several records.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/field_sum.h"

#include <math.h>

typedef gs_wide wide;
__extension__ typedef __int128 signed_wide;

/* What floating-point types are made of. */
struct real_type {
    int fraction_bits, least; /* exponent of the smallest normal number */
};

static struct real_type real_type(const struct gs_key_type *type)
{
    return type->kind == GS_TYPE_BFLOAT ? (struct real_type){7, -126}
           : type->bytes == 2           ? (struct real_type){10, -14}
           : type->bytes == 4           ? (struct real_type){23, -126}
                                        : (struct real_type){52, -1022};
}

static bool is_real(const struct gs_key_type *type)
{
    return type->kind == GS_TYPE_FLOAT || type->kind == GS_TYPE_BFLOAT;
}

/* The bits of a field, those of a negative integer with more of its sign above. */
static inline wide load(const struct gs_key_field *field, const char *record)
{
    wide bits;
    if (field->type.bytes <= 8)
        return gs_field_wide(field, record);
    memcpy(&bits, record + field->offset, sizeof bits);
    if (field->type.big_endian)
        bits = (wide)__builtin_bswap64((uint64_t)bits) << 64 |
               __builtin_bswap64((uint64_t)(bits >> 64));
    return bits;
}

static inline void store(const struct gs_key_type *type, wide bits, unsigned char *to)
{
    if (type->big_endian) {
        const wide high = bits << (128 - 8 * type->bytes);
        bits = (wide)__builtin_bswap64((uint64_t)high) << 64 |
               __builtin_bswap64((uint64_t)(high >> 64));
    }
    switch (type->bytes) { /* without a call */
    case 4:
        memcpy(to, &bits, 4);
        break;
    case 8:
        memcpy(to, &bits, 8);
        break;
    default:
        memcpy(to, &bits, type->bytes);
    }
}

static double load_real(const struct gs_key_field *field, const char *record)
{
    const struct real_type real = real_type(&field->type);
    const unsigned width = 8 * field->type.bytes;
    const uint64_t bits = (uint64_t)load(field, record);
    double value;
    float narrow;
    if (width == 64) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (width == 32) {
        const uint32_t low = (uint32_t)bits;
        memcpy(&narrow, &low, sizeof narrow);
        return (double)narrow;
    }
    const uint64_t fraction = bits & ((UINT64_C(1) << real.fraction_bits) - 1);
    const int ones = 2 * (1 - real.least) + 1; /* an exponent's that is none */
    const int exponent = (int)(bits >> real.fraction_bits) & ones;
    if (exponent == ones)
        value = fraction != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp((double)fraction, real.least - real.fraction_bits);
    else
        value = ldexp((double)(fraction | UINT64_C(1) << real.fraction_bits),
                      exponent - 1 + real.least - real.fraction_bits);
    return bits >> (width - 1) != 0 ? -value : value;
}

/* The bits of the number of that type that is next to a value. */
static uint64_t to_bits(const struct gs_key_type *type, double value)
{
    const struct real_type real = real_type(type);
    const uint64_t sign = (uint64_t)(signbit(value) != 0) << (8 * type->bytes - 1);
    const int bias = 1 - real.least;
    const uint64_t infinity = (uint64_t)(2 * bias + 1) << real.fraction_bits;
    if (isnan(value))
        return infinity | UINT64_C(1) << (real.fraction_bits - 1);
    if (isinf(value))
        return sign | infinity;
    if (value == 0)
        return sign;
    int exponent = ilogb(value);
    exponent = exponent > real.least ? exponent : real.least;
    /* In units of the last place; a carry makes the exponent one more. */
    const uint64_t units = (uint64_t)nearbyint(ldexp(fabs(value), real.fraction_bits - exponent));
    const uint64_t bits = ((uint64_t)(exponent - real.least) << real.fraction_bits) + units;
    return sign | (bits < infinity ? bits : infinity);
}

static inline void add_integer(struct gs_field_sum *sum, bool is_signed, wide value)
{
    if (!is_signed) {
        sum->wraps += __builtin_add_overflow(sum->integer, value, &sum->integer);
        return;
    }
    signed_wide next;
    if (__builtin_add_overflow((signed_wide)sum->integer, (signed_wide)value, &next))
        sum->wraps += (signed_wide)value < 0 ? -1 : 1;
    sum->integer = (wide)next;
}

void gs_field_sum_add_others(struct gs_field_sum *sum, const struct gs_key_field *field,
                             const void *records, uint64_t count, uint64_t bytes)
{
    const char *record = records;
    for (; count > 0; count--, record += bytes) {
        if (!is_real(&field->type)) {
            add_integer(sum, field->type.kind == GS_TYPE_SIGNED, load(field, record));
            continue;
        }
        const double value = load_real(field, record);
        sum->infinite = sum->infinite || !isfinite(value);
        sum->real += value;
    }
}

bool gs_field_sum_store(const struct gs_field_sum *sum, const struct gs_key_field *field,
                        void *record)
{
    unsigned char *to = (unsigned char *)record + field->offset;
    if (is_real(&field->type)) {
        const uint64_t bits = to_bits(&field->type, sum->real);
        const uint64_t infinity = to_bits(&field->type, (double)INFINITY);
        store(&field->type, bits, to);
        return sum->infinite || (bits & infinity) != infinity;
    }
    store(&field->type, sum->integer, to);
    return sum->wraps == 0 && load(field, record) == sum->integer;
}

bool gs_field_put(const struct gs_key_type *type, uint64_t number, void *to)
{
    store(type, number, to);
    return type->bytes >= 8 || number >> (8 * type->bytes) == 0;
}

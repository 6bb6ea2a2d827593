/* typed_keys.h -- for unit tests: the order of typed keys, told from their values, not their bits.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TYPED_KEYS_H
#define GS_TYPED_KEYS_H

#include "common/formats/format.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 test_wide;
__extension__ typedef __int128 test_signed_wide;

static const char *const all_types[] = {
    "u8",    "u16",    "u32",   "u64",   "u128",   "i8",        "i16",   "i32",   "i64",
    "i128",  "f16",    "bf16",  "f32",   "f64",    "b1",        "b2",    "b3",    "b7",
    "b16",   "u16be",  "u32be", "u64be", "u128be", "i16be",     "i32be", "i64be", "i128be",
    "f16be", "bf16be", "f32be", "f64be", "M8[ns]", "m8[25s]be",
};
enum { ALL_TYPES = sizeof all_types / sizeof *all_types };

static inline struct gs_key_type type_of(const char *name)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_key_type type = {.kind = GS_TYPE_BYTES, .bytes = 1, .big_endian = true};
    if (gs_key_type_parse("-t", name, &type, &err) != GS_OK)
        fprintf(stderr, "%s\n", err.text);
    return type;
}

/* The bits of a number as it is in memory. */
static inline test_wide read_bits(const struct gs_key_type *type, const unsigned char *at)
{
    test_wide bits = 0;
    for (uint32_t i = 0; i < type->bytes; i++) {
        const uint32_t place = type->big_endian ? type->bytes - 1 - i : i;
        bits |= (test_wide)at[i] << (8 * place);
    }
    return bits;
}

static inline void write_bits(const struct gs_key_type *type, unsigned char *at, test_wide bits)
{
    for (uint32_t i = 0; i < type->bytes; i++) {
        const uint32_t place = type->big_endian ? type->bytes - 1 - i : i;
        at[i] = (unsigned char)(bits >> (8 * place));
    }
}

static inline double float_value(const struct gs_key_type *type, uint64_t bits)
{
    double wide;
    float narrow;
    if (type->bytes == 8) {
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    if (type->kind == GS_TYPE_FLOAT && type->bytes == 2) {
        const int exponent = (int)(bits >> 10 & 31);
        const double fraction = (double)(bits & 1023);
        const double sign = (bits >> 15 & 1) != 0 ? -1 : 1;
        if (exponent == 31)
            return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
        return sign *
               (exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25));
    }
    const uint32_t low = (uint32_t)(type->bytes == 2 ? bits << 16 : bits);
    memcpy(&narrow, &low, sizeof narrow);
    return (double)narrow;
}

/* -1, 0, 1 as a is before, equal to or after b. */
static inline int compare_floats(const struct gs_key_type *type, uint64_t a, uint64_t b)
{
    const double x = float_value(type, a);
    const double y = float_value(type, b);
    const uint64_t sign = UINT64_C(1) << ((type->bytes * 8 - 1) % 64);
    if (isnan(x) != isnan(y))
        return isnan(x) ? 1 : -1;
    if (!isnan(x) && x != y)
        return x < y ? -1 : 1;
    if ((a & sign) != (b & sign)) /* zeros: -0 first; NaNs: those with a sign last */
        return ((a & sign) != 0) == (bool)isnan(x) ? 1 : -1;
    if (a == b)
        return 0;
    return (a < b) == ((a & sign) == 0) ? -1 : 1;
}

static inline int compare_keys(const struct gs_key_type *type, const unsigned char *a,
                               const unsigned char *b)
{
    if (type->kind == GS_TYPE_BYTES) { /* any number of them */
        const int order = memcmp(a, b, type->bytes);
        return order < 0 ? -1 : order > 0;
    }
    const test_wide x = read_bits(type, a);
    const test_wide y = read_bits(type, b);
    const unsigned unused = (128 - 8 * type->bytes) % 128;
    switch (type->kind) {
    case GS_TYPE_FLOAT:
    case GS_TYPE_BFLOAT:
        return compare_floats(type, (uint64_t)x, (uint64_t)y);
    case GS_TYPE_DATE:
    case GS_TYPE_DURATION:
        if ((int64_t)x == INT64_MIN || (int64_t)y == INT64_MIN) /* NaT is last */
            return ((int64_t)x == INT64_MIN) - ((int64_t)y == INT64_MIN);
        return (int64_t)x < (int64_t)y ? -1 : (int64_t)x > (int64_t)y;
    case GS_TYPE_SIGNED: {
        const test_signed_wide v = (test_signed_wide)(x << unused);
        const test_signed_wide w = (test_signed_wide)(y << unused);
        return v < w ? -1 : v > w;
    }
    default:
        return x < y ? -1 : x > y;
    }
}

/* A bit of a woven key, from the highest on, as it counts in the order: integers only. */
static inline bool woven_bit(const struct gs_key_field *key, const unsigned char *record,
                             uint32_t bit)
{
    const uint32_t width = 8 * key->type.bytes;
    const bool set =
        (read_bits(&key->type, record + key->offset) >> ((width - 1 - bit) & 127) & 1) != 0;
    return (set != (key->type.kind == GS_TYPE_SIGNED && bit == 0)) != key->descending;
}

/* Bit by bit, of each number in turn. */
static inline int compare_woven(const struct gs_key_field *keys, const unsigned char *a,
                                const unsigned char *b)
{
    for (uint32_t bit = 0; bit < 8 * keys->type.bytes; bit++)
        for (uint32_t i = 0; i < keys->woven; i++)
            if (woven_bit(&keys[i], a, bit) != woven_bit(&keys[i], b, bit))
                return woven_bit(&keys[i], a, bit) ? 1 : -1;
    return 0;
}

/* By keys, then by all bytes. */
static inline int compare_records(const struct gs_format *format, const unsigned char *a,
                                  const unsigned char *b)
{
    for (uint32_t i = 0; i < format->key_count; i++) {
        const struct gs_key_field *key = &format->keys[i];
        if (key->woven > 0) {
            const int woven = compare_woven(key, a, b);
            if (woven != 0)
                return woven;
            i += key->woven - 1U;
            continue;
        }
        const int order = compare_keys(&key->type, a + key->offset, b + key->offset);
        if (order != 0)
            return key->descending ? -order : order;
    }
    const int order = memcmp(a, b, format->record_bytes);
    return order < 0 ? -1 : order > 0;
}

/* Bits at which types end and begin: powers of two, their neighbours, all NaN classes, random ones.
 * Returns how many; room for SPECIALS_MAX. */
enum { SPECIALS_MAX = 1200 };

static inline size_t special_bits(const struct gs_key_type *type, test_wide *bits)
{
    size_t count = 0;
    const unsigned width = 8 * type->bytes;
    for (unsigned b = 0; b < width && b < 128; b++) {
        const test_wide power = (test_wide)1 << b;
        const test_wide around[] = {power, power - 1, ~power, -power, power + 1};
        for (size_t i = 0; i < sizeof around / sizeof *around; i++)
            bits[count++] = around[i];
    }
    if ((type->kind != GS_TYPE_FLOAT && type->kind != GS_TYPE_BFLOAT) || width == 0)
        return count;
    const unsigned fraction = type->kind == GS_TYPE_BFLOAT ? 7
                              : width == 16                ? 10
                              : width == 32                ? 23
                                                           : 52;
    const test_wide sign = (test_wide)1 << (width - 1);
    const test_wide infinity = sign - ((test_wide)1 << fraction);
    const test_wide one = (((test_wide)1 << (width - 2 - fraction)) - 1) << fraction;
    const test_wide quiet = infinity | (test_wide)1 << (fraction - 1);
    const test_wide values[] = {0,         1,       infinity,  infinity - 1, infinity + 1,
                                quiet - 1, quiet,   quiet + 1, sign - 1,     one,
                                one + 1,   one - 1, one >> 1};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        bits[count++] = values[i];
        bits[count++] = values[i] | sign;
    }
    return count;
}

#endif

/* typed.c -- keys of any type, and records around them.
 * SPDX-License-Identifier: MIT
 *
 * The layout of a benchmark's record is that of gensort [Nyberg, sortbenchmark.org]; its random
 * numbers are our own.
 */
#include "data/typed.h"

#include "common/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Streams of random numbers, apart from those of the distributions. */
#define LOW_STREAM     UINT64_C(0x6c6f77)
#define SPECIAL_STREAM UINT64_C(0x7370656369616c)
#define FILL_STREAM    UINT64_C(0x66696c6c)
#define COLUMN_STREAM  UINT64_C(0x636f6c756d6e)
#define OUTLIER_STREAM UINT64_C(0x6f75746c696572)

enum { SPECIAL_ONE_IN = 8 };

static bool is_float(const struct gs_key_type *type)
{
    return type->kind == GS_TYPE_FLOAT || type->kind == GS_TYPE_BFLOAT;
}

static unsigned fraction_bits(const struct gs_key_type *type)
{
    if (type->kind == GS_TYPE_BFLOAT)
        return 7;
    return type->bytes == 2 ? 10 : type->bytes == 4 ? 23 : 52;
}

/* Bytes of a number, the first counting most, to a key of its type. */
static void place_number(const struct gs_key_type *type, unsigned char *to)
{
    for (uint32_t i = 0; !type->big_endian && i < type->bytes / 2; i++) {
        const unsigned char byte = to[i];
        to[i] = to[type->bytes - 1 - i];
        to[type->bytes - 1 - i] = byte;
    }
}

/* The float whose place in the order of all floats, -inf first and NaNs last, is this number. */
static void number_float(const struct gs_key_type *type, unsigned char *to)
{
    const unsigned width = type->bytes * 8;
    const uint64_t sign = UINT64_C(1) << ((width - 1) % 64);
    uint64_t place = (UINT64_C(1) << fraction_bits(type)) - 1; /* NaNs with a sign are at the end */
    uint64_t number = 0;
    for (uint32_t i = 0; i < type->bytes; i++)
        number = number << 8 | to[i];
    place += number;
    place = (place & sign) != 0 ? place ^ sign : ~place;
    for (uint32_t i = 0; i < type->bytes; i++)
        to[i] = (unsigned char)(place >> (width - 8 * (i + 1)));
}

void gs_typed_key(const struct gs_key_type *type, uint64_t seed, gs_key key, unsigned char *to)
{
    uint64_t more = 0;
    for (uint32_t i = 0; i < type->bytes; i++) {
        if (i >= GS_KEY_BYTES && (i - GS_KEY_BYTES) % 8 == 0)
            more = gs_random(seed ^ LOW_STREAM, ((uint64_t)i << GS_KEY_BITS) + key);
        to[i] = (unsigned char)(i < GS_KEY_BYTES ? key >> (24 - 8 * i)
                                                 : more >> (56 - 8 * ((i - GS_KEY_BYTES) % 8)));
    }
    if (type->kind == GS_TYPE_SIGNED)
        to[0] ^= 0x80;
    if (is_float(type))
        number_float(type, to);
    place_number(type, to);
}

void gs_typed_special(const struct gs_key_type *type, uint64_t seed, uint64_t i, unsigned char *to)
{
    const uint64_t random = gs_random(seed ^ SPECIAL_STREAM, i);
    const uint64_t which = random >> 8;
    if (random % SPECIAL_ONE_IN != 0)
        return;
    if (!is_float(type)) { /* 0, the greatest, and both sides of the middle; or 1 */
        static const unsigned char firsts[] = {0, 0xff, 0x80, 0x7f, 0};
        static const unsigned char rests[] = {0, 0xff, 0, 0xff, 0};
        memset(to, rests[which % 5], type->bytes);
        to[0] = firsts[which % 5];
        to[type->bytes - 1] |= which % 5 == 4;
        place_number(type, to);
        return;
    }
    const unsigned width = type->bytes * 8;
    const uint64_t normal = UINT64_C(1) << fraction_bits(type); /* the smallest that is normal */
    const uint64_t sign = UINT64_C(1) << (width - 1);
    const uint64_t infinity = sign - normal;
    const uint64_t values[] = {
        0,
        1,
        normal - 1,
        normal,
        infinity - 1,
        infinity,
        infinity + 1,
        infinity + normal / 2,
        sign - 1,
        infinity / 2 + 1,
    };
    const uint64_t bits = values[which % 10] | ((which >> 32 & 1) != 0 ? sign : 0);
    for (uint32_t b = 0; b < type->bytes; b++)
        to[b] = (unsigned char)(bits >> (width - 8 * (b + 1)));
    place_number(type, to);
}

void gs_typed_payload(uint64_t i, unsigned char *to, size_t bytes)
{
    for (size_t b = 0; b < bytes; b++)
        to[b] = (unsigned char)(b < sizeof i ? i >> (8 * b) : 0);
}

void gs_gray_record(uint64_t seed, uint64_t i, unsigned char to[GS_GRAY_BYTES])
{
    static const char digits[] = "0123456789ABCDEF";
    static const unsigned char marks[] = {0, 0x11, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    const uint64_t first = gs_random(seed, 2 * i);
    const uint64_t second = gs_random(seed, 2 * i + 1);
    const uint64_t filling = gs_random(seed ^ FILL_STREAM, i);
    for (int b = 0; b < 8; b++)
        to[b] = (unsigned char)(first >> (56 - 8 * b));
    to[8] = (unsigned char)(second >> 56);
    to[9] = (unsigned char)(second >> 48);
    memcpy(to + 10, marks, 2);
    memset(to + 12, '0', 16);
    for (int d = 0; d < 16; d++)
        to[28 + d] = (unsigned char)digits[i >> (60 - 4 * d) & 15];
    memcpy(to + 44, marks + 2, 4);
    for (int d = 0; d < 48; d++) /* 12 digits, four times each */
        to[48 + d] = (unsigned char)digits[filling >> (60 - d / 4 * 4) & 15];
    memcpy(to + 96, marks + 6, 4);
}

void gs_paths_record(uint64_t seed, uint64_t i, unsigned char to[GS_PATHS_BYTES])
{
    static const char *const kinds[] = {"index", "log", "measurements", "pictures"};
    char path[GS_PATHS_BYTES] = {0};
    const uint64_t random = gs_random(seed, i);
    /* Two thirds are some of 1024. */
    const uint64_t which = gs_random(~seed, random % 3 == 0 ? 1024 + i : random / 3 % 1024);
    snprintf(path, sizeof path, "https://archive.%s/data/%s/part-%02u/%012" PRIx64 ".rec",
             which >> 60 == 0 ? "example.net" : "example.com", kinds[which >> 52 & 3],
             (unsigned)(which >> 48 & 15), which & 0xffffffffffff);
    memcpy(to, path, GS_PATHS_BYTES - sizeof i);
    gs_typed_payload(i, to + GS_PATHS_BYTES - sizeof i, sizeof i);
}

/* Byte `column` of all records, but that of some columns varies. */
static unsigned char alike_byte(uint64_t seed, size_t column, uint64_t random)
{
    static const unsigned char bases[] = {0, 1, 'm', 0xff};
    static const unsigned few[] = {2, 3, 16};
    const uint64_t all = gs_random(seed ^ COLUMN_STREAM, 0);
    const uint64_t own = gs_random(seed ^ COLUMN_STREAM, column + 1);
    const unsigned base = all % 2 == 0 ? bases[all >> 8 & 3] : own >> 32 & 255;
    if (own % 20 < 5)
        return (unsigned char)random;
    return (unsigned char)(base + (own % 20 < 8 ? random % few[(own >> 8) % 3] : 0));
}

void gs_alike_record(uint64_t seed, uint64_t n, uint64_t i, unsigned char *to, size_t bytes)
{
    static const uint64_t counts[] = {0, 1, 2, 3, 10, 100};
    static const unsigned char others[] = {0, 1, 2, 'm' - 1, 'm' + 1, 0xfe, 0xff};
    const uint64_t count = counts[gs_random(seed ^ OUTLIER_STREAM, 0) % 6];
    for (size_t c = 0; c < bytes; c++)
        to[c] = alike_byte(seed, c, gs_random(seed ^ FILL_STREAM, i * bytes + c));
    for (uint64_t k = 1; k <= count; k++) {
        if (bytes == 0 || gs_random(seed ^ OUTLIER_STREAM, k) % n != i)
            continue;
        /* The third has the bytes of the first, as if it was copied. */
        const uint64_t what = gs_random(~seed ^ OUTLIER_STREAM, k == 3 ? 1 : k);
        const size_t at = what % bytes;
        const size_t most = (what >> 32 & 3) < 2 ? 1 : (what >> 32 & 3) == 2 ? 2 : bytes;
        memset(to + at, others[(what >> 40) % 7], bytes - at < most ? bytes - at : most);
    }
}

/* codec.c -- records to elements and back, two blocks of 16 bytes of elements at a time.
 * SPDX-License-Identifier: MIT
 *
 * A block takes one permutation of its bytes and one exclusive or: this sets big-endian numbers
 * right, brings keys to the top, and inverts sign bits and descending keys. A float takes its
 * number in between: all bits of a negative one are inverted, else the sign only, which is the
 * order of IEEE 754; less the count of NaNs at its lower end, which so come out at the upper end. A
 * date does the same with its sign and its NaT.
 */
#include "common/formats/codec.h"

#include <string.h>

#if GS_CODEC_VECTORS
#include <immintrin.h>
#endif

enum { BLOCK = GS_CODEC_BLOCK, PAIR = 2 * BLOCK, MIXED = GS_CODEC_MIXED };

/* ---- two blocks at a time, byte by byte ---- */

static void permute(uint8_t *block, const uint8_t *from)
{
    uint8_t old[BLOCK];
    memcpy(old, block, BLOCK);
    for (int i = 0; i < BLOCK; i++)
        block[i] = from[i] < BLOCK ? old[from[i]] : 0;
}

static void flip(const struct gs_codec *codec, uint8_t *block)
{
    for (int i = 0; i < BLOCK; i++)
        block[i] ^= codec->flips[i];
}

static uint64_t read_lane(const uint8_t *from, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    return value;
}

/* The floats of a block to numbers (forth), or back. */
static void fold_block(const struct gs_codec *codec, uint8_t *block, bool forth)
{
    for (int size = 0; size < 3; size++) {
        const struct gs_codec_floats *floats = &codec->floats[size];
        const size_t bytes = (size_t)2 << size;
        for (size_t at = 0; at < BLOCK; at += bytes) {
            const uint64_t lane = read_lane(floats->lanes + at, bytes);
            const uint64_t sign = read_lane(floats->signs + at, bytes);
            const uint64_t below = read_lane(floats->below + at, bytes);
            uint64_t value = read_lane(block + at, bytes);
            if (forth)
                value = (value ^ ((value & sign) != 0 ? lane : sign)) - below;
            else
                value = (value + below) ^ (((value + below) & sign) != 0 ? sign : lane);
            memcpy(block + at, &value, bytes);
        }
    }
}

/* Records to elements (forth), or back. */
static void convert_plain(const struct gs_codec *codec, const uint8_t *from, uint8_t *to,
                          size_t pairs, bool forth)
{
    const size_t from_step = forth ? codec->step : BLOCK;
    const size_t to_step = forth ? BLOCK : codec->step;
    for (size_t i = 0; i < 2 * pairs; i++) {
        uint8_t block[BLOCK];
        memcpy(block, from + i * from_step, BLOCK);
        if (!forth)
            flip(codec, block);
        permute(block, forth ? codec->from_records : codec->to_aligned);
        if (codec->float_bytes != 0)
            fold_block(codec, block, forth);
        permute(block, forth ? codec->from_aligned : codec->to_records);
        if (forth)
            flip(codec, block);
        memcpy(to + i * to_step, block, BLOCK);
    }
}

/* ---- the same by vectors ---- */

#if GS_CODEC_VECTORS
#define AVX2        __attribute__((target("avx2")))
#define INLINE_AVX2 static inline __attribute__((always_inline, target("avx2")))

INLINE_AVX2 __m256i read_twice(const uint8_t *from)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)from));
}

/* Two blocks, `step` bytes apart. */
INLINE_AVX2 __m256i read_pair(const uint8_t *from, size_t step)
{
    const __m128i low = _mm_loadu_si128((const __m128i *)from);
    const __m128i high = _mm_loadu_si128((const __m128i *)(from + step));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

INLINE_AVX2 void write_pair(uint8_t *to, size_t step, __m256i x)
{
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(x));
    _mm_storeu_si128((__m128i *)(to + step), _mm256_extracti128_si256(x, 1));
}

/* What a fold needs, in registers. */
struct folds {
    __m256i lanes, signs, below;
};

INLINE_AVX2 void read_folds(struct folds folds[3], const struct gs_codec *codec)
{
    for (int size = 0; size < 3; size++) {
        folds[size].lanes = read_twice(codec->floats[size].lanes);
        folds[size].signs = read_twice(codec->floats[size].signs);
        folds[size].below = read_twice(codec->floats[size].below);
    }
}

/* All bits of the lanes whose top bit is set. */
INLINE_AVX2 __m256i spread_signs(__m256i x, int bytes)
{
    return bytes == 2   ? _mm256_srai_epi16(x, 15)
           : bytes == 4 ? _mm256_srai_epi32(x, 31)
                        : _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);
}

INLINE_AVX2 __m256i fold(const struct folds *f, __m256i x, int bytes)
{
    const __m256i negative = _mm256_and_si256(spread_signs(x, bytes), f->lanes);
    x = _mm256_xor_si256(x, _mm256_or_si256(negative, f->signs));
    return bytes == 2   ? _mm256_sub_epi16(x, f->below)
           : bytes == 4 ? _mm256_sub_epi32(x, f->below)
                        : _mm256_sub_epi64(x, f->below);
}

INLINE_AVX2 __m256i unfold(const struct folds *f, __m256i x, int bytes)
{
    x = bytes == 2   ? _mm256_add_epi16(x, f->below)
        : bytes == 4 ? _mm256_add_epi32(x, f->below)
                     : _mm256_add_epi64(x, f->below);
    const __m256i negative = _mm256_andnot_si256(spread_signs(x, bytes), f->lanes);
    return _mm256_xor_si256(x, _mm256_or_si256(negative, f->signs));
}

/* Records to elements (forth), or back. float_bytes is the codec's, and both are constants for each
 * copy of this function. */
INLINE_AVX2 void convert_floats(const struct gs_codec *codec, const uint8_t *from, uint8_t *to,
                                size_t pairs, bool forth, int float_bytes)
{
    const size_t step = codec->step;
    const __m256i first = read_twice(forth ? codec->from_records : codec->to_aligned);
    const __m256i second = read_twice(forth ? codec->from_aligned : codec->to_records);
    const __m256i flips = read_twice(codec->flips);
    struct folds folds[3];
    read_folds(folds, codec);
    for (size_t i = 0; i < pairs; i++) {
        __m256i x =
            forth ? read_pair(from + i * 2 * step, step)
                  : _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(from + i * PAIR)), flips);
        if (forth || float_bytes != 0)
            x = _mm256_shuffle_epi8(x, first);
        for (int size = 0, bytes = 2; size < 3; size++, bytes *= 2)
            if (float_bytes == bytes || float_bytes == MIXED)
                x = forth ? fold(&folds[size], x, bytes) : unfold(&folds[size], x, bytes);
        if (!forth || float_bytes != 0)
            x = _mm256_shuffle_epi8(x, second);
        if (forth)
            _mm256_storeu_si256((__m256i *)(to + i * PAIR), _mm256_xor_si256(x, flips));
        else
            write_pair(to + i * 2 * step, step, x);
    }
}

INLINE_AVX2 void convert_sizes(const struct gs_codec *codec, const uint8_t *from, uint8_t *to,
                               size_t pairs, bool forth)
{
    switch (codec->float_bytes) {
    case 0:
        convert_floats(codec, from, to, pairs, forth, 0);
        break;
    case 2:
        convert_floats(codec, from, to, pairs, forth, 2);
        break;
    case 4:
        convert_floats(codec, from, to, pairs, forth, 4);
        break;
    case 8:
        convert_floats(codec, from, to, pairs, forth, 8);
        break;
    default:
        convert_floats(codec, from, to, pairs, forth, MIXED);
    }
}

AVX2 static void convert_vectors(const struct gs_codec *codec, const uint8_t *from, uint8_t *to,
                                 size_t pairs, bool forth)
{
    if (forth)
        convert_sizes(codec, from, to, pairs, true);
    else
        convert_sizes(codec, from, to, pairs, false);
}
#else
#define convert_vectors convert_plain
#endif

/* ---- any number of elements ---- */

/* How many pairs of blocks lie within so many records: both blocks of a pair are BLOCK bytes even
 * where their records are fewer. */
static size_t count_pairs(const struct gs_codec *codec, size_t count)
{
    const size_t bytes = count * codec->record_bytes;
    const size_t pair = codec->step + BLOCK;
    return bytes >= pair ? (bytes - pair) / (2 * codec->step) + 1 : 0;
}

/* Convert any number; the rest of the pairs goes through buffers. */
static void convert_all(const struct gs_codec *codec, const uint8_t *from, uint8_t *to,
                        size_t count, bool forth)
{
    const size_t from_bytes = forth ? codec->record_bytes : codec->element_bytes;
    const size_t to_bytes = forth ? codec->element_bytes : codec->record_bytes;
    const size_t lanes = PAIR / codec->element_bytes;
    const size_t pairs = count_pairs(codec, count);
    void (*convert)(const struct gs_codec *, const uint8_t *, uint8_t *, size_t, bool) =
        codec->vectors ? convert_vectors : convert_plain;
    if (codec->identity) {
        memmove(to, from, count * from_bytes);
        return;
    }
    convert(codec, from, to, pairs, forth);
    for (size_t i = pairs * lanes; i < count; i += lanes) {
        const size_t here = count - i < lanes ? count - i : lanes;
        uint8_t old[PAIR] = {0};
        uint8_t new[PAIR] = {0};
        memcpy(old, from + i * from_bytes, here * from_bytes);
        convert(codec, old, new, 1, forth);
        memcpy(to + i * to_bytes, new, here * to_bytes);
    }
}

void gs_codec_load(const struct gs_codec *codec, const void *records, void *elements, size_t count)
{
    convert_all(codec, records, elements, count, true);
    if (codec->weave_count > 0)
        gs_codec_weave(codec, elements, count);
}

/* Take woven keys apart in a buffer: elements may be read-only. */
static void store_woven(const struct gs_codec *codec, const uint8_t *elements, uint8_t *records,
                        size_t count)
{
    _Alignas(GS_CODEC_BLOCK) uint8_t parted[64 * BLOCK];
    const size_t most = sizeof parted / codec->element_bytes;
    for (size_t i = 0; i < count; i += most) {
        const size_t here = count - i < most ? count - i : most;
        memcpy(parted, elements + i * codec->element_bytes, here * codec->element_bytes);
        gs_codec_part(codec, parted, here);
        convert_all(codec, parted, records + i * codec->record_bytes, here, false);
    }
}

void gs_codec_store(const struct gs_codec *codec, const void *elements, void *records, size_t count)
{
    if (codec->weave_count > 0) {
        store_woven(codec, elements, records, count);
        return;
    }
    convert_all(codec, elements, records, count, false);
}

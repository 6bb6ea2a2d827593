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

static void load_plain(const struct gs_codec *codec, const uint8_t *records, uint8_t *elements,
                       size_t pairs)
{
    for (size_t i = 0; i < 2 * pairs; i++) {
        uint8_t block[BLOCK];
        memcpy(block, records + i * codec->step, BLOCK);
        permute(block, codec->from_records);
        if (codec->float_bytes != 0) {
            fold_block(codec, block, true);
            permute(block, codec->from_aligned);
        }
        flip(codec, block);
        memcpy(elements + i * BLOCK, block, BLOCK);
    }
}

static void store_plain(const struct gs_codec *codec, const uint8_t *elements, uint8_t *records,
                        size_t pairs)
{
    for (size_t i = 0; i < 2 * pairs; i++) {
        uint8_t block[BLOCK];
        memcpy(block, elements + i * BLOCK, BLOCK);
        flip(codec, block);
        if (codec->float_bytes != 0) {
            permute(block, codec->to_aligned);
            fold_block(codec, block, false);
        }
        permute(block, codec->to_records);
        memcpy(records + i * codec->step, block, BLOCK);
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

/* float_bytes is the codec's, as a constant for each copy of this function. */
INLINE_AVX2 void load_floats(const struct gs_codec *codec, const uint8_t *records,
                             uint8_t *elements, size_t pairs, int float_bytes)
{
    const size_t step = codec->step;
    const __m256i from_records = read_twice(codec->from_records);
    const __m256i from_aligned = read_twice(codec->from_aligned);
    const __m256i flips = read_twice(codec->flips);
    struct folds folds[3];
    read_folds(folds, codec);
    for (size_t i = 0; i < pairs; i++) {
        const uint8_t *from = records + i * 2 * step;
        const __m128i low = _mm_loadu_si128((const __m128i *)from);
        const __m128i high = _mm_loadu_si128((const __m128i *)(from + step));
        __m256i x = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
        x = _mm256_shuffle_epi8(x, from_records);
        if (float_bytes == 2 || float_bytes == MIXED)
            x = fold(&folds[0], x, 2);
        if (float_bytes == 4 || float_bytes == MIXED)
            x = fold(&folds[1], x, 4);
        if (float_bytes == 8 || float_bytes == MIXED)
            x = fold(&folds[2], x, 8);
        if (float_bytes != 0)
            x = _mm256_shuffle_epi8(x, from_aligned);
        _mm256_storeu_si256((__m256i *)(elements + i * PAIR), _mm256_xor_si256(x, flips));
    }
}

INLINE_AVX2 void store_floats(const struct gs_codec *codec, const uint8_t *elements,
                              uint8_t *records, size_t pairs, int float_bytes)
{
    const size_t step = codec->step;
    const __m256i to_records = read_twice(codec->to_records);
    const __m256i to_aligned = read_twice(codec->to_aligned);
    const __m256i flips = read_twice(codec->flips);
    struct folds folds[3];
    read_folds(folds, codec);
    for (size_t i = 0; i < pairs; i++) {
        uint8_t *to = records + i * 2 * step;
        __m256i x = _mm256_loadu_si256((const __m256i *)(elements + i * PAIR));
        x = _mm256_xor_si256(x, flips);
        if (float_bytes != 0)
            x = _mm256_shuffle_epi8(x, to_aligned);
        if (float_bytes == 2 || float_bytes == MIXED)
            x = unfold(&folds[0], x, 2);
        if (float_bytes == 4 || float_bytes == MIXED)
            x = unfold(&folds[1], x, 4);
        if (float_bytes == 8 || float_bytes == MIXED)
            x = unfold(&folds[2], x, 8);
        x = _mm256_shuffle_epi8(x, to_records);
        _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(x));
        _mm_storeu_si128((__m128i *)(to + step), _mm256_extracti128_si256(x, 1));
    }
}

#define FOR_FLOATS(function, codec, from, to, pairs)                                               \
    switch ((codec)->float_bytes) {                                                                \
    case 0:                                                                                        \
        function(codec, from, to, pairs, 0);                                                       \
        break;                                                                                     \
    case 2:                                                                                        \
        function(codec, from, to, pairs, 2);                                                       \
        break;                                                                                     \
    case 4:                                                                                        \
        function(codec, from, to, pairs, 4);                                                       \
        break;                                                                                     \
    case 8:                                                                                        \
        function(codec, from, to, pairs, 8);                                                       \
        break;                                                                                     \
    default:                                                                                       \
        function(codec, from, to, pairs, MIXED);                                                   \
    }

AVX2 static void load_vectors(const struct gs_codec *codec, const uint8_t *records,
                              uint8_t *elements, size_t pairs){
    FOR_FLOATS(load_floats, codec, records, elements, pairs)}

AVX2 static void store_vectors(const struct gs_codec *codec, const uint8_t *elements,
                               uint8_t *records, size_t pairs)
{
    FOR_FLOATS(store_floats, codec, elements, records, pairs)
}
#else
#define load_vectors  load_plain
#define store_vectors store_plain
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

typedef void convert_pairs(const struct gs_codec *codec, const uint8_t *from, uint8_t *to,
                           size_t pairs);

/* Convert `count` of from_bytes each to as many of to_bytes; the rest goes through buffers. */
static void convert_all(const struct gs_codec *codec, convert_pairs *convert, const uint8_t *from,
                        size_t from_bytes, uint8_t *to, size_t to_bytes, size_t count)
{
    const size_t lanes = PAIR / codec->element_bytes;
    const size_t pairs = count_pairs(codec, count);
    if (codec->identity) {
        memmove(to, from, count * from_bytes);
        return;
    }
    convert(codec, from, to, pairs);
    for (size_t i = pairs * lanes; i < count; i += lanes) {
        const size_t here = count - i < lanes ? count - i : lanes;
        uint8_t old[PAIR] = {0};
        uint8_t new[PAIR] = {0};
        memcpy(old, from + i * from_bytes, here * from_bytes);
        convert(codec, old, new, 1);
        memcpy(to + i * to_bytes, new, here * to_bytes);
    }
}

void gs_codec_load(const struct gs_codec *codec, const void *records, void *elements, size_t count)
{
    convert_all(codec, codec->vectors ? load_vectors : load_plain, records, codec->record_bytes,
                elements, codec->element_bytes, count);
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
        convert_all(codec, codec->vectors ? store_vectors : store_plain, parted,
                    codec->element_bytes, records + i * codec->record_bytes, codec->record_bytes,
                    here);
    }
}

void gs_codec_store(const struct gs_codec *codec, const void *elements, void *records, size_t count)
{
    if (codec->weave_count > 0) {
        store_woven(codec, elements, records, count);
        return;
    }
    convert_all(codec, codec->vectors ? store_vectors : store_plain, elements, codec->element_bytes,
                records, codec->record_bytes, count);
}

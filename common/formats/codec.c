/* codec.c -- records to elements and back, two blocks of 16 bytes of elements at a time.
 * SPDX-License-Identifier: MIT
 *
 * A block takes one permutation of its bytes and one exclusive or: this sets big-endian numbers
 * right, brings keys to the top, and inverts sign bits and descending keys. A float takes its
 * number in between: all bits of a negative one are inverted, else the sign only, which is the
 * order of IEEE 754; less the count of NaNs at its lower end, which so come out at the upper end.
 */
#include "common/formats/codec.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define GS_CODEC_VECTORS 1
#else
#define GS_CODEC_VECTORS 0
#endif

enum { BLOCK = GS_CODEC_BLOCK, PAIR = 2 * BLOCK, ZERO = 128, MIXED = 1 };

/* ---- setting up ---- */

/* The bytes of a record, the one that counts most first. */
struct byte_order {
    uint8_t bytes[BLOCK];
    uint32_t count;
};

static void add_key(struct byte_order *order, const struct gs_key_field *key)
{
    for (uint32_t i = 0; i < key->type.bytes; i++)
        order->bytes[order->count++] =
            (uint8_t)(key->offset + (key->type.big_endian ? i : key->type.bytes - 1 - i));
}

/* The bytes that are not in it yet, first to last. */
static void add_rest(struct byte_order *order, uint32_t record_bytes)
{
    bool there[BLOCK] = {false};
    for (uint32_t i = 0; i < order->count; i++)
        there[order->bytes[i]] = true;
    for (uint32_t b = 0; b < record_bytes; b++)
        if (!there[b])
            order->bytes[order->count++] = (uint8_t)b;
}

static bool is_float(const struct gs_key_field *key)
{
    return key->type.kind == GS_TYPE_FLOAT || key->type.kind == GS_TYPE_BFLOAT;
}

/* Set the `bytes` bytes of each element, which end `end` bytes below its top, to a number. */
static void set_lanes(const struct gs_codec *codec, uint8_t *block, uint32_t end, uint32_t bytes,
                      uint64_t value)
{
    for (uint32_t at = codec->element_bytes - end; at < BLOCK; at += codec->element_bytes)
        for (uint32_t i = 0; i < bytes; i++)
            block[at + i] = (uint8_t)(i < 8 ? value >> (8 * i) : value >> 63 == 0 ? 0 : 0xff);
}

/* Floats go first, the largest first: all are aligned then, as an element is. */
static void align_floats(struct gs_codec *codec, const struct gs_format *format,
                         struct byte_order *aligned)
{
    for (int size = 2; size >= 0; size--) {
        const uint32_t bytes = 2U << size;
        struct gs_codec_floats *floats = &codec->floats[size];
        for (uint32_t i = 0; i < format->key_count; i++) {
            const struct gs_key_field *key = &format->keys[i];
            if (!is_float(key) || key->type.bytes != bytes)
                continue;
            add_key(aligned, key);
            const unsigned fraction = key->type.kind == GS_TYPE_BFLOAT ? 7
                                      : bytes == 2                     ? 10
                                      : bytes == 4                     ? 23
                                                                       : 52;
            set_lanes(codec, floats->lanes, aligned->count, bytes, UINT64_MAX);
            set_lanes(codec, floats->signs, aligned->count, bytes, UINT64_C(1) << (bytes * 8 - 1));
            set_lanes(codec, floats->below, aligned->count, bytes, (UINT64_C(1) << fraction) - 1);
            codec->float_bytes =
                (uint8_t)(codec->float_bytes == 0 || codec->float_bytes == bytes ? bytes : MIXED);
        }
    }
}

/* The bits that are inverted in the element: signs of integers, and all bits of descending keys. */
static void set_flips(struct gs_codec *codec, const struct gs_format *format)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < format->key_count; i++) {
        const struct gs_key_field *key = &format->keys[i];
        end += key->type.bytes;
        if (key->descending)
            set_lanes(codec, codec->flips, end, key->type.bytes, UINT64_MAX);
        const uint32_t top = codec->element_bytes - (end - key->type.bytes) - 1;
        if (key->type.kind == GS_TYPE_SIGNED)
            for (uint32_t at = top; at < BLOCK; at += codec->element_bytes)
                codec->flips[at] ^= 0x80;
    }
    codec->payload_bits = 8 * (codec->element_bytes - end);
}

/* The permutations between records, aligned blocks and elements. */
static void set_permutations(struct gs_codec *codec, const struct byte_order *aligned,
                             const struct byte_order *order)
{
    const uint32_t element = codec->element_bytes;
    const uint32_t record = codec->record_bytes;
    uint8_t place[BLOCK] = {0}; /* of a record's byte in an aligned element */
    memset(codec->from_records, ZERO, BLOCK);
    memset(codec->to_records, ZERO, BLOCK);
    for (uint32_t i = 0; i < BLOCK; i++)
        codec->from_aligned[i] = codec->to_aligned[i] = (uint8_t)i;
    for (uint32_t lane = 0; lane < BLOCK / element; lane++) {
        for (uint32_t i = 0; i < record; i++) {
            const uint32_t at = element - 1 - i;
            place[aligned->bytes[i]] = (uint8_t)at;
            codec->from_records[lane * element + at] = (uint8_t)(lane * record + aligned->bytes[i]);
            codec->to_records[lane * record + aligned->bytes[i]] = (uint8_t)(lane * element + at);
        }
        for (uint32_t i = 0; i < record; i++) {
            const uint32_t from = lane * element + place[order->bytes[i]];
            const uint32_t to = lane * element + element - 1 - i;
            codec->from_aligned[to] = (uint8_t)from;
            codec->to_aligned[from] = (uint8_t)to;
        }
    }
}

static bool is_identity(const struct gs_codec *codec)
{
    bool same = codec->float_bytes == 0 && codec->record_bytes == codec->element_bytes;
    for (uint32_t i = 0; i < BLOCK; i++)
        same = same && codec->flips[i] == 0 && codec->from_records[i] == i;
    return same;
}

void gs_codec_init(struct gs_codec *codec, const struct gs_format *format)
{
    struct byte_order order = {.count = 0};
    struct byte_order aligned = {.count = 0};
    *codec = (struct gs_codec){
        .record_bytes = format->record_bytes,
        .element_bytes = format->element_bytes,
        .step = BLOCK / format->element_bytes * format->record_bytes,
    };
    for (uint32_t i = 0; i < format->key_count; i++)
        add_key(&order, &format->keys[i]);
    add_rest(&order, format->record_bytes);
    align_floats(codec, format, &aligned);
    if (codec->float_bytes == 0)
        aligned = order;
    add_rest(&aligned, format->record_bytes);
    set_permutations(codec, &aligned, &order);
    set_flips(codec, format);
    codec->identity = is_identity(codec);
#if GS_CODEC_VECTORS
    codec->vectors = __builtin_cpu_supports("avx2");
#endif
}

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
}

void gs_codec_store(const struct gs_codec *codec, const void *elements, void *records, size_t count)
{
    convert_all(codec, codec->vectors ? store_vectors : store_plain, elements, codec->element_bytes,
                records, codec->record_bytes, count);
}

/* codec_init.c -- set up a codec: which bytes go where, and which bits are inverted.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/codec.h"

#include <string.h>

enum { BLOCK = GS_CODEC_BLOCK, ZERO = 128 };

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

/* Does its number take its place by what fold_block does? */
static bool is_folded(const struct gs_key_field *key)
{
    return key->type.kind == GS_TYPE_FLOAT || key->type.kind == GS_TYPE_BFLOAT ||
           gs_key_is_date(&key->type);
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
            if (!is_folded(key) || key->type.bytes != bytes)
                continue;
            add_key(aligned, key);
            const bool dated = gs_key_is_date(&key->type);
            const uint64_t sign = UINT64_C(1) << (bytes * 8 - 1);
            const unsigned fraction = dated                              ? 1
                                      : key->type.kind == GS_TYPE_BFLOAT ? 7
                                      : bytes == 2                       ? 10
                                      : bytes == 4                       ? 23
                                                                         : 52;
            set_lanes(codec, floats->lanes, aligned->count, bytes, dated ? sign : UINT64_MAX);
            set_lanes(codec, floats->signs, aligned->count, bytes, sign);
            set_lanes(codec, floats->below, aligned->count, bytes, (UINT64_C(1) << fraction) - 1);
            codec->float_bytes =
                (uint8_t)(codec->float_bytes == 0 || codec->float_bytes == bytes ? bytes
                                                                                 : GS_CODEC_MIXED);
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
    bool same = codec->float_bytes == 0 && codec->weave_count == 0 &&
                codec->record_bytes == codec->element_bytes;
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
    gs_codec_weave_init(codec, format);
    codec->identity = is_identity(codec);
#if GS_CODEC_VECTORS
    codec->vectors = __builtin_cpu_supports("avx2");
#endif
}

/* codec_weave.c -- keys of zorder() within elements.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/codec.h"
#include "common/formats/zorder.h"

#include <string.h>

void gs_codec_weave_init(struct gs_codec *codec, const struct gs_format *format)
{
    uint32_t below = 8 * codec->element_bytes;
    for (uint32_t i = 0; i < format->key_count; i++) {
        const struct gs_key_field *key = &format->keys[i];
        const uint32_t bits = 8 * key->type.bytes;
        if (key->woven > 0)
            codec->weaves[codec->weave_count++] = (struct gs_codec_weave){
                .below = (uint8_t)(below - key->woven * bits), .count = key->woven, .bits = bits};
        below -= bits;
    }
}

/* Weave the numbers of one key, or take them apart. */
static gs_woven weave(const struct gs_codec_weave *how, gs_woven value)
{
    const uint64_t mask = UINT64_MAX >> (64 - how->bits) % 64;
    uint64_t numbers[GS_ZORDER_MAX];
    for (uint32_t i = 0; i < how->count; i++)
        numbers[i] = (uint64_t)(value >> (how->count - 1 - i) * how->bits) & mask;
    return gs_zorder_weave(numbers, how->count, how->bits);
}

static gs_woven part(const struct gs_codec_weave *how, gs_woven value)
{
    gs_woven parted = 0;
    uint64_t numbers[GS_ZORDER_MAX];
    gs_zorder_part(value, numbers, how->count, how->bits);
    for (uint32_t i = 0; i < how->count; i++)
        parted |= (gs_woven)numbers[i] << (how->count - 1 - i) * how->bits;
    return parted;
}

/* Change the keys of elements of 16 bytes. */
static inline void change(const struct gs_codec *codec, void *elements, size_t count,
                          gs_woven (*how)(const struct gs_codec_weave *, gs_woven))
{
    for (char *at = elements, *end = at + count * sizeof(gs_woven); at < end;
         at += sizeof(gs_woven)) {
        gs_woven element;
        memcpy(&element, at, sizeof element);
        for (uint32_t i = 0; i < codec->weave_count; i++) {
            const struct gs_codec_weave *one = &codec->weaves[i];
            const gs_woven mask = ~(gs_woven)0 >> (128 - one->count * one->bits) % 128;
            const gs_woven old = element >> one->below & mask;
            element ^= (old ^ how(one, old)) << one->below;
        }
        memcpy(at, &element, sizeof element);
    }
}

/* The same within 64 bits. With a number of parts that the compiler knows, masks are constants. */
static inline __attribute__((always_inline)) uint64_t weave_word(uint64_t word, uint32_t count,
                                                                 uint32_t bits)
{
    const uint64_t mask = bits < GS_ZORDER_STEP ? 0xff : 0xffff;
    uint64_t woven = 0;
    for (uint32_t at = 0; at < bits; at += GS_ZORDER_STEP)
        for (uint32_t i = 0; i < count; i++)
            woven |= gs_zorder_spread(word >> ((count - 1 - i) * bits + at) & mask, count)
                     << (at * count + count - 1 - i);
    return woven;
}

static inline __attribute__((always_inline)) uint64_t part_word(uint64_t word, uint32_t count,
                                                                uint32_t bits)
{
    uint64_t parted = 0;
    for (uint32_t at = 0; at < bits; at += GS_ZORDER_STEP)
        for (uint32_t i = 0; i < count; i++)
            parted |= gs_zorder_gather(word >> (at * count + count - 1 - i), count)
                      << ((count - 1 - i) * bits + at);
    return parted;
}

/* One key of each element. All but its bits are constants at every call. */
static inline __attribute__((always_inline)) void change_key(const struct gs_codec_weave *one,
                                                             char *elements, size_t count,
                                                             uint32_t bytes, uint32_t parts,
                                                             bool weaves)
{
    const uint64_t mask = UINT64_MAX >> (64 - parts * one->bits) % 64;
    for (char *at = elements, *end = at + count * bytes; at < end; at += bytes) {
        uint64_t element = 0;
        memcpy(&element, at, bytes);
        const uint64_t old = element >> one->below & mask;
        const uint64_t now =
            weaves ? weave_word(old, parts, one->bits) : part_word(old, parts, one->bits);
        element ^= (old ^ now) << one->below;
        memcpy(at, &element, bytes);
    }
}

static inline __attribute__((always_inline)) void change_words(const struct gs_codec *codec,
                                                               void *elements, size_t count,
                                                               uint32_t bytes, bool weaves)
{
    for (uint32_t i = 0; i < codec->weave_count; i++) {
        const struct gs_codec_weave *one = &codec->weaves[i];
        if (one->count == 2)
            change_key(one, elements, count, bytes, 2, weaves);
        else if (one->count == 3)
            change_key(one, elements, count, bytes, 3, weaves);
        else
            change_key(one, elements, count, bytes, 4, weaves);
    }
}

/* Weave the keys of all elements, or take them apart. */
static inline __attribute__((always_inline)) void
change_all(const struct gs_codec *codec, void *elements, size_t count, bool weaves)
{
    if (codec->element_bytes == 4)
        change_words(codec, elements, count, 4, weaves);
    else if (codec->element_bytes == 8)
        change_words(codec, elements, count, 8, weaves);
    else
        change(codec, elements, count, weaves ? weave : part);
}

void gs_codec_weave(const struct gs_codec *codec, void *elements, size_t count)
{
    change_all(codec, elements, count, true);
}

void gs_codec_part(const struct gs_codec *codec, void *elements, size_t count)
{
    change_all(codec, elements, count, false);
}

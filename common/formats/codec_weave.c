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

static inline void change(const struct gs_codec *codec, void *elements, size_t count,
                          gs_woven (*how)(const struct gs_codec_weave *, gs_woven))
{
    const uint32_t bytes = codec->element_bytes;
    for (char *at = elements, *end = at + count * bytes; at < end; at += bytes) {
        gs_woven element = 0;
        memcpy(&element, at, bytes);
        for (uint32_t i = 0; i < codec->weave_count; i++) {
            const struct gs_codec_weave *one = &codec->weaves[i];
            const gs_woven mask = ~(gs_woven)0 >> (128 - one->count * one->bits) % 128;
            const gs_woven old = element >> one->below & mask;
            element ^= (old ^ how(one, old)) << one->below;
        }
        memcpy(at, &element, bytes);
    }
}

void gs_codec_weave(const struct gs_codec *codec, void *elements, size_t count)
{
    change(codec, elements, count, weave);
}

void gs_codec_part(const struct gs_codec *codec, void *elements, size_t count)
{
    change(codec, elements, count, part);
}

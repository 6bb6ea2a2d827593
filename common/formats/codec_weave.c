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

/* One key of each element: weave its numbers, or take them apart. All but its bits are constants at
 * every call, so masks are, and compilers can use vectors. `word` has room for an element. */
#define DEFINE_CHANGE_KEY(name, word)                                                              \
    static inline __attribute__((always_inline)) void name(                                        \
        const struct gs_codec_weave *one, char *elements, size_t count, uint32_t bytes,            \
        uint32_t parts, bool weaves)                                                               \
    {                                                                                              \
        const uint32_t bits = one->bits;                                                           \
        const uint64_t each = bits < GS_ZORDER_STEP ? 0xff : 0xffff;                               \
        const word mask = ~(word)0 >> (8 * sizeof(word) - parts * bits);                           \
        for (char *to = elements, *end = to + count * bytes; to < end; to += bytes) {              \
            word element = 0;                                                                      \
            memcpy(&element, to, bytes);                                                           \
            const word old = element >> one->below & mask;                                         \
            word now = 0;                                                                          \
            for (uint32_t at = 0; at < bits; at += GS_ZORDER_STEP)                                 \
                for (uint32_t i = 0; i < parts; i++) {                                             \
                    const uint32_t apart = (parts - 1 - i) * bits + at;                            \
                    const uint32_t woven = at * parts + parts - 1 - i;                             \
                    if (weaves)                                                                    \
                        now |= (word)gs_zorder_spread((uint64_t)(old >> apart) & each, parts)      \
                               << woven;                                                           \
                    else                                                                           \
                        now |= (word)gs_zorder_gather((uint64_t)(old >> woven), parts) << apart;   \
                }                                                                                  \
            element ^= (old ^ now) << one->below;                                                  \
            memcpy(to, &element, bytes);                                                           \
        }                                                                                          \
    }

__extension__ typedef unsigned __int128 gs_u128;
DEFINE_CHANGE_KEY(change_word, uint64_t)
DEFINE_CHANGE_KEY(change_words, gs_u128)

static inline __attribute__((always_inline)) void change_key(const struct gs_codec_weave *one,
                                                             char *elements, size_t count,
                                                             uint32_t bytes, uint32_t parts,
                                                             bool weaves)
{
    if (bytes <= 8)
        change_word(one, elements, count, bytes, parts, weaves);
    else
        change_words(one, elements, count, bytes, parts, weaves);
}

static inline __attribute__((always_inline)) void
change_keys(const struct gs_codec *codec, void *elements, size_t count, uint32_t bytes, bool weaves)
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
        change_keys(codec, elements, count, 4, weaves);
    else if (codec->element_bytes == 8)
        change_keys(codec, elements, count, 8, weaves);
    else
        change_keys(codec, elements, count, 16, weaves);
}

void gs_codec_weave(const struct gs_codec *codec, void *elements, size_t count)
{
    change_all(codec, elements, count, true);
}

void gs_codec_part(const struct gs_codec *codec, void *elements, size_t count)
{
    change_all(codec, elements, count, false);
}

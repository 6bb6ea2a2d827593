/* zorder.c -- weave the bits of numbers, and take them apart: 16 of each at a time.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/zorder.h"

#include <string.h>
#include <strings.h>

enum { STEP = 16 };

static const char word[] = "zorder(";

const char *gs_zorder_inside(const char *key, size_t length, size_t *inside, bool *descending)
{
    const size_t begin = sizeof word - 1;
    if (length < begin || strncasecmp(key, word, begin) != 0)
        return NULL;
    *descending = (key[length - 1] | 0x20) == 'r';
    length -= *descending;
    length -= *descending && key[length - 1] == ':';
    if (key[length - 1] != ')')
        return NULL;
    *inside = length - 1 - begin;
    return key + begin;
}

enum gs_status gs_zorder_finish(struct gs_format *format, uint32_t first, bool descending,
                                const char *text, size_t length, struct gs_error *err)
{
    const uint32_t count = format->key_count - first;
    struct gs_key_field *keys = &format->keys[first];
    bool fits = count >= 2 && count <= GS_ZORDER_MAX;
    for (uint32_t i = 0; i < count; i++) {
        fits = fits && keys[i].type.kind != GS_TYPE_BYTES && keys[i].type.bytes <= 8 &&
               keys[i].type.bytes == keys[0].type.bytes && keys[i].woven == 0;
        keys[i].descending = keys[i].descending != descending;
    }
    if (!fits)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "invalid -k argument '%.*s': zorder() takes two to four numbers of the same "
                       "size, at most 8 bytes",
                       (int)length, text);
    keys[0].woven = (uint8_t)count;
    return GS_OK;
}

/* Where bits go when each gets `apart` places: first the upper half of them moves, then the upper
 * half of each half, and so on. masks[apart][i] has those that stay or have arrived. */
static const uint64_t masks[GS_ZORDER_MAX + 1][5] = {
    {0},
    {0},
    {0xffff, 0x00ff00ff, 0x0f0f0f0f, 0x33333333, 0x55555555},
    {0xffff, 0x0000ff0000ff, 0x00f00f00f00f, 0x0c30c30c30c3, 0x249249249249},
    {0xffff, 0x000000ff000000ff, 0x000f000f000f000f, 0x0303030303030303, 0x1111111111111111},
};

static inline uint64_t spread(uint64_t bits, uint32_t apart)
{
    const uint64_t *mask = masks[apart];
    for (int i = 1; i < 5; i++)
        bits = (bits | bits << (STEP >> i) * (apart - 1)) & mask[i];
    return bits;
}

static inline uint64_t gather(uint64_t bits, uint32_t apart)
{
    const uint64_t *mask = masks[apart];
    bits &= mask[4];
    for (int i = 4; i > 0; i--)
        bits = (bits | bits >> (STEP >> i) * (apart - 1)) & mask[i - 1];
    return bits;
}

/* With a number of parts that the compiler knows, masks and shifts are constants. */
static inline __attribute__((always_inline)) gs_woven weave(const uint64_t *numbers, uint32_t count,
                                                            uint32_t bits)
{
    gs_woven woven = 0;
    for (uint32_t at = 0; at < bits; at += STEP) {
        uint64_t here = 0;
        for (uint32_t i = 0; i < count; i++)
            here |= spread(numbers[i] >> at & 0xffff, count) << (count - 1 - i);
        woven |= (gs_woven)here << at * count;
    }
    return woven;
}

gs_woven gs_zorder_weave(const uint64_t *numbers, uint32_t count, uint32_t bits)
{
    return count == 2   ? weave(numbers, 2, bits)
           : count == 3 ? weave(numbers, 3, bits)
                        : weave(numbers, 4, bits);
}

static inline __attribute__((always_inline)) void part(gs_woven woven, uint64_t *numbers,
                                                       uint32_t count, uint32_t bits)
{
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = 0;
    for (uint32_t at = 0; at < bits; at += STEP) {
        const uint64_t here = (uint64_t)(woven >> at * count);
        for (uint32_t i = 0; i < count; i++)
            numbers[i] |= gather(here >> (count - 1 - i), count) << at;
    }
}

void gs_zorder_part(gs_woven woven, uint64_t *numbers, uint32_t count, uint32_t bits)
{
    if (count == 2)
        part(woven, numbers, 2, bits);
    else if (count == 3)
        part(woven, numbers, 3, bits);
    else
        part(woven, numbers, 4, bits);
}

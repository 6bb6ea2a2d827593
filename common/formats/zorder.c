/* zorder.c -- weave the bits of numbers, and take them apart: 16 of each at a time.
 * SPDX-License-Identifier: MIT
 */
#include "common/formats/zorder.h"

#include <string.h>
#include <strings.h>

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

/* With a number of parts that the compiler knows, masks and shifts are constants. */
static inline __attribute__((always_inline)) gs_woven weave(const uint64_t *numbers, uint32_t count,
                                                            uint32_t bits)
{
    gs_woven woven = 0;
    for (uint32_t at = 0; at < bits; at += GS_ZORDER_STEP) {
        uint64_t here = 0;
        for (uint32_t i = 0; i < count; i++)
            here |= gs_zorder_spread(numbers[i] >> at & 0xffff, count) << (count - 1 - i);
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
    for (uint32_t at = 0; at < bits; at += GS_ZORDER_STEP) {
        const uint64_t here = (uint64_t)(woven >> at * count);
        for (uint32_t i = 0; i < count; i++)
            numbers[i] |= gs_zorder_gather(here >> (count - 1 - i), count) << at;
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

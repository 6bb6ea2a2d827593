/* zorder.c -- two to four numbers as one key: their bits in turn, the first number's first.
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

uint64_t gs_zorder_weave(const uint64_t *numbers, uint32_t count, uint32_t at)
{
    uint64_t woven = 0;
    for (uint32_t i = 0; i < count; i++)
        woven |= gs_zorder_spread(numbers[i] >> at & 0xffff, count) << (count - 1 - i);
    return woven;
}

/* zorder.h -- two to four numbers as one key: their bits in turn, the first number's first.
 * SPDX-License-Identifier: MIT
 *
 * So near points are near each other in the file (Morton order). In a format, such numbers are keys
 * in a row, of which the first says how many they are; all have the same size, at most 8 bytes, and
 * each is woven in as the unsigned number in its own order.
 */
#ifndef GS_ZORDER_H
#define GS_ZORDER_H

#include "common/formats/format.h"

#define GS_ZORDER_MAX 4

/* What is between the parentheses of a key "zorder(...)", and whether r or :r is behind those; NULL
 * if it is no such key. */
const char *gs_zorder_inside(const char *key, size_t length, size_t *inside, bool *descending);

/* Make one key of those from `first` on. text is the key's, for messages. */
enum gs_status gs_zorder_finish(struct gs_format *format, uint32_t first, bool descending,
                                const char *text, size_t length, struct gs_error *err);

/* Bits of each number that are woven at a time: of all, at most 64. */
#define GS_ZORDER_STEP 16

/* Where bits go when each gets `apart` places: first the upper half of them moves, then the upper
 * half of each half, and so on. gs_zorder_masks[apart][i] has those that stay or have arrived. */
static const uint64_t gs_zorder_masks[GS_ZORDER_MAX + 1][5] = {
    {0},
    {0},
    {0xffff, 0x00ff00ff, 0x0f0f0f0f, 0x33333333, 0x55555555},
    {0xffff, 0x0000ff0000ff, 0x00f00f00f00f, 0x0c30c30c30c3, 0x249249249249},
    {0xffff, 0x000000ff000000ff, 0x000f000f000f000f, 0x0303030303030303, 0x1111111111111111},
};

static inline uint64_t gs_zorder_spread(uint64_t bits, uint32_t apart)
{
    const uint64_t *mask = gs_zorder_masks[apart];
    for (int i = 1; i < 5; i++)
        bits = (bits | bits << (GS_ZORDER_STEP >> i) * (apart - 1)) & mask[i];
    return bits;
}

static inline uint64_t gs_zorder_gather(uint64_t bits, uint32_t apart)
{
    const uint64_t *mask = gs_zorder_masks[apart];
    bits &= mask[4];
    for (int i = 4; i > 0; i--)
        bits = (bits | bits >> (GS_ZORDER_STEP >> i) * (apart - 1)) & mask[i - 1];
    return bits;
}

/* Weave GS_ZORDER_STEP bits of each number, from bit `at` on. */
uint64_t gs_zorder_weave(const uint64_t *numbers, uint32_t count, uint32_t at);

/* The order of two points, whose numbers are each in its order. */
static inline int gs_zorder_compare(const uint64_t *a, const uint64_t *b, uint32_t count)
{
    uint32_t which = 0; /* in this one, the highest bit differs */
    for (uint32_t i = 1; i < count; i++) {
        const uint64_t most = a[which] ^ b[which];
        const uint64_t here = a[i] ^ b[i];
        if (most < here && most < (most ^ here))
            which = i;
    }
    return a[which] < b[which] ? -1 : a[which] > b[which];
}

#endif

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

/* Weave the lowest `bits` bits of numbers: in all, at most 128. And take them apart. */
__extension__ typedef unsigned __int128 gs_woven;
gs_woven gs_zorder_weave(const uint64_t *numbers, uint32_t count, uint32_t bits);
void gs_zorder_part(gs_woven woven, uint64_t *numbers, uint32_t count, uint32_t bits);

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

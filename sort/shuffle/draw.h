/* draw.h -- the random order of --shuffle, as numbers drawn for a seed. It is to stay as it is.
 * SPDX-License-Identifier: MIT
 *
 * Each record is dealt to one of 4096 bins, by 12 random bits for its position. Bins follow each
 * other in the output; in each, records are as they came, until they change places [Fisher, Yates
 * 1938, in Durstenfeld's form]. A bin of more than 65,536 records is dealt to 4096 bins of its own
 * first, once. Any order is as likely as any other [Rao 1961; Sandelius 1962: A simple
 * randomization procedure].
 *
 * The seed is the first node, and each bin is a node: all its numbers are counted from there, so
 * they depend neither on what the records are, nor on who draws them, nor when.
 */
#ifndef GS_DRAW_H
#define GS_DRAW_H

#include "common/random.h"

#define GS_SHUFFLE_BINS  4096
#define GS_SHUFFLE_MIXED 65536 /* records of a bin that is not dealt again */

/* The node of a bin of a node. */
static inline uint64_t gs_shuffle_node(uint64_t node, uint32_t bin)
{
    return gs_random(~node, bin);
}

/* How many bins are drawn at a time, at most, and the room that it takes. */
#define GS_SHUFFLE_DRAWN 1024
#define GS_SHUFFLE_ROOM  (GS_SHUFFLE_DRAWN + 8)

/* The bins of the records at positions [first, first + count) of a node: somewhere in the room.
 * Four come of one number, from the lowest bits on. */
static inline const uint16_t *gs_shuffle_draw(uint64_t node, uint64_t first, uint32_t count,
                                              uint16_t room[GS_SHUFFLE_ROOM])
{
    const uint32_t before = (uint32_t)(first % 4);
    const uint32_t numbers = (before + count + 3) / 4;
    for (uint32_t i = 0; i < numbers; i++) {
        const uint64_t number = gs_random(node, first / 4 + i);
        for (uint32_t part = 0; part < 4; part++)
            room[4 * i + part] = (uint16_t)(number >> (16 * part)) % GS_SHUFFLE_BINS;
    }
    return room + before;
}

/* Numbers of 32 bits, two of one of 64, the low half first. */
struct gs_shuffle_numbers {
    uint64_t node, index, rest;
};

static inline uint32_t gs_shuffle_number(struct gs_shuffle_numbers *numbers)
{
    numbers->rest = numbers->index % 2 == 0 ? gs_random(numbers->node, numbers->index / 2)
                                            : numbers->rest >> 32;
    numbers->index++;
    return (uint32_t)numbers->rest;
}

/* A number below `end`, each as likely [Lemire 2019: Fast random integer generation in an
 * interval]. */
static inline uint32_t gs_shuffle_below(struct gs_shuffle_numbers *numbers, uint32_t end)
{
    uint64_t product = (uint64_t)gs_shuffle_number(numbers) * end;
    if ((uint32_t)product < end) {
        const uint32_t least = -end % end;
        while ((uint32_t)product < least)
            product = (uint64_t)gs_shuffle_number(numbers) * end;
    }
    return (uint32_t)(product >> 32);
}

/* Numbers below end, end - 1 and so on, `count` of them: as many calls of the last function. */
static inline void gs_shuffle_places(struct gs_shuffle_numbers *numbers, uint32_t end,
                                     uint32_t count, uint32_t *places)
{
    const struct gs_shuffle_numbers before = *numbers;
    uint32_t again = 0; /* may have been drawn again */
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t product = (uint64_t)gs_shuffle_number(numbers) * (end - i);
        places[i] = (uint32_t)(product >> 32);
        again |= (uint32_t)product < end - i;
    }
    if (again != 0) {
        *numbers = before;
        for (uint32_t i = 0; i < count; i++)
            places[i] = gs_shuffle_below(numbers, end - i);
    }
}

#endif

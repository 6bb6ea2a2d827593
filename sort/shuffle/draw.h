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
const uint16_t *gs_shuffle_draw(uint64_t node, uint64_t first, uint32_t count,
                                uint16_t room[GS_SHUFFLE_ROOM]);

/* Numbers of 32 bits, two of one of 64, the low half first. */
struct gs_shuffle_numbers {
    uint64_t node, index;
};

/* How many of the next function are drawn at a time, at most. */
#define GS_SHUFFLE_PLACES 512

/* Numbers below end, end - 1 and so on, `count` of them, each as likely [Lemire 2019: Fast random
 * integer generation in an interval]. */
void gs_shuffle_places(struct gs_shuffle_numbers *numbers, uint32_t end, uint32_t count,
                       uint32_t places[GS_SHUFFLE_PLACES]);

#endif

/* cache_sort_lanes512.h -- 32 groups of keys side by side, each in a lane, sorted by one network.
 * SPDX-License-Identifier: MIT
 *
 * A group is of keys that agree in all but 16 bits. 32 of them make a matrix: a column is a group,
 * and as many rows as the largest has keys, rounded up to blocks of 16. All columns are sorted by
 * the same exchanges of rows: blocks first, then blocks are merged by twos, fours, eights, ...
 * [Batcher: Sorting networks and their applications, 1968]; a step that would bring in a block that
 * is not there would change nothing, and is left out. No key changes its lane on the way.
 *
 * Stores past the caches wait for memory: sorted groups are written between the steps of the next
 * matrix.
 */
#ifndef GS_CACHE_SORT_LANES512_H
#define GS_CACHE_SORT_LANES512_H

#include "sort/cache_sort_columns512.h"

/* Keys of a group at most: 24 blocks of 16. */
enum { GS_LANE_ROWS = 384, GS_LANE_ROOM = GS_LANE_ROWS + LANES };

struct gs_lanes {
    /* Sorted groups, an odd number of lines each; and what is to lie at `to`, an aligned place. */
    uint16_t sorted[LANES][GS_LANE_ROOM] __attribute__((aligned(64)));
    gs_key line[2 * LINE_KEYS];
    gs_key *to;
    uint32_t head; /* keys of the first line that belong to others */
    uint32_t fill; /* head + keys in line[], less than a line */
    uint32_t sorted_counts[LANES];
    gs_key sorted_bases[LANES];
    uint32_t written; /* of the sorted groups: these are written already */

    /* Groups that wait to be sorted. */
    uint32_t groups; /* up to LANES */
    uint32_t counts[LANES];
    gs_key bases[LANES];          /* what is added to each one's words */
    const uint16_t *words[LANES]; /* the lower 16 bits of each one's keys */
    bool past_cache;
};

/* No group waits, and the next one will lie at `to`. */
void gs_lanes_open512(struct gs_lanes *lanes, gs_key *to, bool past_cache);

/* Sort the groups that wait. */
void gs_lanes_sort512(struct gs_lanes *lanes);

/* Sort and write all that waits; returns the end of it. What went past the caches is for others to
 * see after _mm_sfence(). */
gs_key *gs_lanes_flush512(struct gs_lanes *lanes);

#endif

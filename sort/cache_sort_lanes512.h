/* cache_sort_lanes512.h -- 32 groups of keys side by side, each in a lane, sorted by one network.
 * SPDX-License-Identifier: MIT
 *
 * A group is of keys that agree in all but 16 bits. 32 of them make a matrix: a column is a group,
 * and as many rows as the largest has keys, rounded up to blocks of 16. All columns are sorted by
 * the same exchanges of rows: blocks first, then blocks are merged by twos, fours, eights, ... by
 * odd-even merges [Batcher: Sorting networks and their applications, 1968]; a step that would bring
 * in a block that is not there would change nothing, and is left out. No key changes its lane on
 * the way.
 *
 * Of 32 groups that follow each other the largest has a sixth more keys than most, of random keys;
 * so up to 128 wait, and those that have about as many make a matrix.
 *
 * Stores past the caches wait for memory: sorted groups are written between the steps of the next
 * matrix. So there are two sets of groups, one that waits to be sorted and one to be written.
 */
#ifndef GS_CACHE_SORT_LANES512_H
#define GS_CACHE_SORT_LANES512_H

#include "sort/cache_sort_columns512.h"

enum {
    GS_LANE_ROWS = 384,                  /* keys of a group at most: 24 blocks of 16 */
    GS_LANE_ROOM = GS_LANE_ROWS + LANES, /* words; an odd number of lines */
    GS_LANE_GROUPS = 4 * LANES           /* of a set, at most */
};

enum {
    /* Keys of a group on average. Of 32 groups the largest has 40 or 50 more, where keys are
     * random; GS_LANE_ROWS is the limit. */
    GS_GROUP_MEAN_MIN = 48,
    GS_GROUP_MEAN_MAX = 264
};

/* Is it one of AMD's processors? What is fastest is not the same there and on Intel's. */
static inline bool gs_is_amd(void)
{
    return __builtin_cpu_is("amd");
}

static inline uint64_t gs_group_mean(size_t count, uint64_t range, unsigned shift)
{
    return ((uint64_t)count << shift) / range;
}

/* A group is of 2^shift values, for count keys of `range` values. */
static inline unsigned gs_group_shift(size_t count, uint64_t range)
{
    unsigned shift = 16;

    while (shift > 0 && gs_group_mean(count, range, shift) > GS_GROUP_MEAN_MAX)
        shift--;
    return shift;
}

/* Are there neither too few keys in such a group, nor too many? */
static inline bool gs_group_mean_fits(size_t count, uint64_t range, unsigned shift)
{
    const uint64_t mean = gs_group_mean(count, range, shift);
    return mean >= GS_GROUP_MEAN_MIN && mean <= GS_GROUP_MEAN_MAX;
}

/* So many waiting groups that there are two sets of them, as far as they go. */
static inline uint32_t gs_lanes_waiting(size_t groups)
{
    uint32_t waiting = LANES;

    while (waiting < GS_LANE_GROUPS && 4 * (size_t)waiting <= groups)
        waiting *= 2;
    return waiting;
}

struct gs_lane_set {
    uint16_t *rooms; /* [groups_max][GS_LANE_ROOM]: the lower 16 bits of each one's keys */
    uint32_t groups;
    uint32_t counts[GS_LANE_GROUPS]; /* keys of each */
    gs_key bases[GS_LANE_GROUPS];    /* what is added to each one's words */
};

struct gs_lanes {
    struct gs_lane_set sets[2];
    uint32_t waiting;    /* which of them waits to be sorted */
    uint32_t groups_max; /* of a set */
    uint32_t written;    /* groups of the other set that are written already */
    bool past_cache;
    gs_key *to;    /* where line[] will lie, an aligned place */
    uint32_t head; /* keys of line[] that belong to others */
    uint32_t fill; /* head + keys in it */
    gs_key line[GS_LINE_KEYS] __attribute__((aligned(64)));
};

/* No group waits, and the first one will lie at `to`. rooms are two times groups_max rooms, a
 * multiple of LANES. They begin at cache lines, and the line before them may be read. */
void gs_lanes_open512(struct gs_lanes *lanes, uint16_t *const *rooms, uint32_t groups_max,
                      gs_key *to, bool past_cache);

/* Where the next group's words are to be put; behind it is the room of the one that comes then, as
 * many as the set has. */
static inline uint16_t *gs_lanes_room(const struct gs_lanes *lanes)
{
    const struct gs_lane_set *set = &lanes->sets[lanes->waiting];
    return set->rooms + (size_t)set->groups * GS_LANE_ROOM;
}

/* The groups of this set lie elsewhere; before the first of them. */
static inline void gs_lanes_move_room(struct gs_lanes *lanes, uint16_t *rooms)
{
    lanes->sets[lanes->waiting].rooms = rooms;
}

/* The next group is there: up to GS_LANE_ROWS words. Returns whether its set is full, and was
 * sorted. */
bool gs_lanes_add512(struct gs_lanes *lanes, uint32_t count, gs_key base);

/* Sort and write all that waits; returns the end of it. What went past the caches is for others to
 * see after _mm_sfence(). */
gs_key *gs_lanes_flush512(struct gs_lanes *lanes);

#endif

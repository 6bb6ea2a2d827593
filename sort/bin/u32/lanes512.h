/* lanes512.h -- 32 groups of keys side by side, each in a lane, sorted by one network.
 * SPDX-License-Identifier: MIT
 *
 * The keys of a group agree in all but 16 bits. 32 groups make a matrix: each column is a group,
 * and there are as many rows as the largest group has keys, rounded up to blocks of 16. All columns
 * are sorted by the same exchanges of rows: each block first, then blocks are merged by twos,
 * fours, eights, ... by odd-even merges [Batcher: Sorting networks and their applications, 1968];
 * steps with a block that does not exist would change nothing, and are left out. No key ever
 * changes its lane.
 *
 * The largest of 32 consecutive groups of random keys has a sixth more keys than most; so up to 128
 * groups wait, and those of about the same size make a matrix.
 *
 * Non-temporal stores wait for memory, so sorted groups are written between the steps of the next
 * matrix. Hence two sets of groups: one waits to be sorted, the other to be written.
 */
#ifndef GS_LANES512_H
#define GS_LANES512_H

#include "sort/bin/bin_output.h"

#include "common/formats/codec_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GS_LANES = 32,
    GS_LANE_ROWS = 384,                     /* keys of a group at most: 24 blocks of 16 */
    GS_LANE_ROOM = GS_LANE_ROWS + GS_LANES, /* words: an odd number of cache lines */
    GS_LANE_GROUPS = 4 * GS_LANES           /* groups of a set, at most */
};

enum {
    /* Average keys of a group. Of 32 groups of random keys the largest has 40 or 50 more; the limit
     * is GS_LANE_ROWS. */
    GS_GROUP_MEAN_MIN = 48,
    GS_GROUP_MEAN_MAX = 264
};

/* Keys of a group of 2^shift values on average, for count keys over `range` values. */
static inline uint64_t gs_group_mean(size_t count, uint64_t range, unsigned shift)
{
    return ((uint64_t)count << shift) / range;
}

/* The logarithm of a group's width, in values, for count keys over `range` values. */
static inline unsigned gs_group_shift(size_t count, uint64_t range)
{
    unsigned shift = 16;

    while (shift > 0 && gs_group_mean(count, range, shift) > GS_GROUP_MEAN_MAX)
        shift--;
    return shift;
}

/* Does a group of that width have neither too few keys nor too many, on average? */
static inline bool gs_group_mean_fits(size_t count, uint64_t range, unsigned shift)
{
    const uint64_t mean = gs_group_mean(count, range, shift);
    return mean >= GS_GROUP_MEAN_MIN && mean <= GS_GROUP_MEAN_MAX;
}

/* Choose how many groups wait in a set, so that there are two sets' worth of groups, if
 * possible. */
static inline uint32_t gs_lanes_waiting(size_t groups)
{
    uint32_t waiting = GS_LANES;

    while (waiting < GS_LANE_GROUPS && 4 * (size_t)waiting <= groups)
        waiting *= 2;
    return waiting;
}

struct gs_lane_set {
    uint16_t *rooms; /* [groups_max][GS_LANE_ROOM]: the lower 16 bits of each group's keys */
    uint32_t groups;
    uint32_t counts[GS_LANE_GROUPS]; /* keys of each group */
    gs_key bases[GS_LANE_GROUPS];    /* what is added to each group's words to make keys */
};

struct gs_lanes {
    struct gs_lane_set sets[2];
    uint32_t waiting;    /* the set that waits to be sorted */
    uint32_t groups_max; /* of a set */
    uint32_t written;    /* groups of the other set that are already written */
    bool past_cache, stores_records;
    gs_key *to;    /* where line[] will lie, aligned to a line */
    uint32_t head; /* keys at the start of line[] that are not ours */
    uint32_t fill; /* head + keys in line[] */
    gs_key line[GS_LINE_KEYS] __attribute__((aligned(64)));
    struct gs_codec_line codec; /* if keys are stored as records */
};

/* Begin with no groups waiting and output from output->to on. rooms are two arrays of groups_max
 * rooms, a multiple of GS_LANES. They begin at cache lines, and the line before each may be read.
 */
void gs_lanes_open512(struct gs_lanes *lanes, uint16_t *const *rooms, uint32_t groups_max,
                      const struct gs_bin_output *output);

/* Where to put the next group's words; the rooms of the groups after it follow, as many as the set
 * has left. */
static inline uint16_t *gs_lanes_room(const struct gs_lanes *lanes)
{
    const struct gs_lane_set *set = &lanes->sets[lanes->waiting];
    return set->rooms + (size_t)set->groups * GS_LANE_ROOM;
}

/* Let the waiting set's groups lie at `rooms`; to be called before the first of them is added. */
static inline void gs_lanes_move_room(struct gs_lanes *lanes, uint16_t *rooms)
{
    lanes->sets[lanes->waiting].rooms = rooms;
}

/* Add the group just put there: count words, at most GS_LANE_ROWS, whose keys are base + word.
 * Returns whether that filled the set, which was then sorted. */
bool gs_lanes_add512(struct gs_lanes *lanes, uint32_t count, gs_key base);

/* Sort and write all waiting groups; returns the end of the output. Others see non-temporal stores
 * only after _mm_sfence(). */
gs_key *gs_lanes_flush512(struct gs_lanes *lanes);

#endif

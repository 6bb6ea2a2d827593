/* chunk_rooms.h -- put the keys of a chunk into the rooms of their bins, without counting first.
 * SPDX-License-Identifier: MIT
 *
 * Keys seldom repeat from chunk to chunk, but their distribution mostly does: so the bin counts of
 * one chunk predict the room that the bins of the next will need. Each bin gets room for a quarter
 * more keys than that, and a few, and a key goes straight to its bin's room. Where a room
 * overflows, the chunk is counted after all, and its counts set the rooms for the chunks that
 * follow.
 *
 *   room     |0000    |1111     |22      | ...     in the thread's scratch memory
 *   copy     |0000|1111|22| ...                    runs, as stages_cpu.h has them
 */
#ifndef GS_CHUNK_ROOMS_H
#define GS_CHUNK_ROOMS_H

#include "sort/bin/cache_sort.h"
#include "sort/split/splitters.h"

/* Keys put straight into rooms at once; then all rooms are checked for overflow. */
#define GS_ROOMS_STRAIGHT GS_KEYS_IN(32)

/* At the end of a thread's scratch memory; persists from chunk to chunk. All zero at first. */
struct gs_rooms {
    bool known;      /* first[] is set */
    bool placed;     /* the current chunk lies in the rooms */
    uint32_t misses; /* chunks in a row that did not fit */
    uint32_t pass;   /* chunks still to be skipped before the next try */
    gs_key keys[GS_ROOMS_BLOCK];
    uint16_t bins[GS_ROOMS_BLOCK];
    uint32_t first[GS_SPLITTERS_MAX + 2]; /* room of bin b: [first[b], first[b + 1]) */
    uint32_t next[GS_SPLITTERS_MAX + 1];  /* where each bin's next key goes */
};

/* Keys of room for each bin beyond a quarter more than counted. */
#define GS_ROOMS_SPARE 40

/* The most bins that have rooms: those of wider keys take more of the scratch memory. */
#define GS_ROOMS_BINS_MAX (GS_SPLITTERS_MAX * 4 / GS_KEY_BYTES + 1)

/* After this many rooms, skip one more line. Where all bins have equally many keys, rooms a power
 * of two apart would otherwise share one cache set, and keys that count up in reversed bits would
 * hit them one after the other. */
#define GS_ROOMS_STAGGER 16

/* Keys of all rooms, plus how far keys can run past the last one before it is checked. */
#define GS_ROOMS_KEYS                                                                              \
    (GS_CHUNK_KEYS_MAX / 4 * 5 + GS_ROOMS_SPARE * GS_ROOMS_BINS_MAX +                              \
     GS_LINE_KEYS * GS_ROOMS_BINS_MAX / GS_ROOMS_STAGGER + GS_ROOMS_STRAIGHT)

static_assert(GS_ROOMS_KEYS + sizeof(struct gs_rooms) / sizeof(gs_key) + 1 <= GS_CACHE_SORT_SCRATCH,
              "rooms fit the scratch memory of a thread");

/* The rooms in a thread's scratch memory; their keys are at its beginning. */
static inline struct gs_rooms *gs_rooms_in(gs_key *scratch)
{
    const size_t bytes = GS_CACHE_SORT_SCRATCH * sizeof(gs_key) - sizeof(struct gs_rooms);
    return (struct gs_rooms *)(void *)(scratch + bytes / sizeof(gs_key));
}

/* Make rooms for chunks like one with these counts: a quarter more, and GS_ROOMS_SPARE. If `lines`,
 * they begin at cache lines and have room for a partial line of earlier chunks; at most
 * GS_REGIONS_MAX bins then (regions.h). */
void gs_rooms_make(struct gs_rooms *rooms, const uint32_t *counts, uint32_t bins, bool lines);

/* Should the next chunk be put into rooms? If so, empties them. */
bool gs_rooms_begin(struct gs_rooms *rooms, uint32_t bins);

/* Put the block's first `count` keys into the rooms of their bins; false if a room overflowed. */
bool gs_rooms_put(struct gs_rooms *rooms, gs_key *room, uint32_t count, uint32_t bins);

/* Are bins so cheap to find that a key goes straight from the input to its room? */
static inline bool gs_rooms_straight(const struct gs_splitters *splitters)
{
    return splitters->guide == GS_GUIDE_EVEN ||
           (splitters->guide == GS_GUIDE_TOP && splitters->steps == 0);
}

/* gs_rooms_put for gs_rooms_straight: keys of the input, each read once, at most GS_ROOMS_STRAIGHT
 * at a time. Prefetches as many bytes from `follow` on, where the input goes on. */
bool gs_rooms_put_straight(struct gs_rooms *rooms, gs_key *room,
                           const struct gs_splitters *splitters, const gs_key *keys, uint32_t count,
                           uint32_t bins, const void *follow);

/* Note that the chunk is in the rooms or (false) did not fit, which makes the next ones be
 * skipped. */
void gs_rooms_end(struct gs_rooms *rooms, bool fits);

/* Copy bins of starts[bin + 1] - starts[bin] keys, which end before keys[ends[bin]] (for rooms,
 * ->next), one after the other to `to`, past the caches: they are not read again until gathered. */
void gs_copy_bins(const uint32_t *starts, const uint32_t *ends, uint32_t bins, const gs_key *keys,
                  gs_key *to);

#endif

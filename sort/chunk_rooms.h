/* chunk_rooms.h -- put the keys of a chunk into the rooms of their bins, without counting first.
 * SPDX-License-Identifier: MIT
 *
 * Keys of an input are seldom alike from chunk to chunk in value, but mostly in distribution: so
 * the bins of one chunk tell how much room the bins of the next will want. Each bin gets room for
 * a quarter more keys, and some, and a key goes straight to its bin's room. Where that was
 * wrong, the chunk is counted first after all, and tells the room for those that follow.
 *
 *   room     |0000    |1111     |22      | ...     in the thread's scratch memory
 *   copy     |0000|1111|22| ...                    runs, as stages_cpu.h has them
 */
#ifndef GS_CHUNK_ROOMS_H
#define GS_CHUNK_ROOMS_H

#include "sort/cache_sort.h"
#include "sort/splitters.h"

/* Keys whose bins are found at a time: they stay in the first-level cache until they are placed. */
#define GS_ROOMS_BLOCK 2048

/* Keys that are put straight at a time: after as many, room for room is looked at. */
#define GS_ROOMS_STRAIGHT 8192

/* At the end of a thread's scratch memory, from chunk to chunk. All zero at first. */
struct gs_rooms {
    bool known;      /* first[] is set */
    bool placed;     /* the chunk at hand lies in the rooms */
    uint32_t misses; /* chunks in a row that did not fit */
    uint32_t pass;   /* as many chunks are not tried */
    gs_key keys[GS_ROOMS_BLOCK];
    uint16_t bins[GS_ROOMS_BLOCK];
    uint32_t first[GS_SPLITTERS_MAX + 2]; /* where the room of each bin begins; and the last ends */
    uint32_t next[GS_SPLITTERS_MAX + 1];  /* where its next key goes */
};

/* Room for a few keys of each bin, more than a quarter more than counted. */
#define GS_ROOMS_SPARE 40

/* So many rooms further there is a line more between two: where all bins have as many keys, rooms a
 * power of two apart would else be in one set of the cache, where keys that count up in reversed
 * bits meet them one after the other. */
#define GS_ROOMS_STAGGER 16

/* Keys of all rooms, with how far keys can go beyond the last. */
#define GS_ROOMS_KEYS                                                                              \
    (GS_CHUNK_KEYS_MAX / 4 * 5 +                                                                   \
     (GS_ROOMS_SPARE + GS_LINE_KEYS / GS_ROOMS_STAGGER) * (GS_SPLITTERS_MAX + 1) +                 \
     GS_ROOMS_STRAIGHT)

static_assert(GS_ROOMS_KEYS + sizeof(struct gs_rooms) / sizeof(gs_key) + 1 <= GS_CACHE_SORT_SCRATCH,
              "rooms fit the scratch memory of a thread");

/* The rooms in a thread's scratch memory; the keys in them are at its beginning. */
static inline struct gs_rooms *gs_rooms_in(gs_key *scratch)
{
    const size_t bytes = GS_CACHE_SORT_SCRATCH * sizeof(gs_key) - sizeof(struct gs_rooms);
    return (struct gs_rooms *)(void *)(scratch + bytes / sizeof(gs_key));
}

/* Make rooms for chunks like one with these counts. */
void gs_rooms_make(struct gs_rooms *rooms, const uint32_t *counts, uint32_t bins);

/* The same for rooms that begin at cache lines, with room for less than a line from chunks before:
 * of fewer bins (regions.h). */
void gs_rooms_make_lines(struct gs_rooms *rooms, const uint32_t *counts, uint32_t bins);

/* Is the next chunk to be tried? If so, the rooms are empty now. */
bool gs_rooms_begin(struct gs_rooms *rooms, uint32_t bins);

/* Put the block's first `count` keys into the rooms of their bins, and see that none went beyond
 * its bin's: false if so. */
bool gs_rooms_put(struct gs_rooms *rooms, gs_key *room, uint32_t count, uint32_t bins);

/* Are bins found so easily that a key goes straight from the input to its room? */
static inline bool gs_rooms_straight(const struct gs_splitters *splitters)
{
    return splitters->guide == GS_GUIDE_EVEN ||
           (splitters->guide == GS_GUIDE_TOP && splitters->steps == 0);
}

/* The same then, with keys of the input, each of which is read once, at most GS_ROOMS_STRAIGHT at a
 * time. Lines of as many as a block has are called into cache ahead, beyond the last, too. */
bool gs_rooms_put_straight(struct gs_rooms *rooms, gs_key *room,
                           const struct gs_splitters *splitters, const gs_key *keys, uint32_t count,
                           uint32_t bins);

/* The chunk is in the rooms, or (false) it did not fit. */
void gs_rooms_end(struct gs_rooms *rooms, bool fits);

/* Copy bins of starts[bin + 1] - starts[bin] keys, which end before keys[ends[bin]] (of rooms
 * ->next), to `to`, one after the other, past the caches: nobody looks at them again before they
 * are gathered. */
void gs_copy_bins(const uint32_t *starts, const uint32_t *ends, uint32_t bins, const gs_key *keys,
                  gs_key *to);

#endif

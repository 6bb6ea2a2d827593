/* regions.h -- the scattered copy in the output's own memory: a region for each bin.
 * SPDX-License-Identifier: MIT
 *
 * Fresh memory for a copy of all keys is what a large sort waits for longest: the kernel clears it.
 * Where the sink is memory, which the caller has already, the copy lies there:
 *
 *   output   |gap|region 0|region 1|region 2|...      where bins will lie, by estimate, and a gap
 *   spare    |tail of the last regions, what regions have no room for|     fresh memory
 *
 * Regions are cut into blocks, and a block belongs to one thread, which fills it with whole cache
 * lines, past the caches; what is less than a line waits in the thread's rests for the next chunk.
 * Nobody counts all keys first: how large bins are is estimated, and extents of spare memory take
 * what does not fit. Regions lie in the output's order (with ->reverse the last bin's comes first),
 * and sorted bins are written in that order, from the output's beginning on, so the gap keeps them
 * off the regions of bins that are still to be sorted. It is known beforehand where it does not:
 * such a bin moves to spare memory (gs_regions_finish), and a bin waits until those have been
 * sorted whose regions it will overwrite (gs_regions_wait_end).
 *
 * In the end the blocks are described as runs, as if they were chunks: bin b of row r is
 * [starts[r * stride + 2 b], starts[r * stride + 2 b + 1]), of keys from cpu->keys on for all rows.
 */
#ifndef GS_REGIONS_H
#define GS_REGIONS_H

#include "sort/chunk_rooms.h"
#include "sort/stages_cpu.h"

/* More bins than this, equality bins included, have no regions: rooms for them would be too wide.
 */
#define GS_REGIONS_MAX 4096

static_assert(GS_CHUNK_KEYS_MAX / 4 * 5 +
                      (GS_ROOMS_SPARE + GS_LINE_KEYS / GS_ROOMS_STAGGER + 2 * (GS_LINE_KEYS - 1)) *
                          (GS_REGIONS_MAX + 1) +
                      GS_ROOMS_STRAIGHT <=
                  GS_ROOMS_KEYS,
              "rooms of whole lines, which begin with the rests of the chunk before, fit, too");

/* A thread's next extent of spare memory for a bin is this part of those before. */
#define GS_EXTENT_SHARE 8

/* Spare memory that a thread took for a bin: keys of spare[]. */
struct gs_extent {
    uint64_t first;
    uint32_t bin;
    uint32_t count;
};

/* What a thread has of each bin. */
struct gs_region_thread {
    gs_key (*rests)[GS_LINE_KEYS]; /* [bins]: less than a line */
    gs_key **to;                   /* [bins]: where the next line goes, */
    uint64_t *counts;              /* [bins]: keys that were met */
    uint64_t *spare_keys;          /* [bins]: of extents */
    uint32_t *left;                /* [bins]: keys of room there */
    uint32_t *claimed;             /* [bins]: 1 + the block that is next, or 0 */
    uint32_t *chunk_counts;        /* [bins]: of the chunk at hand, if it is not in rooms */
    uint8_t *rest_counts;          /* [bins] */
    struct gs_extent *extents;
    size_t extent_count, extent_room;
};

struct gs_regions {
    struct gs_cpu cpu; /* first: run->device */
    bool usable;
    gs_key *output;
    gs_key *copy;       /* what cpu.keys was, once that is the lower one of the two */
    uint64_t *first;    /* [bins]: the region's place in the output, or GS_NO_REGION */
    uint32_t *blocks;   /* [bins]: what it has room for */
    atomic_uint *taken; /* [bins]: blocks that were asked for */
    uint32_t block_keys;
    gs_key *spare;
    uint64_t spare_room; /* keys */
    atomic_uint_fast64_t spare_next;
    struct gs_region_thread *threads; /* [threads] */
    unsigned thread_count;
    void *memory; /* of all these arrays */
    size_t memory_bytes;
};

#define GS_NO_REGION UINT64_MAX

/* Are there keys enough for so many bins to have regions in the sink's memory, and not too many? */
bool gs_regions_pay(const struct gs_run *run, uint64_t bins);

/* Keys of spare memory, which are touched as far as they are needed; 0: this sort has no regions,
 * but chunks with a copy. */
uint64_t gs_regions_spare(const struct gs_run *run);

/* Set out regions, by the splitters; the copy's memory is spare memory then. Leaves them not usable
 * where there is no memory, or where it is too far off. */
void gs_regions_open(struct gs_run *run, struct gs_regions *regions, uint64_t spare_room);
void gs_regions_close(struct gs_regions *regions);

/* The regions of a run that gs_stages_cpu.open has opened; NULL if it has none. */
static inline struct gs_regions *gs_regions_of(const struct gs_run *run)
{
    struct gs_regions *regions = run->device;
    return regions->usable && !regions->cpu.moves_equal && !run->plan.direct ? regions : NULL;
}

/* The same when its keys are sorted, when it may have been opened by others. */
static inline struct gs_regions *gs_regions_sorted(const struct gs_run *run)
{
    const struct gs_cpu *cpu = run->device;
    uint32_t bins = gs_run_bins(run);
    return !run->plan.direct && bins > 1 && cpu->stride == 2 * bins ? run->device : NULL;
}

/* The rooms for a chunk begin with the rests of those before. */
void gs_regions_fill_rests(const struct gs_regions *regions, struct gs_rooms *rooms, gs_key *room,
                           uint32_t bins);

/* A chunk lies in the rooms: to the regions with it. */
enum gs_status gs_regions_put_rooms(struct gs_run *run, const struct gs_rooms *rooms,
                                    const gs_key *room, struct gs_error *err);

/* A chunk lies in one place, bin after bin, GS_GAP_KEYS behind each that has keys; NULL: of
 * equality bins alone, which are counted only. Both by chunk_counts. */
enum gs_status gs_regions_put_ordered(struct gs_run *run, const gs_key *keys, struct gs_error *err);

/* All chunks are in: fill run->counts and run->offsets, and describe the blocks as runs. */
enum gs_status gs_regions_finish(struct gs_run *run, struct gs_error *err);

/* For gs_regions_finish: put what a thread has left of a bin behind its last line; false: no memory
 * is left. The lower one of output and spare memory, which runs are counted from; and where a key
 * lies, counted so. */
bool gs_regions_put_rest(struct gs_regions *regions, unsigned thread, uint32_t bin);
gs_key *gs_regions_lowest(const struct gs_regions *regions);
uint32_t gs_regions_place(const struct gs_regions *regions, const gs_key *key);

/* How far a thread has asked. */
struct gs_regions_wait {
    uint32_t bins; /* of the output's order */
    uint64_t end;
};

/* All that will lie before the place in the output that is returned must be there, before keys may
 * be written up to `end`. Ends are asked for in ascending order. */
uint64_t gs_regions_wait_end(const struct gs_run *run, struct gs_regions_wait *wait, uint64_t end);

#endif

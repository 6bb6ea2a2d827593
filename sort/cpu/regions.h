/* regions.h -- the scattered copy in the output's own memory: a region for each bin.
 * SPDX-License-Identifier: MIT
 *
 * A large sort spends most of its waiting on fresh memory for a copy of all keys, which the kernel
 * must clear. Where the sink is memory that the caller already has, the copy lies there instead:
 *
 *   output   |gap|region 0|region 1|region 2|...      where bins will lie, by estimate, and a gap
 *   spare    |end of the last regions, keys for which regions have no room|     fresh memory
 *
 * Regions are cut into blocks. A block belongs to one thread, which fills it with whole cache lines
 * by non-temporal stores; keys short of a line wait in the thread's rests for the next chunk. Keys
 * are not all counted first: bin sizes are estimated, and extents of spare memory take what does
 * not fit. Regions lie in the output's order (with ->reverse the last bin's comes first), and
 * sorted bins are written in that order from the start of the output, so the gap keeps writes off
 * the regions of bins still to be sorted. Where the gap is too small is known beforehand: a bin
 * that would overwrite its own region moves to spare memory (gs_regions_finish), and a bin that
 * would overwrite other bins' regions waits until those are sorted (gs_regions_wait_end).
 *
 * Finally the blocks are described as runs, as if they were chunks: bin b of row r is
 * [starts[r * stride + 2 b], starts[r * stride + 2 b + 1]) of the keys at cpu->rows.keys, for every
 * row.
 *
 * The calls, in the order in which a run makes them:
 *
 *   stages_cpu.c   gs_regions_pay, gs_regions_spare    before keys move: are there regions at all?
 *                  gs_regions_open                     when run->counts has the sample's estimate
 *   count_bins.c   gs_regions_fill_rests               each chunk, by whichever thread takes it:
 *   scatter.c      gs_regions_put_rooms, or _ordered   its keys go where their bins have room
 *   sort_bins.c    gs_regions_finish                   once, when the last chunk is scattered:
 *                                                      now the counts are exact, and runs known
 *                  gs_regions_wait_end                 before a sorted bin is written, by each
 *                                                      thread with ends that ascend
 *   stages_cpu.c   gs_regions_close                    also after a failure
 *
 * A bin's counts are only its thread's until gs_regions_finish adds them up, so that no line of
 * cache goes to and fro between threads; shared are the numbers of blocks taken, and of spare keys.
 */
#ifndef GS_REGIONS_H
#define GS_REGIONS_H

#include "sort/cpu/chunk_rooms.h"
#include "sort/cpu/cpu.h"

/* With more bins than this, equality bins included, there are no regions: rooms would not fit. */
#define GS_REGIONS_MAX (GS_KEY_BYTES == 4 ? 4096 : GS_KEY_BYTES == 8 ? 2048 : 1536)

static_assert(GS_CHUNK_KEYS_MAX / 4 * 5 +
                      (GS_ROOMS_SPARE + 1 + 2 * (GS_LINE_KEYS - 1)) * (GS_REGIONS_MAX + 1) +
                      GS_ROOMS_STRAIGHT <=
                  GS_ROOMS_KEYS,
              "rooms of whole lines, which begin with the rests of the chunk before, fit, too");

/* A thread's next extent of spare memory for a bin is this fraction of its earlier ones. */
#define GS_EXTENT_SHARE 8

/* Spare memory that a thread took for a bin: spare[first .. first + count). */
struct gs_extent {
    uint64_t first;
    uint32_t bin;
    uint32_t count;
};

/* What a thread keeps for each bin. */
struct gs_region_thread {
    gs_key (*rests)[GS_LINE_KEYS]; /* [bins]: keys short of a line */
    gs_key **to;                   /* [bins]: where the next line goes */
    uint64_t *counts;              /* [bins]: keys seen so far */
    uint64_t *spare_keys;          /* [bins]: keys in its extents */
    uint32_t *left;                /* [bins]: room left at to[], in keys */
    uint32_t *claimed;             /* [bins]: 1 + the block claimed ahead, or 0 */
    uint32_t *chunk_counts;        /* [bins]: of the current chunk if not in rooms */
    uint8_t *rest_counts;          /* [bins]: keys in rests[] */
    struct gs_extent *extents;
    size_t extent_count, extent_room;
};

struct gs_regions {
    gs_key *output;
    uint64_t *first;    /* [bins]: the region's first key in the output, or GS_NO_REGION */
    uint32_t *blocks;   /* [bins]: blocks in the region */
    atomic_uint *taken; /* [bins]: blocks requested, perhaps more than there are */
    uint32_t block_keys;
    gs_key *spare;
    uint64_t spare_room; /* keys */
    atomic_uint_fast64_t spare_next;
    struct gs_region_thread *threads; /* [threads] */
    unsigned thread_count;
    void *memory; /* holds all these arrays */
    size_t memory_bytes;
};

#define GS_NO_REGION UINT64_MAX

/* Are there enough keys for this many bins to have regions in the sink's memory, and no more than
 * GS_REGIONS_MAX bins? */
bool gs_regions_pay(const struct gs_run *run, uint64_t bins);

/* Spare memory to map, in keys; only what is needed is ever touched. 0: this sort uses chunks and a
 * copy, not regions. */
uint64_t gs_regions_spare(const struct gs_run *run);

/* Lay out the regions by run->counts, so far of the sample's keys; the memory mapped for a copy is
 * spare memory. NULL where memory runs out, or lies too far apart for 32-bit starts: the copy is
 * used then. */
struct gs_regions *gs_regions_open(const struct gs_run *run, gs_key *spare, uint64_t spare_room);
void gs_regions_close(struct gs_regions *regions);

/* The regions of a run; NULL if it has none. */
static inline struct gs_regions *gs_regions_of(const struct gs_run *run)
{
    return run->cpu->moves_equal ? NULL : run->cpu->regions;
}

/* Start the rooms of a chunk with the thread's rests of the chunks before. */
void gs_regions_fill_rests(const struct gs_regions *regions, struct gs_rooms *rooms, gs_key *room,
                           uint32_t bins);

/* Move a chunk that lies in rooms to the regions. GS_ERR_MEMORY: spare memory is full. */
enum gs_status gs_regions_put_rooms(struct gs_run *run, const struct gs_rooms *rooms,
                                    const gs_key *room, struct gs_error *err);

/* Move a chunk that lies bin after bin, GS_GAP_KEYS in front of each bin that has keys, to the
 * regions: chunk_counts says how many keys each bin has, and they end before keys[ends[bin]]. The
 * gaps are written to. keys == NULL: the chunk has keys of equality bins only, which are just
 * counted. GS_ERR_MEMORY: spare memory is full. */
enum gs_status gs_regions_put_ordered(struct gs_run *run, gs_key *keys, const uint32_t *ends,
                                      struct gs_error *err);

/* After the last chunk: fill run->counts and run->offsets, and describe the blocks as runs. */
enum gs_status gs_regions_finish(struct gs_run *run, struct gs_error *err);

/* For gs_regions_finish: append a thread's rest of a bin to its last line; false: spare memory is
 * full. Then: the lower of output and spare memory, from which runs are counted; and a key's index
 * from there. */
bool gs_regions_put_rest(struct gs_regions *regions, unsigned thread, uint32_t bin);
gs_key *gs_regions_lowest(const struct gs_regions *regions);
uint32_t gs_regions_place(const struct gs_regions *regions, const gs_key *key);

/* How far a thread has asked in gs_regions_wait_end; all zero at first. */
struct gs_regions_wait {
    uint32_t bins; /* looked at, in the output's order */
    uint64_t end;
};

/* Writing up to `end` in the output overwrites the regions that begin before `end`. Returns the
 * place in the output before which all bins must be sorted first. A thread's ends must ascend. */
uint64_t gs_regions_wait_end(const struct gs_run *run, struct gs_regions_wait *wait, uint64_t end);

#endif

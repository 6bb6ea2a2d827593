/* gpu_sort.h -- what the kernels of the GPU sample sort and their driver share.
 * SPDX-License-Identifier: MIT
 *
 * All of it lives in device memory, but for struct gs_gpu_report. A large bin is called a slot
 * while it is being split again. gpu_launchers.h says what is done with all this.
 *
 * The levels of one sort: level 1 moves keys from the input `a` to the bins in `b` by splitters;
 * each further level moves the keys of the slots that level left, to the other buffer, by a linear
 * digit. A key never leaves its bin's place in the output, so the places of bins that are done and
 * of those that are not never overlap, and `a` holds the result in the end. Not so where levels
 * need no count (device_pages_gpu.c): bins are in pages and rooms all over a buffer and in spare
 * memory, no bin is sorted while slots are in pages, and the result may be in `b`.
 */
#ifndef GS_GPU_SORT_H
#define GS_GPU_SORT_H

#include "common/keys.h"
#include "common/random.h" /* GS_HOST_DEVICE */

#include <assert.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>

/* Bins wanted of level 1 at most; each may bring an equality bin. */
#define GS_GPU_BINS_MAX      1024
#define GS_GPU_SPLITTERS_MAX (2 * GS_GPU_BINS_MAX - 1)
#define GS_GPU_CELLS_MAX     8192
#define GS_GPU_LEVELS_MAX    11 /* of a tree of splitters */

/* The sample at most, and the keys of it that one block draws. */
#define GS_GPU_SAMPLES_MAX   16384
#define GS_GPU_SAMPLE_BLOCK  256
#define GS_GPU_SAMPLE_BLOCKS (GS_GPU_SAMPLES_MAX / GS_GPU_SAMPLE_BLOCK)

/* Sub-bins of a slot at most; half of them where digits may have a heavy value. */
#define GS_GPU_DIGITS_MAX 1024

/* And at least, below level 2: a slot is there because its keys are spread unevenly, and this way
 * few levels reach to the bottom of any skew. */
#define GS_GPU_DEEP_DIGITS 16

/* Counters of a digit: keys less than its heavy value, larger ones, and equal ones. */
#define GS_GPU_PARTS 3

/* Copies of each value of a slot, on average, that make it worth a digit for each. */
#define GS_GPU_REPEATED 1024

/* Equal neighbours in the sorted sample from which on values repeat: bins are counted then. One is
 * a chance of 1/128 in 8192 of 2^32 equally frequent values. */
#define GS_GPU_TWINS 5

/* And from which on slots may have few values, if as many keys have a frequent one. */
#define GS_GPU_FEW_TWINS       16
#define GS_GPU_FEW_VALUES_KEYS (1ULL << 26)

/* The sample holds each value so often, on average, if all keys together may have few. */
#define GS_GPU_FEW_COPIES 4

/* Of few values there are more bins at level 1, while bins have so many keys: up to that many. */
#define GS_GPU_FEW_BIN_KEYS 49152
#define GS_GPU_FEW_BINS     256

/* Cells of the table that counts the values of a slot, on a device with that much shared memory for
 * a block; and on others. */
#define GS_GPU_VALUE_CELLS 20480
#define GS_GPU_VALUE_ROOM  (225 * 1024)
#define GS_GPU_FEW_CELLS   4096

/* Keys that one block sorts in shared memory: by 256 threads, and by 1024. A sort of very many keys
 * doubles the first, so that two levels are still enough; a device without GS_GPU_ROOM has only the
 * first. */
#define GS_GPU_SMALL_KEYS  4096
#define GS_GPU_MEDIUM_KEYS 16384
#define GS_GPU_ROOM        (160 * 1024) /* bytes of shared memory for a block */
#define GS_GPU_HALF_ROOM   (112 * 1024) /* and of each of two to a processor */

/* A bin with so many keys at most is a medium job, too, if it has so few values in a row, a power
 * of two: they are counted. */
#define GS_GPU_CLOSE_KEYS   (1U << 18)
#define GS_GPU_CLOSE_VALUES 16384

/* Keys that a sub-bin should hold, of blocks for 4096: digits are linear, so smooth data fills it
 * to within a few per cent, and the limit is 10 % away. */
#define GS_GPU_SUB_BIN_KEYS 3700

/* Tiles of count and scatter: 512 threads times the keys of each. */
#define GS_GPU_TILE_THREADS    512
#define GS_GPU_TILE_KEYS       (20 * GS_GPU_TILE_THREADS)
#define GS_GPU_SMALL_TILE_KEYS (8 * GS_GPU_TILE_THREADS)

/* Keys that are sorted without bins: above, a sample sort is faster. */
#define GS_GPU_FEW_KEYS (1U << 17)

/* Up to here bins of one level fit a block; above, two levels share the work evenly. */
#define GS_GPU_ONE_LEVEL_KEYS (1U << 20)

/* Above, a small job is twice as large: 2^30 keys are 256 bins of 600 sub-bins of 7000. */
#define GS_GPU_DOUBLE_JOBS_KEYS (1U << 29)

/* A page of level 1 without a count: so many tiles. The larger, the fewer runs lie in two pages,
 * and the more memory is in pages that are not full. */
#define GS_GPU_PAGE_TILES 2
#define GS_GPU_PAGE_KEYS  (GS_GPU_PAGE_TILES * GS_GPU_TILE_KEYS)

/* A bin's next page is taken so many keys before it is needed: as many as the blocks of a large GPU
 * have together for one of 256 bins while each moves a tile. */
#define GS_GPU_AHEAD_KEYS GS_GPU_TILE_KEYS

/* How many times as many keys as on average a bin in pages may have. */
#define GS_GPU_PAGES_FACTOR 4

/* Bins of level 1 at most where its slots are split once more before level 2: of 64 bins a tile has
 * runs of 160 keys, of 1024 runs of 10. */
#define GS_GPU_SPLIT_BINS 64

/* But not where fewer than one in so many neighbours in the sample are out of order: tiles have
 * long runs then, whatever the bins, and a level takes twice the time that it takes else. */
#define GS_GPU_ORDERED_SHARE 8

/* Cells of a map, and of a divided one, where the others' place is for parts. */
#define GS_GPU_MAP_CELLS   8192
#define GS_GPU_MAP_DIVIDED (GS_GPU_MAP_CELLS / 4)

/* Keys of a run of equal ones that one block writes. */
#define GS_GPU_FILL_KEYS (1U << 17)

/* A cursor with this bit belongs to a bin whose keys are not moved: its content follows from its
 * count. */
#define GS_GPU_SKIP (1ULL << 63)

/* What a key needs to find its bin. */
struct gs_gpu_tables {
    /* First bin, or << shift | what makes a larger key carry; or the nodes of the tree, from 1 on.
     * In front: loaded by 16 bytes. */
    uint32_t guide[GS_GPU_CELLS_MAX];
    uint32_t count;                          /* splitters */
    uint32_t search;                         /* enum gs_gpu_search */
    uint32_t cells;                          /* in use */
    uint32_t repeats;                        /* there are equality bins */
    uint32_t twins;                          /* values repeat in the sample */
    uint32_t few;                            /* slots may have few values */
    uint32_t few_all;                        /* so may all keys together */
    uint32_t uneven;                         /* bins are, on the scale of a digit */
    uint32_t skewed;                         /* and some values repeat more often than others */
    uint32_t order[GS_GPU_SAMPLE_BLOCKS];    /* seen by each block of the sample */
    uint32_t descents[GS_GPU_SAMPLE_BLOCKS]; /* neighbours in it that descend */
    uint32_t base;                           /* the first splitter */
    uint32_t limit;                          /* distance from base that all larger ones share */
    uint32_t shift; /* distance to cell; or bits of a cell's fraction, where cells are of a log */
    uint32_t steps; /* halving steps after the guide; or levels of the tree */
    uint32_t splitter[GS_GPU_SPLITTERS_MAX + 1];
};

/* How a key finds its bin. In one look-up, if no cell of equal width has two splitters, or but for
 * pairs, the two splitters v-1 and v of an equality bin. Else by a few halving steps from where the
 * cell begins; cells are equally wide, or narrower towards the first splitter, like floating-point
 * numbers: what leaves fewer steps. If these are too many, down a binary tree. */
enum gs_gpu_search {
    GS_GPU_GUIDE,
    GS_GPU_GUIDE_PAIRS,
    GS_GPU_STEPS,
    GS_GPU_LOG_STEPS,
    GS_GPU_TREE
};

/* Levels of the tree that take as long as a halving step, whose lanes meet in banks. */
#define GS_GPU_STEP_LEVELS 3

/* In a cell with a pair. */
#define GS_GPU_PAIR (1U << 31)

/* Bits of gs_gpu_state.*_order: what neighbours were seen. */
#define GS_GPU_DESCENT 1U
#define GS_GPU_ASCENT  2U

/* What counting found: FILLED if all keys are in equality bins, so that none has to be moved;
 * UNCOUNTED if a level without counting has failed. */
enum gs_gpu_outcome {
    GS_GPU_UNSORTED,
    GS_GPU_SORTED,
    GS_GPU_REVERSED,
    GS_GPU_FILLED,
    GS_GPU_UNCOUNTED
};

/* Level 1 without counting: bins in pages, taken shortly before they are needed. A bin's keys have
 * positions in it, 0 and up; page k holds those from k * GS_GPU_PAGE_KEYS on. */
struct gs_gpu_pages {
    uint32_t *page;  /* [bin * most + k]: the number of the bin's page k, from 1 on; 0: not taken */
    uint32_t *spare; /* the pages that the buffer has no room for */
    uint32_t most;   /* pages of a bin */
    uint32_t whole;  /* pages in the buffer: numbers up to that */
};

/* Memory for a level 2 without counting, in which each digit has a room a little larger than the
 * keys to expect. What the buffer has no place for goes to `spare`. */
struct gs_gpu_rooms {
    uint32_t *spare;
    uint64_t spare_keys;
};

/* A linear digit: d = hi32((key * scale + offset) * factor). It maps [low, high] to 0 .. bins-1,
 * and no two keys to the same d if there are no more keys than bins. */
struct gs_gpu_digit {
    uint32_t scale;
    uint32_t offset;
    uint32_t factor;
};

struct gs_gpu_slot {
    uint64_t start; /* in the output */
    uint64_t size;
    int64_t from; /* where its keys begin in their buffer; or the entry of its first page */
    int64_t to;   /* where its digits begin in the other buffer; or the entry of their first page */
    uint32_t low; /* bounds of its keys; low > high: not known */
    uint32_t high;
    uint32_t first_tile;  /* number of its first tile among those of all slots */
    uint32_t first_digit; /* of its first digit likewise */
    uint32_t bins;        /* digits */
    uint32_t heavy;       /* digits have heavy values */
    uint32_t paged;       /* keys are in pages */
    uint32_t room;        /* keys for which each digit has room; 0: digits are counted first */
    uint32_t narrow;      /* rooms hold 16-bit remainders */
    uint32_t values;      /* its runs are known, so many: nothing else is to be done; or 0 */
    uint32_t mapped;      /* `digit` is that of a map's cells; the map tells digits: */
    uint32_t map;         /* number of it among those of the level */
    struct gs_gpu_digit digit;
};

/* How the keys of a level's slots find their digits. Linear digits are equally wide. Where keys are
 * uneven a slot has a map, and each of its cells, which are equally wide, belongs to a digit. Where
 * they are skewed as well, a few cells would have most of the keys: fewer cells are divided into
 * two parts or more, the more the more keys they hold, and a part belongs to a digit. */
enum gs_gpu_digits { GS_GPU_LINEAR, GS_GPU_MAPPED, GS_GPU_DIVIDED };

/* The digits of cells. Or, of a divided map, for each cell its first pair of parts << 4 | log2 of
 * its parts, and then the digits of parts. Copied by 16 bytes. */
struct gs_gpu_map {
    uint16_t entry[GS_GPU_MAP_CELLS];
};

/* A bin to be sorted by one block. */
struct gs_gpu_job {
    uint64_t start; /* in the output */
    int64_t from;   /* in the buffer where its keys are */
    uint32_t size;
    uint32_t in_b; /* its keys are in b, else in a */
};

/* A bin of 16-bit keys, to be sorted by one block: the low halves of keys from `first` on, fewer
 * than 65,536 values. */
struct gs_gpu_narrow_job {
    uint64_t start; /* in the output */
    int64_t from;   /* in b, in words of 32 bits, a multiple of 4 */
    uint32_t size;
    uint32_t first;  /* a multiple of 32 */
    uint32_t values; /* that may be there */
};

/* A run of equal keys in the output. */
struct gs_gpu_fill {
    uint64_t start;
    uint32_t size;
    uint32_t value;
};

struct gs_gpu_state {
    uint32_t sample_order;
    uint32_t input_order;
    uint32_t outcome;  /* enum gs_gpu_outcome, once the bins are planned */
    uint32_t slots[2]; /* of even and of odd levels */
    struct {
        uint32_t small_jobs;
        uint32_t medium_jobs;
        uint32_t fills;
        uint32_t narrow_jobs;
    } listed;                                            /* entries of the lists */
    uint32_t pages;                                      /* taken */
    uint32_t entries;                                    /* of the table of pages, given away */
    uint32_t tiles;                                      /* of level 1, taken by its scatter */
    uint32_t digits;                                     /* of the slots, as in the report */
    unsigned long long counts[GS_GPU_SPLITTERS_MAX + 1]; /* of level 1 */
};

/* What the host must know to go on, written by the device into pinned host memory. */
struct gs_gpu_report {
    uint32_t outcome;
    uint32_t slots;
    uint32_t tiles;
    uint32_t digits;
    uint32_t repeats; /* or skewed; of the tables, as are the next four */
    uint32_t few;
    uint32_t few_all;
    uint32_t uneven;
    uint32_t skewed;
    uint32_t small_jobs;
    uint32_t medium_jobs;
    uint32_t fills;
    uint32_t narrow_jobs;
    uint32_t bins;
    uint32_t sequence; /* of the report that is complete */
};

/* Device pointers of one sort. */
struct gs_gpu_work {
    struct gs_gpu_state *state;
    struct gs_gpu_tables *tables;
    uint32_t *samples;           /* and as much room again */
    unsigned long long *cursors; /* of level 1: GS_GPU_SPLITTERS_MAX + 1 */
    unsigned long long
        *counters;           /* GS_GPU_PARTS for each digit of the slots: counts, then cursors */
    uint32_t *heavy;         /* the heavy value of each digit */
    struct gs_gpu_map *maps; /* of each slot of level 2, or of level 1 to be split, if uneven */
    struct gs_gpu_slot *slots[2]; /* of even and of odd levels */
    struct gs_gpu_job *small_jobs;
    struct gs_gpu_job *medium_jobs;
    struct gs_gpu_fill *fills;
    struct gs_gpu_narrow_job *narrow_jobs; /* where there are rooms */
    struct gs_gpu_pages pages;    /* where keys of paged slots are; page == NULL: nowhere */
    struct gs_gpu_pages split;    /* where they go if they are split once more */
    struct gs_gpu_rooms rooms;    /* spare == NULL: none */
    struct gs_gpu_report *report; /* pinned, host */
    /* What the device and n ask for. */
    uint32_t small_keys; /* of a small job at most: GS_GPU_SMALL_KEYS, or twice that */
    uint32_t
        medium_keys; /* of any other, but for close values: GS_GPU_MEDIUM_KEYS, or small_keys */
    uint32_t sub_bin_keys; /* to aim at */
    uint32_t cells;        /* of the guide at most: a power of two, 1024 to GS_GPU_CELLS_MAX */
    uint32_t block_bytes;  /* shared memory that a block may have */
    bool rows;             /* scatter has shared memory for rows */
    bool large_values;     /* and count_values for GS_GPU_VALUE_CELLS */
};

/* Cells of the guide for that many wanted bins, `most` at most: 16 for each, or 8 of many, so that
 * two splitters seldom share one. The bins of the guide's entries, up to twice as many, then leave
 * room for the distance, and a tree has room, too. */
GS_HOST_DEVICE static inline uint32_t gs_gpu_cells(uint32_t bins, uint32_t most)
{
    uint32_t cells = 1024;
    while (cells < most && cells < (bins > 256 ? 8 : 16) * bins)
        cells *= 2;
    return cells;
}

/* Where word `index` of an array lies in shared memory that has one word of padding for 32. So
 * words that are 32 apart are in different banks, and of those a larger power of two apart few are
 * in one; and thread t's 16 words begin in bank 16 t + t/2, so that a warp meets no bank twice. */
#ifdef __cplusplus
#define GS_CONSTANT constexpr /* arrays have such lengths */
#else
#define GS_CONSTANT
#endif
GS_CONSTANT GS_HOST_DEVICE static inline uint32_t gs_gpu_padded(uint32_t index)
{
    return index + (index >> 5);
}

/* Words of shared memory that find bins: guide and splitters. There are `most` bins at most. */
static inline uint32_t gs_gpu_table_words(const struct gs_gpu_work *work, uint32_t bins,
                                          uint32_t most)
{
    return gs_gpu_padded(gs_gpu_cells(bins, work->cells)) + most;
}

static_assert(GS_GPU_SPLITTERS_MAX < 1 << GS_GPU_LEVELS_MAX, "all splitters are in the tree");
static_assert(GS_GPU_SMALL_KEYS % 256 == 0 && GS_GPU_MEDIUM_KEYS % 1024 == 0, "whole threads");
static_assert(GS_GPU_MEDIUM_KEYS / GS_GPU_REPEATED <= GS_GPU_DEEP_DIGITS,
              "lists have room for the digits of repeated values");
static_assert(GS_GPU_SUB_BIN_KEYS < GS_GPU_SMALL_KEYS, "a sub-bin fits its block");
static_assert(GS_GPU_TILE_KEYS <= GS_GPU_PAGE_KEYS && GS_GPU_AHEAD_KEYS <= GS_GPU_PAGE_KEYS,
              "a run is in two pages at most, and takes one at most");

#endif

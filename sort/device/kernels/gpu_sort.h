/* gpu_sort.h -- constants and structures that the GPU sample sort's kernels and driver share.
 * SPDX-License-Identifier: MIT
 *
 * The structures live in device memory, except for struct gs_gpu_report (pinned host memory) and
 * struct gs_gpu_work, which the host passes to kernels by value. A "slot" is a bin that is too
 * large for one block and is being split again. gpu_launchers.h lists the steps that use all this.
 *
 * Levels: level 1 moves the keys from the input `a` to bins in `b`, by splitters. Each further
 * level splits the slots that the level before left, by a linear digit, and moves their keys to the
 * other buffer. A bin keeps its range of the output, so finished bins and unfinished ones never
 * overlap, and the result ends up in `a`. Levels without a count (pages/pages.h) differ: their bins
 * lie in pages and rooms scattered over a buffer and spare memory, no bin is sorted while
 * slots are in pages, and the result may end up in `b` if keys have 32 bits.
 */
#ifndef GS_GPU_SORT_H
#define GS_GPU_SORT_H

#include "common/formats/keys.h"
#include "common/random.h" /* GS_HOST_DEVICE */
#include "sort/device/kernels/gpu_proxy.h"

#include <assert.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>

/* The most bins that level 1 aims at; each may add an equality bin. */
#define GS_GPU_BINS_MAX      1024
#define GS_GPU_SPLITTERS_MAX (2 * GS_GPU_BINS_MAX - 1)
#define GS_GPU_CELLS_MAX     8192
#define GS_GPU_LEVELS_MAX    11 /* of the splitter tree */

/* The largest sample, and the keys of it that one block draws. */
#define GS_GPU_SAMPLES_MAX   16384
#define GS_GPU_SAMPLE_BLOCK  256
#define GS_GPU_SAMPLE_BLOCKS (GS_GPU_SAMPLES_MAX / GS_GPU_SAMPLE_BLOCK)

/* The most sub-bins of a slot; half as many where digits may have a heavy value. */
#define GS_GPU_DIGITS_MAX 1024

/* And the fewest, below level 2. A slot that deep exists because its keys are unevenly spread; with
 * this many digits a few levels get to the bottom of any skew. */
#define GS_GPU_DEEP_DIGITS 16

/* Blocks that count level 1's bins, at most: each notes the bounds of its keys. */
#define GS_GPU_COUNT_BLOCKS 1024

/* Counters of a digit: keys below its heavy value, above it, and equal to it. Wider keys have
 * splitters instead of heavy values. */
#define GS_GPU_PARTS (GS_BITS == 32 ? 3 : 1)

/* A slot gets one digit for each value if a value has this many copies on average. */
#define GS_GPU_REPEATED 1024

/* From this many equal neighbours ("twins") in the sorted sample on, values repeat, and bins are
 * counted. With 2^32 equally frequent values and 8192 samples, the chance of even one is 1/128. */
#define GS_GPU_TWINS 5

/* From this many twins on, slots may have few values; but if one value is frequent, only from
 * GS_GPU_FEW_VALUES_KEYS keys on. */
#define GS_GPU_FEW_TWINS       16
#define GS_GPU_FEW_VALUES_KEYS (1ULL << 26)

/* All keys together may have few values if the sample holds each value this often on average. */
#define GS_GPU_FEW_COPIES 4

/* With few values, level 1 doubles its bins, up to GS_GPU_FEW_BINS, while they have more than
 * GS_GPU_FEW_BIN_KEYS keys each. */
#define GS_GPU_FEW_BIN_KEYS 49152
#define GS_GPU_FEW_BINS     256

/* Cells of the table that counts a slot's values: on a device with GS_GPU_VALUE_ROOM bytes of
 * shared memory for a block, and on others. */
#define GS_GPU_VALUE_CELLS 20480
#define GS_GPU_VALUE_ROOM  (225 * 1024)
#define GS_GPU_FEW_CELLS   4096

/* Keys that one block sorts in shared memory: with 256 threads, and with 1024. A sort of very many
 * keys doubles the first, if they have 32 bits, so that two levels are still enough. A device
 * without GS_GPU_ROOM has only the first. (Wider keys take more threads for the first.) */
#define GS_GPU_SMALL_KEYS  4096
#define GS_GPU_MEDIUM_KEYS (GS_BITS == 128 ? 8192 : 16384)
#define GS_GPU_ROOM        (160 * 1024) /* bytes of shared memory for a block */
#define GS_GPU_HALF_ROOM   (112 * 1024) /* and for each of two blocks that share a multiprocessor */

/* And the least that a block must have at all. */
#define GS_GPU_BLOCK_LEAST ((GS_BITS == 32 ? 64U : 96U) * 1024)

/* A bin of up to GS_GPU_CLOSE_KEYS keys is a medium job, too, if its keys lie within a range of
 * GS_GPU_CLOSE_VALUES values (a power of two): the block counts each value. */
#define GS_GPU_CLOSE_KEYS   (1U << 18)
#define GS_GPU_CLOSE_VALUES 16384

/* Keys to aim at in a sub-bin whose block sorts 4096: digits are linear, so smooth data fills it to
 * within a few per cent, and the limit is 10 % away. */
#define GS_GPU_SUB_BIN_KEYS 3700

/* Tiles of count and scatter: 512 threads times the keys of each. Wider keys have tiles of one
 * size. */
#define GS_GPU_TILE_THREADS    512
#define GS_GPU_TILE_ITEMS      (GS_BITS == 32 ? 20 : GS_BITS == 64 ? 12 : 6)
#define GS_GPU_TILE_KEYS       (GS_GPU_TILE_ITEMS * GS_GPU_TILE_THREADS)
#define GS_GPU_SMALL_TILE_KEYS (GS_BITS == 32 ? 8 * GS_GPU_TILE_THREADS : GS_GPU_TILE_KEYS)

/* Up to here keys are sorted without bins; above, a sample sort is faster. */
#define GS_GPU_FEW_KEYS (1U << (GS_BITS == 32 ? 17 : 15))

/* Up to here the bins of one level fit a block; above, two levels share the work evenly. */
#define GS_GPU_ONE_LEVEL_KEYS (1U << 20)

/* Above this, a small job is twice as large: 2^30 keys make 256 bins of 600 sub-bins of 7000. */
#define GS_GPU_DOUBLE_JOBS_KEYS (1U << 29)

/* The tiles that a page holds, where level 1 has no count. Larger pages mean that fewer runs cross
 * into a second page, but that more memory lies in pages that are not full. */
#define GS_GPU_PAGE_TILES 2
#define GS_GPU_PAGE_KEYS  (GS_GPU_PAGE_TILES * GS_GPU_TILE_KEYS)

/* A bin's next page is taken this many keys before it is needed: as many as all blocks of a large
 * GPU together have for one of 256 bins while each moves a tile. */
#define GS_GPU_AHEAD_KEYS GS_GPU_TILE_KEYS

/* A bin in pages may have this many times the average number of keys. */
#define GS_GPU_PAGES_FACTOR 4

/* The most bins of level 1 where its slots are split once more before level 2: with 64 bins, a tile
 * has runs of 160 keys; with 1024, runs of 10. */
#define GS_GPU_SPLIT_BINS 64

/* Slots are not split once more if fewer than one in this many neighbours in the sample is out of
 * order (or in order): tiles then have long runs whatever the bins, and a level takes twice its
 * usual time. */
#define GS_GPU_ORDERED_SHARE 8

/* Cells of a map, and of a divided map, whose other entries are for parts of cells. */
#define GS_GPU_MAP_CELLS   8192
#define GS_GPU_MAP_DIVIDED (GS_GPU_MAP_CELLS / 4)

/* Equal keys that one block writes. */
#define GS_GPU_FILL_KEYS (1U << 17)

/* A cursor with this bit belongs to a bin whose keys are not moved: their value is known, so the
 * count alone tells what to write. */
#define GS_GPU_SKIP (1ULL << 63)

/* What a key needs to find its bin. */
struct gs_gpu_tables {
    /* One entry per cell: its first bin << shift | an offset by which larger keys carry into the
     * next bin, or just its first bin. Or the nodes of the tree, from 1 on. First member, as it is
     * loaded in 16-byte pieces. */
    uint32_t guide[GS_GPU_CELLS_MAX];
    uint32_t count;                          /* splitters */
    uint32_t search;                         /* enum gs_gpu_search */
    uint32_t cells;                          /* in use */
    uint32_t repeats;                        /* whether there are equality bins */
    uint32_t twins;                          /* whether values repeat in the sample */
    uint32_t few;                            /* whether slots may have few values */
    uint32_t few_all;                        /* and whether all keys together may */
    uint32_t uneven;                         /* whether keys are, on the scale of a digit */
    uint32_t skewed;                         /* and also some values are more frequent */
    uint32_t order[GS_GPU_SAMPLE_BLOCKS];    /* GS_GPU_DESCENT and GS_GPU_ASCENT, per block */
    uint32_t descents[GS_GPU_SAMPLE_BLOCKS]; /* descending neighbours, per block */
    uint32_t base;                           /* the first splitter */
    uint32_t limit;                          /* larger distances from base are cut to this */
    uint32_t shift; /* from distance to cell; or, of logarithmic cells, bits of the fraction */
    uint32_t steps; /* halving steps after the guide; or levels of the tree */
    uint32_t splitter[GS_GPU_SPLITTERS_MAX + 1];
#if GS_BITS > 32
    struct gs_gpu_scale scale;             /* of the proxies, which the guide is about */
    gs_key last[GS_GPU_SPLITTERS_MAX + 1]; /* the largest key of each bin but the last */
#endif
};

/* How a key finds its bin. By one look-up, if no cell of equal width has two splitters, or none but
 * the two splitters v-1 and v of an equality bin. Otherwise by a few halving steps from the first
 * bin of its cell; cells are equally wide, or narrower towards the first splitter, like
 * floating-point numbers, whichever leaves fewer steps. If even those are too many, down a binary
 * tree. Wider keys for which one look-up of their proxies is not enough: down a tree of whole keys,
 * since keys that differ may have one proxy. */
enum gs_gpu_search {
    GS_GPU_GUIDE,
    GS_GPU_GUIDE_PAIRS,
    GS_GPU_STEPS,
    GS_GPU_LOG_STEPS,
    GS_GPU_TREE
};

/* Tree levels that take as long as one halving step, in which lanes have bank conflicts. */
#define GS_GPU_STEP_LEVELS 3

/* Marks a guide entry whose cell has such a pair of splitters. */
#define GS_GPU_PAIR (1U << 31)

/* Bits of gs_gpu_state.sample_order and input_order: pairs of neighbours that were seen. */
#define GS_GPU_DESCENT 1U
#define GS_GPU_ASCENT  2U

/* What counting found. FILLED: all keys are in equality bins, so none has to be moved. UNCOUNTED: a
 * level without a count has failed, or was not tried. PAGED: the sample of wider keys tells that
 * level 1 needs no count. */
enum gs_gpu_outcome {
    GS_GPU_UNSORTED,
    GS_GPU_SORTED,
    GS_GPU_REVERSED,
    GS_GPU_FILLED,
    GS_GPU_UNCOUNTED,
    GS_GPU_PAGED
};

/* Level 1 without a count: bins in pages, each taken shortly before it is needed. Positions in a
 * bin count from 0; its page k holds those from k * GS_GPU_PAGE_KEYS on. */
struct gs_gpu_pages {
    uint32_t *page; /* [bin * most + k]: the number of the bin's page k, from 1 on; 0: not taken */
    gs_key *spare;  /* for pages that do not fit into the buffer */
    uint32_t most;  /* most pages of a bin */
    uint32_t whole; /* pages in the buffer: numbers 1 .. whole */
};

/* Memory for a level 2 without a count, in which each digit has a room a little larger than the
 * keys to expect. Rooms that do not fit into the buffer are in `spare`. */
struct gs_gpu_rooms {
    uint32_t *spare;
    uint64_t spare_keys;
};

/* A linear digit: d = hi32((key * scale + offset) * factor). It maps [low, high] to 0 .. bins-1. If
 * the range has no more values than bins, no two values share a digit. */
struct gs_gpu_digit {
#if GS_BITS == 32
    uint32_t scale;
    uint32_t offset;
    uint32_t factor;
#else
    uint32_t shift;  /* d = hi32(((key - base) >> shift) * factor) */
    uint32_t factor; /* UINT32_MAX if no two values share a digit: then base is one less */
    gs_key base;
#endif
};

struct gs_gpu_slot {
    uint64_t start; /* in the output */
    uint64_t size;
    int64_t from; /* index of its first key in their buffer; or of its first page's entry */
    int64_t to;   /* where its digits go in the other buffer; or their first page's entry */
    gs_key low;   /* bounds of its keys; low > high: unknown */
    gs_key high;
    uint32_t first_tile;  /* its first tile, numbered over all slots */
    uint32_t first_digit; /* its first digit, likewise */
    uint32_t bins;        /* digits */
    uint32_t heavy;       /* whether digits have heavy values */
    uint32_t paged;       /* whether its keys are in pages */
    uint32_t room;        /* keys that each digit has room for; 0: digits are counted first */
    uint32_t narrow;      /* whether rooms hold only the low 16 bits of keys */
    uint32_t values;      /* number of its values, if counted: nothing else is left to do; or 0 */
    uint32_t mapped;      /* whether `digit` gives the cell of a map, which tells the digit; or, for
                             wider keys, whether the slot has splitters */
    uint32_t map;         /* number of that map in the level */
    struct gs_gpu_digit digit;
};

/* How the keys of a level's slots find their digits. SPLIT, for wider keys: a slot in which they
 * are uneven, or repeat, has splitters of its own, and equality bins. LINEAR: digits are equally
 * wide. MAPPED, where keys are uneven: a slot has a map of equally wide cells, each of which
 * belongs to a digit. DIVIDED, where keys are skewed as well, so that a few cells would have most
 * of the keys: there are fewer cells, each is divided into two or more parts, more parts the more
 * keys it holds, and each part belongs to a digit. */
enum gs_gpu_digits { GS_GPU_LINEAR, GS_GPU_MAPPED, GS_GPU_DIVIDED, GS_GPU_SPLIT };

/* The digit of each cell. Or, for a divided map, first for each cell (number of its first pair of
 * parts) << 4 | log2 of its parts, then the digit of each part. Copied in 16-byte pieces. */
struct gs_gpu_map {
    uint16_t entry[GS_GPU_MAP_CELLS];
};

/* A bin to be sorted by one block. */
struct gs_gpu_job {
    uint64_t start; /* in the output */
    int64_t from;   /* index in the buffer that holds its keys */
    uint32_t size;
    uint32_t in_b; /* whether its keys are in b rather than a */
#if GS_BITS > 32
    uint32_t uneven; /* whether keys may be uneven between these bounds */
    gs_key low;
    gs_key high;
#endif
};

/* A bin of 16-bit keys, to be sorted by one block: the low halves of keys from `first` on, which
 * span at most 65,536 values. */
struct gs_gpu_narrow_job {
    uint64_t start; /* in the output */
    int64_t from;   /* in b, in words of 32 bits, a multiple of 4 */
    uint32_t size;
    uint32_t first;  /* a multiple of 32 */
    uint32_t values; /* in the bin's range */
};

#if GS_BITS > 32
/* A tile of a level's slots, as the count of digits found it: the scatter need not search again. */
struct gs_gpu_tile {
    int64_t from; /* index of its first key */
    uint32_t size;
    uint32_t slot; /* its slot's number */
};
#endif

/* A run of equal keys in the output. */
struct gs_gpu_fill {
    uint64_t start;
    uint32_t size;
    gs_key value;
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
    uint32_t entries;                                    /* of the table of pages, handed out */
    uint32_t tiles;                                      /* of level 1, taken by its scatter */
    uint32_t digits;                                     /* of the slots, as in the report */
    unsigned long long counts[GS_GPU_SPLITTERS_MAX + 1]; /* of level 1 */
#if GS_BITS > 32
    gs_key low[GS_GPU_COUNT_BLOCKS]; /* bounds of the keys that each block has counted */
    gs_key high[GS_GPU_COUNT_BLOCKS];
#endif
};

/* What the sample of wider keys tells before its splitters are ready: bins should be counted, since
 * it is in order, or most bins have one value; keys are uneven. */
#define GS_GPU_SAMPLE_COUNT  1U
#define GS_GPU_SAMPLE_UNEVEN 2U

/* What the host must know to go on; the device writes it to pinned host memory. */
struct gs_gpu_report {
    uint32_t outcome;
    uint32_t slots;
    uint32_t tiles;
    uint32_t digits;
    uint32_t repeats; /* or values are skewed; this and the next four are from the tables */
    uint32_t few;
    uint32_t few_all;
    uint32_t uneven;
    uint32_t skewed;
    uint32_t small_jobs;
    uint32_t medium_jobs;
    uint32_t fills;
    uint32_t narrow_jobs;
    uint32_t bins;
    uint32_t sequence; /* written last: the report of that number is complete */
    uint32_t sample;   /* before that: its number << 2 | GS_GPU_SAMPLE_* */
};

/* Device pointers of one sort. */
struct gs_gpu_work {
    struct gs_gpu_state *state;
    struct gs_gpu_tables *tables;
    gs_key *samples;              /* and as much room again, to sort them */
    unsigned long long *cursors;  /* of level 1's bins, GS_GPU_SPLITTERS_MAX + 1 */
    unsigned long long *counters; /* GS_GPU_PARTS per digit of the slots: counts, then cursors */
    gs_key *heavy;                /* the heavy value of each digit; or the splitter above it */
#if GS_BITS > 32
    struct gs_gpu_tile *tiles; /* of the level's slots */
#endif
    struct gs_gpu_map *maps; /* if uneven: for each slot of level 2, or of level 1 to be split */
    struct gs_gpu_slot *slots[2]; /* of even and of odd levels */
    struct gs_gpu_job *small_jobs;
    struct gs_gpu_job *medium_jobs;
    struct gs_gpu_fill *fills;
    struct gs_gpu_narrow_job *narrow_jobs; /* where there are rooms */
    struct gs_gpu_pages pages;             /* holds the keys of paged slots; page == NULL: none */
    struct gs_gpu_pages split;             /* where these keys go if slots are split once more */
    struct gs_gpu_rooms rooms;             /* spare == NULL: none */
    struct gs_gpu_report *report;          /* pinned, host */
    /* Chosen by the device and n. */
    uint32_t small_keys;   /* most keys of a small job: GS_GPU_SMALL_KEYS, or twice that */
    uint32_t medium_keys;  /* most of any other: GS_GPU_MEDIUM_KEYS or small_keys; more if close */
    uint32_t sub_bin_keys; /* to aim at in a sub-bin */
    uint32_t cells;        /* most cells of the guide: a power of two, 1024 to GS_GPU_CELLS_MAX */
    uint32_t block_bytes;  /* most shared memory of a block */
    bool rows;             /* whether scatter has shared memory for rows */
    bool large_values;     /* and count_values has it for GS_GPU_VALUE_CELLS */
};

/* Cells of the guide for `bins` wanted bins, at most `most`: 16 for each bin, or 8 where bins are
 * many, so that two splitters seldom share a cell. A guide entry then has bits enough for its bin
 * number, up to twice `bins`, and for the distance; a tree fits as well. */
GS_HOST_DEVICE static inline uint32_t gs_gpu_cells(uint32_t bins, uint32_t most)
{
    uint32_t cells = 1024;
    while (cells < most && cells < (bins > 256 ? 8 : 16) * bins)
        cells *= 2;
    return cells;
}

/* Where word `index` of an array lies in shared memory with one word of padding after every 32. So
 * words that are 32 apart are in different banks, and of words a larger power of two apart few
 * share a bank. Thread t's 16 words begin in bank 16 t + t/2, so a warp has no bank conflicts. */
#ifdef __cplusplus
#define GS_CONSTANT constexpr /* used for array lengths */
#else
#define GS_CONSTANT
#endif
GS_CONSTANT GS_HOST_DEVICE static inline uint32_t gs_gpu_padded(uint32_t index)
{
    return index + (index >> 5);
}

/* Words of shared memory for the guide and the splitters of at most `most` bins. */
static inline uint32_t gs_gpu_table_words(const struct gs_gpu_work *work, uint32_t bins,
                                          uint32_t most)
{
    const uint32_t guide = gs_gpu_padded(gs_gpu_cells(bins, work->cells));
    const uint32_t tree = 2 * bins * (uint32_t)(sizeof(gs_key) / sizeof(uint32_t));
    return (GS_BITS == 32 || guide > tree ? guide : tree) + most;
}

static_assert(GS_GPU_SPLITTERS_MAX < 1 << GS_GPU_LEVELS_MAX, "all splitters are in the tree");
static_assert(GS_GPU_SMALL_KEYS % 256 == 0 && GS_GPU_MEDIUM_KEYS % 1024 == 0, "whole threads");
static_assert(GS_GPU_MEDIUM_KEYS / GS_GPU_REPEATED <= GS_GPU_DEEP_DIGITS,
              "lists have room for the digits of repeated values");
static_assert(GS_GPU_SUB_BIN_KEYS < GS_GPU_SMALL_KEYS, "a sub-bin fits its block");
static_assert(GS_GPU_TILE_KEYS <= GS_GPU_PAGE_KEYS && GS_GPU_AHEAD_KEYS <= GS_GPU_PAGE_KEYS,
              "a run is in two pages at most, and takes one at most");

#endif

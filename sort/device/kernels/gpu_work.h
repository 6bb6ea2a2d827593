/* gpu_work.h -- structures that the GPU sample sort's kernels and driver share.
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
#ifndef GS_GPU_WORK_H
#define GS_GPU_WORK_H

#include "sort/device/kernels/gpu_door.h"
#include "sort/device/kernels/gpu_proxy.h"
#include "sort/device/kernels/gpu_report.h"
#include "sort/device/kernels/gpu_sizes.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>

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

GS_HOST_DEVICE static inline enum gs_gpu_digits gs_gpu_kind(unsigned level, uint32_t uneven,
                                                            uint32_t skewed)
{
    if (GS_BITS > 32)
        return level > 2 || uneven ? GS_GPU_SPLIT : GS_GPU_LINEAR;
    if (level > 2 || !uneven) /* deeper slots are few, or have few keys */
        return GS_GPU_LINEAR;
    return skewed ? GS_GPU_DIVIDED : GS_GPU_MAPPED;
}

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
    } listed;               /* entries of the lists */
    uint32_t pages;         /* taken */
    uint32_t entries;       /* of the table of pages, handed out */
    uint32_t tiles;         /* of level 1, taken by its scatter */
    uint32_t digits;        /* of the slots, as in the report */
    uint32_t level_slots;   /* these, */
    uint32_t level_tiles;   /* their tiles, */
    uint32_t level_kind;    /* how level 2 finds their digits: enum gs_gpu_digits, */
    uint32_t level_repeats; /* and whether these may have heavy values: for who is not told */
    unsigned long long counts[GS_GPU_SPLITTERS_MAX + 1]; /* of level 1 */
#if GS_BITS > 32
    gs_key low[GS_GPU_COUNT_BLOCKS]; /* bounds of the keys that each block has counted */
    gs_key high[GS_GPU_COUNT_BLOCKS];
#endif
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
    struct gs_gpu_report *report;          /* pinned, host; NULL: the host waits for none, and grids
                                              are for the most slots and tiles that there may be */
    struct gs_gpu_door door; /* of level 1's source, and of what is stored in its place */
    /* Chosen by the device and n. */
    uint32_t small_keys;   /* most keys of a small job: GS_GPU_SMALL_KEYS, or twice that */
    uint32_t medium_keys;  /* most of any other: GS_GPU_MEDIUM_KEYS or small_keys; more if close */
    uint32_t sub_bin_keys; /* to aim at in a sub-bin */
    uint32_t cells;        /* most cells of the guide: a power of two, 1024 to GS_GPU_CELLS_MAX */
    uint32_t block_bytes;  /* most shared memory of a block */
    bool rows;             /* whether scatter has shared memory for rows */
    bool large_values;     /* and count_values has it for GS_GPU_VALUE_CELLS */
};

/* What kernels of a level ask how many slots and tiles there are, if the host is not told, so that
 * some blocks of their grid may have nothing to do; else NULL. */
static inline const struct gs_gpu_state *gs_gpu_asked(const struct gs_gpu_work *work)
{
    return work->report == NULL ? work->state : NULL;
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

#endif

/* gpu_sizes.h -- how much the GPU sample sort does at once: keys, bins, tiles, cells, tables.
 * SPDX-License-Identifier: MIT
 *
 * What depends on the device or on n besides is in struct gs_gpu_work, chosen by device_sizes.c.
 */
#ifndef GS_GPU_SIZES_H
#define GS_GPU_SIZES_H

#include "common/formats/keys.h"
#include "common/random.h" /* GS_HOST_DEVICE */

#include <assert.h>

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

static_assert(GS_GPU_SPLITTERS_MAX < 1 << GS_GPU_LEVELS_MAX, "all splitters are in the tree");
static_assert(GS_GPU_SMALL_KEYS % 256 == 0 && GS_GPU_MEDIUM_KEYS % 1024 == 0, "whole threads");
static_assert(GS_GPU_MEDIUM_KEYS / GS_GPU_REPEATED <= GS_GPU_DEEP_DIGITS,
              "lists have room for the digits of repeated values");
static_assert(GS_GPU_SUB_BIN_KEYS < GS_GPU_SMALL_KEYS, "a sub-bin fits its block");
static_assert(GS_GPU_TILE_KEYS <= GS_GPU_PAGE_KEYS && GS_GPU_AHEAD_KEYS <= GS_GPU_PAGE_KEYS,
              "a run is in two pages at most, and takes one at most");

#endif

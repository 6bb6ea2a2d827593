/* gpu_scatter_room.cuh -- shared memory of a scatter's tiles, and how wide its places are.
 * SPDX-License-Identifier: MIT
 *
 * The host's part of gpu_scatter.cuh. Rows take what shared memory there is: the more, the more
 * seldom a row is too short.
 */
#ifndef GS_GPU_SCATTER_ROOM_CUH
#define GS_GPU_SCATTER_ROOM_CUH

#include "sort/gpu_sort.h"

/* 32-bit positions are cheaper, and enough while an equality bin's "nowhere" still fits. */
#define GS_GPU_NARROW_KEYS (1ULL << 31)

static bool needs_wide(uint64_t n)
{
    return n > GS_GPU_NARROW_KEYS;
}

/* Words of shared memory for a tile: its rows, all that two blocks of a processor can have, or just
 * its keys. */
static uint32_t scatter_words(const struct gs_gpu_work *work, uint32_t tile_keys)
{
    if (!work->rows)
        return tile_keys;
    return tile_keys <= GS_GPU_SMALL_TILE_KEYS ? 4 * tile_keys : 2 * tile_keys + tile_keys / 8;
}

/* Words of shared memory that a block can have if two are to share a processor. */
#define HALF_ROOM (GS_GPU_HALF_ROOM / sizeof(uint32_t))

/* Words for a tile beside `others`: less if that lets two blocks share a processor. What a tile in
 * the order of its bins takes it must have. */
static uint32_t choose_words(const struct gs_gpu_work *work, uint32_t tile_keys, uint32_t others,
                             uint32_t most)
{
    const uint32_t words = scatter_words(work, tile_keys);
    const uint32_t least = tile_keys + 5 * most;
    if (!work->rows || others + words <= HALF_ROOM || others + least > HALF_ROOM)
        return words;
    return HALF_ROOM - others;
}

#endif

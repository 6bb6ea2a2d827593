/* gpu_scatter_room.cuh -- how much shared memory a scatter's tile gets; how wide positions are.
 * SPDX-License-Identifier: MIT
 *
 * The host's part of gpu_scatter.cuh. Rows take all shared memory that there is: longer rows
 * overflow less often.
 */
#ifndef GS_GPU_SCATTER_ROOM_CUH
#define GS_GPU_SCATTER_ROOM_CUH

#include "sort/device/kernels/gpu_work.h"

/* Up to here 32-bit positions are enough, with a value to spare for an equality bin's "nowhere".
 * They are cheaper. */
#define GS_GPU_NARROW_KEYS (1ULL << 31)

static inline bool needs_wide(uint64_t n)
{
    return n > GS_GPU_NARROW_KEYS;
}

/* Keys of shared memory for a tile: rows that take all that two blocks of a multiprocessor can
 * have, or without rows just its keys. */
static inline uint32_t scatter_room(const struct gs_gpu_work *work, uint32_t tile_keys)
{
    if (!work->rows)
        return tile_keys;
    return GS_BITS == 32 && tile_keys <= GS_GPU_SMALL_TILE_KEYS ? 4 * tile_keys
                                                                : 2 * tile_keys + tile_keys / 8;
}

/* Keys of shared memory for each of two blocks that share a multiprocessor. */
#define HALF_ROOM (GS_GPU_HALF_ROOM / sizeof(gs_key))

/* Keys for a tile beside `words` words: fewer if that lets two blocks share a multiprocessor, but
 * never fewer than a tile ordered by bin needs, with what pages need. */
static inline uint32_t choose_room(const struct gs_gpu_work *work, uint32_t tile_keys,
                                   uint32_t words, uint32_t most)
{
    const uint32_t others = (words * sizeof(uint32_t) + sizeof(gs_key) - 1) / sizeof(gs_key);
    const uint32_t room = scatter_room(work, tile_keys);
    const uint32_t least = tile_keys + 5 * most * sizeof(uint32_t) / sizeof(gs_key);
    if (!work->rows || others + room <= HALF_ROOM || others + least > HALF_ROOM)
        return room;
    return HALF_ROOM - others;
}

#endif

/* sort_few_gpu.cu -- sort a few keys by the whole device: the sample, and inputs without bins.
 * SPDX-License-Identifier: MIT
 *
 * Each block sorts a tile by a bitonic network. Then each key finds its rank in every other tile by
 * binary search; these ranks and its place in its own tile add up to its place in the output.
 * Neither step depends on how the keys are distributed: all inputs of a size take the same time.
 *
 * That takes n/TILE * log2(TILE) probes per key: more than a sample sort needs, but two kernels
 * instead of its nine, which is what counts while n is small. Equal keys are in their tiles' order.
 *
 * [Ranks by binary search: Satish, Harris, Garland, IPDPS 2009]
 */
#include "sort/device/kernels/gpu_bitonic.cuh"
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"

enum {
    RANK_THREADS = 256, /* one key each */
    RANK_TILES = 4,     /* searched side by side: a probe waits for the previous one */
    TILE_SMALL = GS_BITS == 32 ? 2048 : 1024,   /* for few keys: more multiprocessors get some */
    TILE_MEDIUM = GS_BITS == 128 ? 2048 : 4096, /* wider keys: as many as fit */
    TILE_LARGE = GS_BITS == 32 ? 8192 : TILE_MEDIUM, /* for many keys: fewer tiles to search */
    MEDIUM_KEYS = 1U << 14, /* below this, tiles are small, unless one medium tile will do */
    LARGE_KEYS = 1U << 16   /* up to this, tiles are medium */
};

/* Sort each tile of THREADS * BITONIC_KEYS keys, from in to out, which may be the same. */
template <int THREADS>
static __global__ void __launch_bounds__(THREADS)
    sort_tiles_kernel(const gs_key *in, gs_key *out, uint32_t n)
{
    after_previous();
    __shared__ gs_key s_keys[THREADS * BITONIC_KEYS + THREADS * BITONIC_KEYS / 32];
    const uint32_t first = blockIdx.x * THREADS * BITONIC_KEYS;
    const uint32_t t = threadIdx.x;
    gs_key key[BITONIC_KEYS];
#pragma unroll
    for (int i = 0; i < BITONIC_KEYS; i++) {
        uint32_t x = first + i * THREADS + t;
        key[i] = x < n ? in[x] : GS_KEY_MAX; /* sorts behind all keys, where it is not written */
    }
    sort_bitonic(key, s_keys, (uint32_t)THREADS);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BITONIC_KEYS; i++)
        s_keys[t * BITONIC_KEYS + i + t * BITONIC_KEYS / 32] = key[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BITONIC_KEYS; i++) {
        uint32_t x = i * THREADS + t;
        if (first + x < n)
            out[first + x] = s_keys[x + x / 32];
    }
}

/* How many keys of the tiles first .. last-1 are less than `key` or, if EQUAL, equal to it. */
template <int TILE, bool EQUAL>
static __device__ __forceinline__ uint32_t rank_in_tiles(const gs_key *keys, uint32_t n,
                                                         uint32_t first, uint32_t last, gs_key key)
{
    uint32_t rank = 0;
    for (uint32_t tile = first; tile < last; tile += RANK_TILES) {
        uint32_t start[RANK_TILES];
        uint32_t end[RANK_TILES];
        uint32_t at[RANK_TILES]; /* the keys before this one come before `key` */
#pragma unroll
        for (int i = 0; i < RANK_TILES; i++) {
            start[i] = tile + i < last ? (tile + i) * TILE : n;
            end[i] = min(start[i] + TILE, n);
            at[i] = start[i];
        }
#pragma unroll 1
        for (uint32_t half = TILE; half > 0; half /= 2) {
            gs_key probe[RANK_TILES];
#pragma unroll
            for (int i = 0; i < RANK_TILES; i++)
                probe[i] = at[i] + half <= end[i] ? keys[at[i] + half - 1] : 0;
#pragma unroll
            for (int i = 0; i < RANK_TILES; i++)
                if (at[i] + half <= end[i] && (EQUAL ? probe[i] <= key : probe[i] < key))
                    at[i] += half;
        }
#pragma unroll
        for (int i = 0; i < RANK_TILES; i++)
            rank += at[i] - start[i];
    }
    return rank;
}

/* Put each key of sorted tiles into its place. */
template <int TILE>
static __global__ void __launch_bounds__(RANK_THREADS)
    merge_tiles_kernel(const gs_key *__restrict__ in, gs_key *out, uint32_t n)
{
    after_previous();
    const uint32_t x = blockIdx.x * RANK_THREADS + threadIdx.x;
    const uint32_t mine = blockIdx.x * RANK_THREADS / TILE;
    const uint32_t tiles = (n + TILE - 1) / TILE;
    if (x >= n)
        return;
    const gs_key key = in[x];
    const uint32_t place = x - mine * TILE + rank_in_tiles<TILE, true>(in, n, 0, mine, key) +
                           rank_in_tiles<TILE, false>(in, n, mine + 1, tiles, key);
    out[place] = key;
}

template <int TILE>
static cudaError_t sort_by_tiles(gs_key *keys, gs_key *spare, uint32_t n, cudaStream_t stream)
{
    const uint32_t tiles = (n + TILE - 1) / TILE;
    gs_key *sorted = tiles > 1 ? spare : keys;
    cudaError_t error = gs_launch_next(sort_tiles_kernel<TILE / BITONIC_KEYS>, tiles,
                                       TILE / BITONIC_KEYS, 0, stream, keys, sorted, n);
    if (error == cudaSuccess && tiles > 1)
        error = gs_launch_next(merge_tiles_kernel<TILE>, (n + RANK_THREADS - 1) / RANK_THREADS,
                               RANK_THREADS, 0, stream, sorted, keys, n);
    return error;
}

cudaError_t gs_sort_few_gpu(gs_key *keys, gs_key *spare, uint32_t n, cudaStream_t stream)
{
    if (n <= 1)
        return cudaSuccess;
    if (n <= TILE_SMALL || (n > TILE_MEDIUM && n < MEDIUM_KEYS) ||
        (GS_BITS > 32 && n <= MEDIUM_KEYS))
        return sort_by_tiles<TILE_SMALL>(keys, spare, n, stream);
    if (n <= LARGE_KEYS)
        return sort_by_tiles<TILE_MEDIUM>(keys, spare, n, stream);
    return sort_by_tiles<TILE_LARGE>(keys, spare, n, stream);
}

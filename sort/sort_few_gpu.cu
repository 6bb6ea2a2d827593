/* sort_few_gpu.cu -- sort a few keys by all of the device: the sample, and inputs without bins.
 * SPDX-License-Identifier: MIT
 *
 * Each block sorts a tile by a bitonic network. Then each key looks for its rank in every other
 * tile by binary search; with its place in its own tile, these add up to its place in the output.
 * Neither step looks at how the keys are distributed: all inputs of a size take the same time.
 *
 * That is n/TILE * log2(TILE) probes a key: more than a sample sort needs, but two kernels for its
 * nine, which is what counts while n is small. Equal keys are told apart by their tiles' order.
 *
 * The network is the form in which all comparisons point upwards: the first step of each merge
 * compares x with its mirror image. A thread holds 8 keys in a row: strides below 8 stay in its
 * registers, strides below 256 are shuffles, the others go through shared memory.
 * [Batcher 1968; ranks by binary search: Satish, Harris, Garland, IPDPS 2009]
 */
#include "sort/gpu_block.cuh"

enum {
    KEYS = 8,           /* of a thread */
    RANK_THREADS = 256, /* a key each */
    RANK_TILES = 4,     /* searched side by side: a probe waits for the one before it */
    TILE_SMALL = 2048,  /* where few keys are: more processors have some */
    TILE_MEDIUM = 4096,
    TILE_LARGE = 8192,      /* where many are: fewer tiles to search */
    MEDIUM_KEYS = 1U << 14, /* up to here tiles are small, */
    LARGE_KEYS = 1U << 16   /* and up to here medium */
};

/* The keys of this thread against those of the thread with that bit or those bits changed: keep the
 * lesser ones if this is the lower thread. */
static __device__ __forceinline__ uint32_t keep(uint32_t mine, uint32_t other, bool lower)
{
    return lower ? min(mine, other) : max(mine, other);
}

/* Strides that stay within a thread, and with MIRROR the mirrored first step of a merge of 2 *
 * STRIDE keys. */
template <int STRIDE, bool MIRROR>
static __device__ __forceinline__ void step_registers(uint32_t (&key)[KEYS])
{
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        const int other = MIRROR ? i ^ (2 * STRIDE - 1) : i ^ STRIDE;
        if (i < other) {
            uint32_t least = min(key[i], key[other]);
            key[other] = max(key[i], key[other]);
            key[i] = least;
        }
    }
}

/* The strides below KEYS, down to 1. */
static __device__ __forceinline__ void finish_registers(uint32_t (&key)[KEYS])
{
    step_registers<4, false>(key);
    step_registers<2, false>(key);
    step_registers<1, false>(key);
}

/* One step between lanes; `lanes` are the bits of the lane that differ. */
template <bool MIRROR>
static __device__ __forceinline__ void step_lanes(uint32_t (&key)[KEYS], uint32_t lanes, bool lower)
{
    uint32_t other[KEYS];
#pragma unroll
    for (int i = 0; i < KEYS; i++)
        other[i] = __shfl_xor_sync(GS_ALL_LANES, key[MIRROR ? KEYS - 1 - i : i], (int)lanes);
#pragma unroll
    for (int i = 0; i < KEYS; i++)
        key[i] = keep(key[i], other[i], lower);
}

/* One step between warps. */
template <int THREADS, bool MIRROR>
static __device__ __forceinline__ void step_block(uint32_t (&key)[KEYS], uint32_t *s_keys,
                                                  uint32_t threads, bool lower)
{
    const uint32_t t = threadIdx.x;
    __syncthreads(); /* the step before has been read */
#pragma unroll
    for (int i = 0; i < KEYS; i++)
        s_keys[i * THREADS + t] = key[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        const int from = MIRROR ? KEYS - 1 - i : i;
        key[i] = keep(key[i], s_keys[from * THREADS + (t ^ threads)], lower);
    }
}

/* Sort key[0 .. KEYS) of all threads, thread by thread. */
template <int THREADS>
static __device__ __forceinline__ void sort_tile(uint32_t (&key)[KEYS], uint32_t *s_keys)
{
    const uint32_t t = threadIdx.x;
    step_registers<1, true>(key);
    step_registers<2, true>(key);
    step_registers<1, false>(key);
    step_registers<4, true>(key);
    step_registers<2, false>(key);
    step_registers<1, false>(key);
    /* Merge runs of `half` threads. */
#pragma unroll 1
    for (uint32_t half = 1; half < THREADS; half *= 2) {
        if (half < 32)
            step_lanes<true>(key, 2 * half - 1, (t & half) == 0);
        else
            step_block<THREADS, true>(key, s_keys, 2 * half - 1, (t & half) == 0);
#pragma unroll 1
        for (uint32_t stride = half / 2; stride >= 32; stride /= 2)
            step_block<THREADS, false>(key, s_keys, stride, (t & stride) == 0);
#pragma unroll 1
        for (uint32_t stride = min(half / 2, 16); stride > 0; stride /= 2)
            step_lanes<false>(key, stride, (t & stride) == 0);
        finish_registers(key);
    }
}

/* Sort each tile of THREADS * KEYS keys, from in to out, which may be the same. */
template <int THREADS>
static __global__ void __launch_bounds__(THREADS)
    sort_tiles_kernel(const uint32_t *in, uint32_t *out, uint32_t n)
{
    __shared__ uint32_t s_keys[THREADS * KEYS + THREADS * KEYS / 32];
    const uint32_t first = blockIdx.x * THREADS * KEYS;
    const uint32_t t = threadIdx.x;
    uint32_t key[KEYS];
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        uint32_t x = first + i * THREADS + t;
        key[i] = x < n ? in[x] : GS_KEY_MAX; /* behind all others, where none is written */
    }
    sort_tile<THREADS>(key, s_keys);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < KEYS; i++)
        s_keys[t * KEYS + i + t * KEYS / 32] = key[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        uint32_t x = i * THREADS + t;
        if (first + x < n)
            out[first + x] = s_keys[x + x / 32];
    }
}

/* How many keys of the tiles first .. last-1 come before `key`: less than it, or EQUAL to it. */
template <int TILE, bool EQUAL>
static __device__ __forceinline__ uint32_t rank_in_tiles(const uint32_t *keys, uint32_t n,
                                                         uint32_t first, uint32_t last,
                                                         uint32_t key)
{
    uint32_t rank = 0;
    for (uint32_t tile = first; tile < last; tile += RANK_TILES) {
        uint32_t start[RANK_TILES];
        uint32_t end[RANK_TILES];
        uint32_t at[RANK_TILES]; /* keys before it come before `key` */
#pragma unroll
        for (int i = 0; i < RANK_TILES; i++) {
            start[i] = tile + i < last ? (tile + i) * TILE : n;
            end[i] = min(start[i] + TILE, n);
            at[i] = start[i];
        }
#pragma unroll 1
        for (uint32_t half = TILE; half > 0; half /= 2) {
            uint32_t probe[RANK_TILES];
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
    merge_tiles_kernel(const uint32_t *__restrict__ in, uint32_t *out, uint32_t n)
{
    const uint32_t x = blockIdx.x * RANK_THREADS + threadIdx.x;
    const uint32_t mine = blockIdx.x * RANK_THREADS / TILE;
    const uint32_t tiles = (n + TILE - 1) / TILE;
    if (x >= n)
        return;
    const uint32_t key = in[x];
    const uint32_t place = x - mine * TILE + rank_in_tiles<TILE, true>(in, n, 0, mine, key) +
                           rank_in_tiles<TILE, false>(in, n, mine + 1, tiles, key);
    out[place] = key;
}

template <int TILE>
static cudaError_t sort_by_tiles(uint32_t *keys, uint32_t *spare, uint32_t n, cudaStream_t stream)
{
    const uint32_t tiles = (n + TILE - 1) / TILE;
    uint32_t *sorted = tiles > 1 ? spare : keys;
    sort_tiles_kernel<TILE / KEYS><<<tiles, TILE / KEYS, 0, stream>>>(keys, sorted, n);
    if (tiles > 1)
        merge_tiles_kernel<TILE>
            <<<(n + RANK_THREADS - 1) / RANK_THREADS, RANK_THREADS, 0, stream>>>(sorted, keys, n);
    return cudaGetLastError();
}

cudaError_t gs_sort_few_gpu(uint32_t *keys, uint32_t *spare, uint32_t n, cudaStream_t stream)
{
    if (n <= 1)
        return cudaSuccess;
    if (n <= TILE_SMALL || (n > TILE_MEDIUM && n < MEDIUM_KEYS))
        return sort_by_tiles<TILE_SMALL>(keys, spare, n, stream);
    if (n <= LARGE_KEYS)
        return sort_by_tiles<TILE_MEDIUM>(keys, spare, n, stream);
    return sort_by_tiles<TILE_LARGE>(keys, spare, n, stream);
}

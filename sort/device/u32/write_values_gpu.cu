/* write_values_gpu.cu -- write the runs of slots whose values count_values_gpu.cu has counted.
 * SPDX-License-Identifier: MIT
 *
 * A block writes a share of one slot, tile by tile: it brings the tile's runs into shared memory,
 * and each thread finds the run that its first key is in.
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/u32/gpu_values.cuh"

enum {
    WRITE_THREADS = 128,
    WRITE_KEYS = WRITE_THREADS * ITEMS,
    BLOCKS_WANTED = 16 /* for each multiprocessor */
};

/* By a block: the index of the last of `count` runs that begins at `place` or before. */
static __device__ uint32_t find_run(const uint32_t *starts, uint32_t count, uint32_t place)
{
    uint32_t low = 0;
    while (count > 1) {
        const uint32_t step = (count + WRITE_THREADS - 1) / WRITE_THREADS;
        const uint32_t probe = threadIdx.x * step;
        const int below = __syncthreads_count(probe < count && starts[low + probe] <= place);
        const uint32_t last = ((uint32_t)below - 1) * step;
        low += last;
        count = min(step, count - last);
    }
    return low;
}

/* A block writes a share of one slot's runs, tile by tile. to_b: the level scatters to b. */
static __global__ void __launch_bounds__(WRITE_THREADS)
    write_values_kernel(const uint32_t *b, bool to_b, uint32_t *a, const struct gs_gpu_slot *slots,
                        uint32_t shares)
{
    after_previous();
    __shared__ uint32_t s_value[WRITE_KEYS];
    __shared__ uint32_t s_start[WRITE_KEYS + 1];
    __shared__ uint32_t s_keys[key_words(WRITE_KEYS)];
    __shared__ uint32_t s_runs;
    const uint64_t start = slots[blockIdx.x / shares].start;
    const uint64_t size = slots[blockIdx.x / shares].size;
    const uint32_t values = slots[blockIdx.x / shares].values;
    if (values == 0)
        return;
    const uint32_t share = blockIdx.x % shares;
    const uint64_t tiles = (size + WRITE_KEYS - 1) / WRITE_KEYS;
    uint64_t place = tiles * share / shares * WRITE_KEYS;
    const uint64_t end = min(tiles * (share + 1) / shares * WRITE_KEYS, size);
    const struct gs_gpu_slot *slot = &slots[blockIdx.x / shares];
    const uint32_t *value = b + (to_b ? slot->to : slot->from);
    const uint32_t *starts = value + values;
    if (place >= end)
        return;
    uint32_t run = find_run(starts, values, (uint32_t)place);
    for (; place < end; place += WRITE_KEYS) {
        const uint32_t keys = (uint32_t)min(end - place, (uint64_t)WRITE_KEYS);
        const uint64_t behind = place + keys;
        for (uint32_t i = threadIdx.x; i < keys && run + i < values && starts[run + i] < behind;
             i += WRITE_THREADS) {
            s_value[i] = value[run + i];
            s_start[i] = max(starts[run + i], (uint32_t)place) - (uint32_t)place;
            if (run + i + 1 == values ||
                starts[run + i + 1] >= behind) { /* the last run of this tile */
                s_start[i + 1] = keys;
                s_runs = i + 1;
            }
        }
        __syncthreads();
        const uint32_t runs = s_runs;
        uint32_t power = 1;
        while (power < runs)
            power *= 2;
        write_runs<WRITE_THREADS>(a + start + place, keys, runs, power, s_value, s_start, s_keys);
        run += runs - 1; /* the last run may go on in the next tile */
        if (run + 1 < values && starts[run + 1] <= behind)
            run++;
    }
}

cudaError_t gs_write_values_gpu(const struct gs_gpu_work *work, unsigned level, uint32_t *a,
                                const uint32_t *b, uint32_t slots, uint32_t tiles,
                                unsigned processors, cudaStream_t stream)
{
    const uint64_t mean = (uint64_t)tiles * GS_GPU_TILE_KEYS / slots;
    const uint64_t most = mean / (2 * WRITE_KEYS);
    const uint32_t wanted = (BLOCKS_WANTED * processors + slots - 1) / slots;
    const uint32_t shares = most < 1 ? 1 : most < wanted ? (uint32_t)most : wanted;
    return gs_launch_next(write_values_kernel, slots * shares, WRITE_THREADS, 0, stream, b,
                          level % 2 != 0, a, work->slots[level & 1], shares);
}

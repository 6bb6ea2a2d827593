/* map_digits_gpu.cu -- digits that follow the keys, for slots where these are spread unevenly.
 * SPDX-License-Identifier: MIT
 *
 * A linear digit cuts a slot into many cells of equal width. A sample of the slot tells how many
 * keys each has, and cells in a row become a digit of about as many keys as any other: a sample
 * sort's bins whose splitters lie where cells begin, so that one look-up finds a key's. What is
 * uneven on a smaller scale than a cell, sort_bins_gpu.cu sees to.
 */
#include "sort/gpu_launch.cuh"
#include "sort/gpu_launchers.h"
#include "sort/gpu_views.cuh"
#include "sort/params.h"

enum {
    MAP_THREADS = 1024,
    MAP_ITEMS = 4,  /* keys of the sample that a thread draws at once */
    MAP_SPARSE = 4, /* keys of the slot for one of the sample at least */
    MAP_EACH = 32,  /* of the sample for a digit: chance makes a sixth of them */
    CELLS = GS_GPU_MAP_CELLS / MAP_THREADS /* of a thread */
};

static_assert(GS_GPU_MAP_CELLS % MAP_THREADS == 0 && CELLS == 8, "a thread writes 16 bytes");
static_assert((uint64_t)MAP_EACH * GS_GPU_DIGITS_MAX * 2 * GS_GPU_DIGITS_MAX <= UINT32_MAX,
              "twice the sample times the digits fits a word");

/* A block makes the map of one slot. */
static __global__ void __launch_bounds__(MAP_THREADS)
    map_digits_kernel(const uint32_t *__restrict__ keys, const struct gs_gpu_pages pages,
                      const struct gs_gpu_slot *slots, uint16_t *map)
{
    after_previous();
    __shared__ __align__(16) uint32_t s_count[GS_GPU_MAP_CELLS];
    __shared__ uint32_t s_partial[33];
    const uint32_t t = threadIdx.x;
    const struct gs_gpu_slot slot = slots[blockIdx.x];
    const uint32_t size = (uint32_t)min(slot.size, (uint64_t)UINT32_MAX);
    const uint32_t samples = min(size / MAP_SPARSE, MAP_EACH * slot.bins);
    const uint32_t apart = size / max(samples, 1U);
    if (slot.bins == 0)
        return;
    for (uint32_t cell = t; cell < GS_GPU_MAP_CELLS; cell += MAP_THREADS)
        s_count[cell] = slot.mapped ? 0 : 1;
    __syncthreads();
    for (uint32_t first = t; slot.mapped && first < samples; first += MAP_ITEMS * MAP_THREADS) {
        uint32_t key[MAP_ITEMS];
#pragma unroll
        for (int i = 0; i < MAP_ITEMS; i++) {
            const uint32_t j = min(first + i * MAP_THREADS, samples - 1);
            const uint32_t at = j * apart + __umulhi((uint32_t)gs_random(GS_SAMPLE_SEED, j), apart);
            key[i] = tile_at(pages, keys, slot, at / GS_GPU_TILE_KEYS)[at % GS_GPU_TILE_KEYS];
        }
#pragma unroll
        for (int i = 0; i < MAP_ITEMS; i++)
            if (first + i * MAP_THREADS < samples)
                atomicAdd(&s_count[min(digit_of(slot.digit, key[i]), GS_GPU_MAP_CELLS - 1U)], 1);
    }
    __syncthreads();
    uint32_t count[CELLS];
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < CELLS; i++)
        sum += count[i] = s_count[t * CELLS + i];
    uint32_t all;
    uint32_t before = scan_block<MAP_THREADS>(sum, s_partial, &all);
    uint32_t digit[CELLS];
#pragma unroll
    for (int i = 0; i < CELLS; i++) {
        /* Where the middle of the cell's keys is; of other slots a cell is a digit. */
        const uint32_t twice = 2 * before + count[i];
        digit[i] = slot.mapped ? twice * slot.bins / (2 * max(all, 1U)) : t * CELLS + i;
        digit[i] = min(digit[i], slot.bins - 1);
        before += count[i];
    }
    ((uint4 *)(map + (uint64_t)blockIdx.x * GS_GPU_MAP_CELLS))[t] =
        make_uint4(digit[0] | digit[1] << 16, digit[2] | digit[3] << 16, digit[4] | digit[5] << 16,
                   digit[6] | digit[7] << 16);
}

cudaError_t gs_map_digits_gpu(const struct gs_gpu_work *work, const uint32_t *keys, uint32_t slots,
                              cudaStream_t stream)
{
    return gs_launch_next(map_digits_kernel, slots, MAP_THREADS, 0, stream, keys, work->pages,
                          work->slots[0], work->digit_map);
}

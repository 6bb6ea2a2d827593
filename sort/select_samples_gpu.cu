/* select_samples_gpu.cu -- draw the sample from keys in device memory, and make splitters of it.
 * SPDX-License-Identifier: MIT
 *
 * The positions are those of select_samples_cpu.c. They ascend, so the sample in the order of its
 * positions also tells whether the whole input may be in order: only then is it worth looking.
 */
#include "sort/gpu_block.cuh"
#include "sort/params.h"
#include "sort/sample_position.h"

enum { SELECT_THREADS = 256, TABLE_THREADS = 1024 };

/* Load sample i and its successor: compare the two, keep the first. */
static __global__ void select_samples_kernel(const uint32_t *keys, uint64_t n, uint32_t samples,
                                             uint64_t seed, uint32_t *sample,
                                             struct gs_gpu_state *state)
{
    uint32_t i = blockIdx.x * SELECT_THREADS + threadIdx.x;
    uint32_t order = 0;
    if (i < samples) {
        uint32_t key = keys[gs_sample_position(i, samples, n, seed)];
        if (i + 1 < samples) {
            uint32_t next = keys[gs_sample_position(i + 1, samples, n, seed)];
            order = (key > next ? GS_GPU_DESCENT : 0) | (key < next ? GS_GPU_ASCENT : 0);
        }
        sample[i] = key;
    }
    order = reduce_or_warp(order);
    if (lane_index() == 0 && order != 0)
        atomicOr(&state->sample_order, order);
}

/* Fill tree and guide from the splitters in shared memory, by one block. */
static __device__ void build_tables(struct gs_gpu_tables *tables, const uint32_t *s_splitter,
                                    uint16_t *s_first, uint32_t count, uint32_t cells)
{
    __shared__ uint32_t s_crowded;
    __shared__ uint32_t s_pairs;
    uint32_t levels = 32 - (uint32_t)__clz((int)count);
    for (uint32_t node = 1 + threadIdx.x; node < 1U << levels; node += TABLE_THREADS) {
        uint32_t level = 31 - (uint32_t)__clz((int)node);
        uint32_t rank = ((2 * (node - (1U << level)) + 1) << (levels - level - 1)) - 1;
        tables->tree[node] = rank < count ? s_splitter[rank] : GS_KEY_MAX;
    }
    uint32_t base = count > 0 ? s_splitter[0] : 0;
    uint32_t width = count > 0 ? s_splitter[count - 1] - base : 0;
    uint32_t limit = count > 0 && width < GS_KEY_MAX ? width + 1 : width;
    uint32_t shift = 0;
    while (limit >> shift >= cells)
        shift++;
    if (threadIdx.x == 0)
        s_crowded = s_pairs = 0;
    /* The first bin of each cell: the number of splitters below the cell's first key. */
    for (uint32_t cell = threadIdx.x; cell < cells; cell += TABLE_THREADS) {
        uint64_t start = (uint64_t)cell << shift;
        uint32_t low = 0;
        for (uint32_t half = 1U << levels >> 1; half > 0; half >>= 1)
            low += low + half <= count && s_splitter[low + half - 1] - base < start ? half : 0;
        s_first[cell] = (uint16_t)low;
    }
    __syncthreads();
    for (uint32_t cell = threadIdx.x; cell < cells; cell += TABLE_THREADS) {
        uint32_t first = s_first[cell];
        uint32_t inside = (cell + 1 < cells ? s_first[cell + 1] : count) - first;
        uint32_t mask = (1U << shift) - 1;
        uint32_t carry = inside > 0 ? mask - ((s_splitter[first] - base) & mask) : 0;
        bool pair = inside == 2 && s_splitter[first + 1] - s_splitter[first] == 1;
        tables->guide[cell] = first << shift | carry | (pair ? GS_GPU_PAIR : 0);
        if (pair)
            s_pairs = 1;
        else if (inside > 1)
            s_crowded = 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        tables->count = count;
        tables->search = s_crowded ? GS_GPU_TREE : s_pairs ? GS_GPU_GUIDE_PAIRS : GS_GPU_GUIDE;
        tables->base = base;
        tables->limit = limit;
        tables->shift = shift;
        tables->cells = cells;
        tables->levels = levels;
    }
}

/* Pick every samples/bins-th of the sorted sample; a value that the sample holds more than once
 * there becomes an equality bin, between the splitters v-1 and v. */
static __global__ void __launch_bounds__(TABLE_THREADS)
    choose_splitters_kernel(const uint32_t *sample, uint32_t samples, uint32_t bins, uint32_t cells,
                            struct gs_gpu_tables *tables)
{
    __shared__ uint32_t s_splitter[GS_GPU_SPLITTERS_MAX + 1];
    __shared__ uint16_t s_first[GS_GPU_CELLS_MAX];
    __shared__ uint32_t s_partial[33];
    uint32_t t = threadIdx.x;
    uint32_t emitted = 0;
    uint32_t key = 0;
    bool below = false;
    if (t + 1 < bins) {
        uint32_t pick = (uint32_t)((uint64_t)(t + 1) * samples / bins);
        uint32_t before = t > 0 ? sample[(uint64_t)t * samples / bins] : 0;
        uint32_t share = max(samples / bins / 2, 1U);
        key = sample[pick];
        bool heavy = (pick + share < samples && sample[pick + share] == key) ||
                     (pick >= share && sample[pick - share] == key);
        if (t == 0 || before != key) {
            below = heavy && key > 0 && (t == 0 || before != key - 1);
            emitted = below + (key < GS_KEY_MAX); /* nothing lies above the largest key */
        }
    }
    uint32_t count;
    uint32_t place = scan_block<TABLE_THREADS>(emitted, s_partial, &count);
    if (below)
        s_splitter[place++] = key - 1;
    if (emitted > below)
        s_splitter[place] = key;
    __syncthreads();
    for (uint32_t i = t; i < count; i += TABLE_THREADS)
        tables->splitter[i] = s_splitter[i];
    build_tables(tables, s_splitter, s_first, count, cells);
}

static __global__ void __launch_bounds__(TABLE_THREADS)
    build_tables_kernel(struct gs_gpu_tables *tables, uint32_t cells)
{
    __shared__ uint32_t s_splitter[GS_GPU_SPLITTERS_MAX + 1];
    __shared__ uint16_t s_first[GS_GPU_CELLS_MAX];
    uint32_t count = tables->count;
    for (uint32_t i = threadIdx.x; i < count; i += TABLE_THREADS)
        s_splitter[i] = tables->splitter[i];
    __syncthreads();
    build_tables(tables, s_splitter, s_first, count, cells);
}

cudaError_t gs_select_samples_gpu(const struct gs_gpu_work *work, const uint32_t *keys, uint64_t n,
                                  uint32_t samples, cudaStream_t stream)
{
    unsigned blocks = (samples + SELECT_THREADS - 1) / SELECT_THREADS;
    select_samples_kernel<<<blocks, SELECT_THREADS, 0, stream>>>(keys, n, samples, GS_SAMPLE_SEED,
                                                                 work->samples, work->state);
    return cudaGetLastError();
}

cudaError_t gs_choose_splitters_gpu(const struct gs_gpu_work *work, uint32_t samples, uint32_t bins,
                                    cudaStream_t stream)
{
    choose_splitters_kernel<<<1, TABLE_THREADS, 0, stream>>>(work->samples, samples, bins,
                                                             gs_gpu_cells(bins), work->tables);
    return cudaGetLastError();
}

cudaError_t gs_build_tables_gpu(const struct gs_gpu_work *work, uint32_t bins, cudaStream_t stream)
{
    build_tables_kernel<<<1, TABLE_THREADS, 0, stream>>>(work->tables, gs_gpu_cells(bins));
    return cudaGetLastError();
}

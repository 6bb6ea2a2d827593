/* select_samples_gpu.cu -- draw the sample from keys in device memory, and make splitters of it.
 * SPDX-License-Identifier: MIT
 *
 * The positions are those of select_samples_cpu.c. They ascend, so the sample in the order of its
 * positions also tells whether the whole input may be in order: only then is it worth looking.
 */
#include "sort/gpu_block.cuh"
#include "sort/params.h"
#include "sort/sample_position.h"

enum { SELECT_THREADS = GS_GPU_SAMPLE_BLOCK, TABLE_THREADS = 1024 };

/* Load sample i and its successor: compare the two, keep the first. */
static __global__ void select_samples_kernel(const uint32_t *keys, uint64_t n, uint32_t samples,
                                             uint64_t seed, uint32_t *sample,
                                             struct gs_gpu_tables *tables)
{
    __shared__ uint32_t s_order;
    uint32_t i = blockIdx.x * SELECT_THREADS + threadIdx.x;
    uint32_t order = 0;
    if (threadIdx.x == 0)
        s_order = 0;
    __syncthreads();
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
        atomicOr(&s_order, order);
    __syncthreads();
    if (threadIdx.x == 0)
        tables->order[blockIdx.x] = s_order;
}

/* What one block needs to build the tables. */
struct builder {
    uint32_t splitter[GS_GPU_SPLITTERS_MAX + 1];
    uint32_t partial[33];
    uint32_t steps[2]; /* that equal cells, and cells of a log, leave */
    uint32_t crowded;
    uint32_t pairs;
    uint32_t repeats;
};

/* The first splitter at or behind `first` whose cell is not before `cell`. */
template <bool LOG>
static __device__ uint32_t find_cell(const struct builder *s_build, uint32_t first, uint32_t count,
                                     uint32_t cell, uint32_t limit, uint32_t shift)
{
    while (first < count) {
        uint32_t half = (first + count) / 2;
        uint32_t key = s_build->splitter[half];
        /* No splitter is before the base, or behind the limit. */
        if ((LOG ? cell_of<true>(key, s_build->splitter[0], limit, shift)
                 : (key - s_build->splitter[0]) >> shift) < cell)
            first = half + 1;
        else
            count = half;
    }
    return first;
}

/* The halving steps that splitter i needs behind it: its cell has less than 2^steps of them. */
template <bool LOG>
static __device__ uint32_t count_steps(const struct builder *s_build, uint32_t i, uint32_t count,
                                       uint32_t limit, uint32_t shift)
{
    const uint32_t base = s_build->splitter[0];
    const uint32_t cell = cell_of<LOG>(s_build->splitter[i], base, limit, shift);
    uint32_t steps = 1;
    while (i + (1U << steps) - 1 < count &&
           cell_of<LOG>(s_build->splitter[i + (1U << steps) - 1], base, limit, shift) == cell)
        steps++;
    return steps;
}

/* The guide for steps: the first bin of each cell. */
template <bool LOG>
static __device__ void fill_cells(const struct builder *s_build, struct gs_gpu_tables *tables,
                                  uint32_t count, uint32_t cells, uint32_t limit, uint32_t shift)
{
    for (uint32_t cell = threadIdx.x; cell < cells; cell += TABLE_THREADS)
        tables->guide[cell] = find_cell<LOG>(s_build, 0, count, cell, limit, shift);
}

/* One guide for all splitters if no cell has two of them, or but for pairs. */
static __device__ void build_guide(struct builder *s_build, struct gs_gpu_tables *tables,
                                   uint32_t count, uint32_t limit, uint32_t shift)
{
    const uint32_t mask = (1U << shift) - 1;
    for (uint32_t cell = threadIdx.x; cell <= limit >> shift; cell += TABLE_THREADS) {
        uint32_t first = find_cell<false>(s_build, 0, count, cell, limit, shift);
        uint32_t inside =
            find_cell<false>(s_build, first, min(count, first + 3), cell + 1, limit, shift) - first;
        bool pair = inside == 2 && s_build->splitter[first + 1] - s_build->splitter[first] == 1;
        uint32_t carry =
            inside > 0 ? mask - ((s_build->splitter[first] - s_build->splitter[0]) & mask) : 0;
        tables->guide[cell] = (first << shift | carry) | (pair ? GS_GPU_PAIR : 0);
        if (pair)
            s_build->pairs = 1;
        else if (inside > 1)
            s_build->crowded = 1;
    }
}

/* Make the tables from the splitters in shared memory, by one block. */
static __device__ void build_tables(struct gs_gpu_tables *tables, struct builder *s_build,
                                    uint32_t count, uint32_t cells)
{
    const uint32_t t = threadIdx.x;
    uint32_t limit = count > 0 ? s_build->splitter[count - 1] - s_build->splitter[0] : 0;
    limit += count > 0 && limit < GS_KEY_MAX;
    uint32_t shift = 0;
    while (limit >> shift >= cells)
        shift++;
    /* So many that cells of a log hold all distances; cells is a power of two. */
    const uint32_t log_shift = 31 - (uint32_t)__clz((int)cells) - 5;
    if (t == 0)
        s_build->crowded = s_build->pairs = s_build->repeats = s_build->steps[0] =
            s_build->steps[1] = 0;
    __syncthreads();
    build_guide(s_build, tables, count, limit, shift);
    for (uint32_t i = t; i + 1 < count; i += TABLE_THREADS)
        if (s_build->splitter[i + 1] - s_build->splitter[i] == 1)
            s_build->repeats = 1;
    __syncthreads();
    uint32_t search = s_build->pairs ? GS_GPU_GUIDE_PAIRS : GS_GPU_GUIDE;
    if (s_build->crowded != 0) {
        for (uint32_t i = t; i < count; i += TABLE_THREADS) {
            atomicMax(&s_build->steps[0], count_steps<false>(s_build, i, count, limit, shift));
            atomicMax(&s_build->steps[1],
                      count_steps<true>(s_build, i, count, GS_KEY_MAX, log_shift));
        }
        __syncthreads();
        search = s_build->steps[1] < s_build->steps[0] ? GS_GPU_LOG_STEPS : GS_GPU_STEPS;
        if (search == GS_GPU_LOG_STEPS) {
            shift = log_shift;
            limit = GS_KEY_MAX;
            fill_cells<true>(s_build, tables, count, cells, limit, shift);
        } else {
            fill_cells<false>(s_build, tables, count, cells, limit, shift);
        }
    }
    if (t == 0) {
        tables->count = count;
        tables->search = search;
        tables->cells = cells;
        tables->repeats = s_build->repeats;
        tables->base = count > 0 ? s_build->splitter[0] : 0;
        tables->limit = limit;
        tables->shift = shift;
        tables->steps = s_build->steps[search == GS_GPU_LOG_STEPS];
    }
}

/* Set the state to its begin: nothing counted, and what order the sample was drawn in. */
static __device__ void clear_state(struct gs_gpu_state *state, const struct gs_gpu_tables *tables,
                                   uint32_t samples)
{
    uint32_t *word = (uint32_t *)state;
    for (uint32_t i = threadIdx.x; i < sizeof *state / sizeof *word; i += TABLE_THREADS)
        word[i] = 0;
    __syncthreads();
    if (threadIdx.x < (samples + SELECT_THREADS - 1) / SELECT_THREADS &&
        tables->order[threadIdx.x] != 0)
        atomicOr(&state->sample_order, tables->order[threadIdx.x]);
}

/* Pick every samples/bins-th of the sorted sample; a value that the sample holds more than once
 * there becomes an equality bin, between the splitters v-1 and v. */
static __global__ void __launch_bounds__(TABLE_THREADS)
    choose_splitters_kernel(const uint32_t *sample, uint32_t samples, uint32_t bins, uint32_t cells,
                            struct gs_gpu_tables *tables, struct gs_gpu_state *state)
{
    __shared__ struct builder s_build;
    clear_state(state, tables, samples);
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
    uint32_t place = scan_block<TABLE_THREADS>(emitted, s_build.partial, &count);
    if (below)
        s_build.splitter[place++] = key - 1;
    if (emitted > below)
        s_build.splitter[place] = key;
    __syncthreads();
    for (uint32_t i = t; i < count; i += TABLE_THREADS)
        tables->splitter[i] = s_build.splitter[i];
    build_tables(tables, &s_build, count, cells);
}

static __global__ void __launch_bounds__(TABLE_THREADS)
    build_tables_kernel(struct gs_gpu_tables *tables, uint32_t cells)
{
    __shared__ struct builder s_build;
    uint32_t count = tables->count;
    for (uint32_t i = threadIdx.x; i < count; i += TABLE_THREADS)
        s_build.splitter[i] = tables->splitter[i];
    __syncthreads();
    build_tables(tables, &s_build, count, cells);
}

cudaError_t gs_select_samples_gpu(const struct gs_gpu_work *work, const uint32_t *keys, uint64_t n,
                                  uint32_t samples, cudaStream_t stream)
{
    unsigned blocks = (samples + SELECT_THREADS - 1) / SELECT_THREADS;
    select_samples_kernel<<<blocks, SELECT_THREADS, 0, stream>>>(keys, n, samples, GS_SAMPLE_SEED,
                                                                 work->samples, work->tables);
    return cudaGetLastError();
}

cudaError_t gs_choose_splitters_gpu(const struct gs_gpu_work *work, uint32_t samples, uint32_t bins,
                                    cudaStream_t stream)
{
    choose_splitters_kernel<<<1, TABLE_THREADS, 0, stream>>>(
        work->samples, samples, bins, gs_gpu_cells(bins), work->tables, work->state);
    return cudaGetLastError();
}

cudaError_t gs_build_tables_gpu(const struct gs_gpu_work *work, uint32_t bins, cudaStream_t stream)
{
    build_tables_kernel<<<1, TABLE_THREADS, 0, stream>>>(work->tables, gs_gpu_cells(bins));
    return cudaGetLastError();
}

/* select_samples_gpu.cu -- draw the sample from keys in device memory, and make splitters of it.
 * SPDX-License-Identifier: MIT
 *
 * The positions are those of select_samples_cpu.c. They ascend, so the sample in the order of its
 * positions also tells whether the whole input may be in order: only then is it worth looking.
 */
#include "sort/gpu_block.cuh"
#include "sort/params.h"
#include "sort/sample_position.h"

enum {
    SELECT_THREADS = GS_GPU_SAMPLE_BLOCK,
    TABLE_THREADS = 1024,
    SEARCHED = 4 /* splitters in a cell from which on it may have a node */
};

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
    struct gs_gpu_node node[GS_GPU_NODES_MAX];
    uint32_t first[GS_GPU_NODES_MAX]; /* splitter of a node */
    uint32_t inside[GS_GPU_NODES_MAX];
    uint32_t nodes;
    uint32_t cells; /* of the guide, given out */
    uint32_t crowded;
    uint32_t pairs;
};

/* How many of the splitters from `first` on, `count` of them, are less than base + distance. */
static __device__ uint32_t count_below(const struct builder *s_build, uint32_t first,
                                       uint32_t count, uint32_t base, uint64_t distance)
{
    uint32_t low = first;
    while (count > 0) {
        uint32_t half = (count + 1) / 2;
        bool below = s_build->splitter[low + half - 1] - base < distance;
        low += below ? half : 0;
        count = below ? count - half : half - 1;
    }
    return low;
}

/* The node over splitters first .. first + count - 1, with `cells` cells. */
static __device__ struct gs_gpu_node make_node(const struct builder *s_build, uint32_t first,
                                               uint32_t count, uint32_t cell, uint32_t cells)
{
    struct gs_gpu_node node = {0, 0, 0, cell};
    if (count > 0) {
        node.base = s_build->splitter[first];
        node.limit = s_build->splitter[first + count - 1] - node.base;
        node.limit += node.limit < GS_KEY_MAX;
    }
    while (node.limit >> node.shift >= cells)
        node.shift++;
    return node;
}

/* The guide's entry for a cell with `inside` splitters, none or one. */
static __device__ __forceinline__ uint32_t plain_cell(const struct builder *s_build,
                                                      struct gs_gpu_node node, uint32_t first,
                                                      uint32_t inside)
{
    uint32_t mask = (1U << node.shift) - 1;
    uint32_t carry = inside > 0 ? mask - ((s_build->splitter[first] - node.base) & mask) : 0;
    return first << node.shift | carry;
}

/* The entry for two or more: a node where there is room for one that is worth it. */
static __device__ uint32_t crowded_cell(struct builder *s_build, uint32_t first, uint32_t inside,
                                        uint32_t cells_max)
{
    const uint32_t entry = GS_GPU_CROWDED | inside << GS_GPU_CROWD_SHIFT | first;
    if (inside < SEARCHED)
        return entry;
    uint32_t wanted = 4U << (32 - __clz((int)inside)); /* four to eight for each */
    uint32_t cell = atomicAdd(&s_build->cells, wanted);
    if (cell + wanted > cells_max)
        return entry;
    uint32_t node = atomicAdd(&s_build->nodes, 1);
    if (node >= GS_GPU_NODES_MAX)
        return entry;
    s_build->node[node] = make_node(s_build, first, inside, cell, wanted);
    s_build->first[node] = first;
    s_build->inside[node] = inside;
    return GS_GPU_CROWDED | GS_GPU_NODE | node;
}

/* Fill the cells of a node, thread `t` of `threads`. */
static __device__ void fill_node(struct builder *s_build, uint32_t *guide, struct gs_gpu_node node,
                                 uint32_t first, uint32_t count, uint32_t cells_max, uint32_t t,
                                 uint32_t threads)
{
    for (uint32_t cell = t; cell <= node.limit >> node.shift; cell += threads) {
        uint64_t start = (uint64_t)cell << node.shift;
        uint32_t low = count_below(s_build, first, count, node.base, start);
        uint32_t high =
            count_below(s_build, low, first + count - low, node.base, start + (1ULL << node.shift));
        guide[node.cell + cell] = high - low > 1 ? crowded_cell(s_build, low, high - low, cells_max)
                                                 : plain_cell(s_build, node, low, high - low);
    }
}

/* One guide for all splitters if no cell has two of them, or but for pairs. */
static __device__ void build_guide(struct builder *s_build, struct gs_gpu_tables *tables,
                                   struct gs_gpu_node root, uint32_t count)
{
    for (uint32_t cell = threadIdx.x; cell <= root.limit >> root.shift; cell += TABLE_THREADS) {
        uint64_t start = (uint64_t)cell << root.shift;
        uint32_t first = count_below(s_build, 0, count, root.base, start);
        uint32_t inside = count_below(s_build, first, min(count - first, 3U), root.base,
                                      start + (1ULL << root.shift)) -
                          first;
        bool pair = inside == 2 && s_build->splitter[first + 1] - s_build->splitter[first] == 1;
        tables->guide[cell] = plain_cell(s_build, root, first, inside) | (pair ? GS_GPU_PAIR : 0);
        if (pair)
            s_build->pairs = 1;
        else if (inside > 1)
            s_build->crowded = 1;
    }
}

/* Make the tables from the splitters in shared memory, by one block. Where they crowd, the guide
 * has half of the cells, and nodes share the others: round after round, the crowded cells of the
 * nodes that the round before has made. */
static __device__ void build_tables(struct gs_gpu_tables *tables, struct builder *s_build,
                                    uint32_t count, uint32_t cells)
{
    struct gs_gpu_node root = make_node(s_build, 0, count, 0, cells);
    if (threadIdx.x == 0)
        s_build->crowded = s_build->pairs = s_build->nodes = 0;
    __syncthreads();
    build_guide(s_build, tables, root, count);
    __syncthreads();
    const bool crowded = s_build->crowded != 0;
    if (crowded) {
        root = make_node(s_build, 0, count, 0, cells / 2);
        if (threadIdx.x == 0)
            s_build->cells = cells / 2;
        __syncthreads();
        fill_node(s_build, tables->guide, root, 0, count, cells, threadIdx.x, TABLE_THREADS);
        __syncthreads();
        for (uint32_t done = 0; done < min(s_build->nodes, (uint32_t)GS_GPU_NODES_MAX);) {
            const uint32_t end = min(s_build->nodes, (uint32_t)GS_GPU_NODES_MAX);
            __syncthreads();
            for (uint32_t n = done + threadIdx.x / 32; n < end; n += TABLE_THREADS / 32)
                fill_node(s_build, tables->guide, s_build->node[n], s_build->first[n],
                          s_build->inside[n], cells, lane_index(), 32);
            done = end;
            __syncthreads();
        }
        for (uint32_t n = threadIdx.x; n < min(s_build->nodes, (uint32_t)GS_GPU_NODES_MAX);
             n += TABLE_THREADS)
            tables->node[n] = s_build->node[n];
    }
    if (threadIdx.x == 0) {
        tables->count = count;
        tables->search = crowded          ? GS_GPU_NODES
                         : s_build->pairs ? GS_GPU_GUIDE_PAIRS
                                          : GS_GPU_GUIDE;
        tables->root = root;
        tables->nodes = min(s_build->nodes, (uint32_t)GS_GPU_NODES_MAX);
        tables->cells = cells;
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

/* gpu_tables.cuh -- build the tables by which a key finds its bin, from splitters, by one block.
 * SPDX-License-Identifier: MIT
 *
 * gpu_views.cuh says how a key is looked up in them, enum gs_gpu_search which kinds there are.
 */
#ifndef GS_GPU_TABLES_CUH
#define GS_GPU_TABLES_CUH

#include "sort/device/kernels/gpu_views.cuh"

enum { TABLE_THREADS = 1024 };

/* What one block needs to build the tables. */
struct table_builder {
    uint32_t splitter[GS_GPU_SPLITTERS_MAX + 1];
    uint32_t first[gs_gpu_padded(GS_GPU_CELLS_MAX) + 1]; /* see fill_cells */
    uint32_t partial[33];
    uint32_t most[2]; /* splitters in a cell, if cells are equal, or logarithmic */
    uint32_t crowded;
    uint32_t pairs;
    uint32_t repeats;
};

/* The number of splitters before a cell. Padded, as each thread has up to 8 cells in a row. */
static __device__ __forceinline__ uint32_t *first_of(struct table_builder *s_build, uint32_t cell)
{
    return &s_build->first[gs_gpu_padded(cell)];
}

/* The largest value of the threads before this one. */
static __device__ uint32_t max_before(uint32_t value, uint32_t *partial)
{
    const uint32_t warp = threadIdx.x / 32;
#pragma unroll
    for (int step = 1; step < 32; step <<= 1)
        value = max(value, __shfl_up_sync(GS_ALL_LANES, value, step));
    if (lane_index() == 31)
        partial[warp] = value;
    __syncthreads();
    const uint32_t others = reduce_max_warp(lane_index() < warp ? partial[lane_index()] : 0);
    const uint32_t below = __shfl_up_sync(GS_ALL_LANES, value, 1);
    return max(others, lane_index() > 0 ? below : 0);
}

/* Find how many splitters come before each cell; returns, in all threads, the most that a cell has.
 * The last splitter of a cell writes its number, from 1, into the next cell as a mark; a cell's
 * count is the largest mark up to it. */
template <bool LOG>
static __device__ uint32_t fill_cells(struct table_builder *s_build, uint32_t count, uint32_t cells,
                                      uint32_t shift)
{
    const uint32_t t = threadIdx.x;
    const auto cell_at = [&](uint32_t i) {
        return cell_of<LOG>(s_build->splitter[i] - s_build->splitter[0], shift);
    };
    for (uint32_t cell = t; cell <= cells; cell += TABLE_THREADS)
        *first_of(s_build, cell) = 0;
    if (t == 0)
        s_build->most[LOG] = 0;
    __syncthreads();
    for (uint32_t i = t; i < count; i += TABLE_THREADS) {
        const uint32_t cell = cell_at(i);
        if (i + 1 == count || cell_at(i + 1) != cell)
            *first_of(s_build, cell + 1) = i + 1;
    }
    __syncthreads();
    const uint32_t each = cells / TABLE_THREADS; /* this thread's cells: those after t * each */
    uint32_t mark[GS_GPU_CELLS_MAX / TABLE_THREADS];
    uint32_t largest = 0;
#pragma unroll
    for (uint32_t i = 0; i < GS_GPU_CELLS_MAX / TABLE_THREADS; i++) {
        mark[i] = i < each ? *first_of(s_build, t * each + 1 + i) : 0;
        largest = max(largest, mark[i]);
    }
    uint32_t before = max_before(largest, s_build->partial);
    uint32_t most = 0;
#pragma unroll
    for (uint32_t i = 0; i < GS_GPU_CELLS_MAX / TABLE_THREADS; i++)
        if (i < each) {
            most = max(most, max(mark[i], before) - before);
            before = max(mark[i], before);
            *first_of(s_build, t * each + 1 + i) = before;
        }
    most = reduce_max_warp(most);
    if (lane_index() == 0)
        atomicMax(&s_build->most[LOG], most);
    __syncthreads();
    return s_build->most[LOG];
}

/* Build the guide for one look-up. Sets pairs if a cell has the two splitters v-1 and v, crowded if
 * one has any other two. */
static __device__ void build_guide(struct table_builder *s_build, struct gs_gpu_tables *tables,
                                   uint32_t limit, uint32_t shift)
{
    const uint32_t mask = (1U << shift) - 1;
    for (uint32_t cell = threadIdx.x; cell <= limit >> shift; cell += TABLE_THREADS) {
        const uint32_t first = *first_of(s_build, cell);
        const uint32_t inside = *first_of(s_build, cell + 1) - first;
        bool pair = inside == 2 && s_build->splitter[first + 1] - s_build->splitter[first] == 1;
        uint32_t carry =
            inside > 0 ? mask - ((s_build->splitter[first] - s_build->splitter[0]) & mask) : 0;
        tables->guide[cell] = (first << shift | carry) | (pair ? GS_GPU_PAIR : 0);
        if (pair)
            s_build->pairs = 1;
        else if (inside > 1)
            s_build->crowded = 1;
    }
    __syncthreads();
}

/* Build the guide for halving steps: the first bin of each cell. */
static __device__ void copy_cells(struct table_builder *s_build, struct gs_gpu_tables *tables,
                                  uint32_t cells)
{
    for (uint32_t cell = threadIdx.x; cell < cells; cell += TABLE_THREADS)
        tables->guide[cell] = *first_of(s_build, cell);
    __syncthreads();
}

/* Build the tree of splitters with full levels: nodes after the last splitter hold GS_KEY_MAX,
 * which no key exceeds. Nodes are ordered by level, so that those of a level are next to each
 * other. */
static __device__ void build_tree(const gs_key *splitter, struct gs_gpu_tables *tables,
                                  uint32_t count, uint32_t levels)
{
    gs_key *tree = (gs_key *)tables->guide;
    for (uint32_t node = threadIdx.x; node < 1U << levels; node += TABLE_THREADS) {
        const uint32_t i = node > 0 ? splitter_of(node, levels) : UINT32_MAX;
        tree[node] = i < count ? splitter[i] : GS_KEY_MAX;
    }
}

#if GS_BITS > 32
/* Before any key is counted, all are within the scale. */
static __device__ __forceinline__ void begin_bounds(struct gs_gpu_state *state,
                                                    const struct gs_gpu_scale &scale)
{
    for (uint32_t i = threadIdx.x; i < GS_GPU_COUNT_BLOCKS; i += TABLE_THREADS) {
        state->low[i] = scale.base;
        state->high[i] = scale.top;
    }
}
#endif

/* Build the tables from the splitters in shared memory, by one block. */
static __device__ void build_tables(struct gs_gpu_tables *tables, struct table_builder *s_build,
                                    uint32_t count, uint32_t cells)
{
    const uint32_t t = threadIdx.x;
    uint32_t limit = count > 0 ? s_build->splitter[count - 1] - s_build->splitter[0] : 0;
    limit += count > 0 && limit < UINT32_MAX;
    uint32_t shift = 0;
    while (limit >> shift >= cells)
        shift++;
    if (t == 0)
        s_build->crowded = s_build->pairs = s_build->repeats = 0;
    __syncthreads();
    for (uint32_t i = t; i + 1 < count; i += TABLE_THREADS)
        if (s_build->splitter[i + 1] - s_build->splitter[i] == 1)
            s_build->repeats = 1;
    const uint32_t linear = fill_cells<false>(s_build, count, cells, shift);
    build_guide(s_build, tables, limit, shift);
    uint32_t search = s_build->pairs ? GS_GPU_GUIDE_PAIRS : GS_GPU_GUIDE;
    uint32_t steps = 0;
#if GS_BITS > 32
    (void)linear;
    /* A proxy of all ones has larger keys, too, than those that the scale was made for. */
    const bool last = count > 0 && s_build->splitter[count - 1] == UINT32_MAX;
    if (last || s_build->crowded != 0 || s_build->pairs != 0) {
        search = GS_GPU_TREE;
        steps = tree_levels(count + 1);
        build_tree(tables->last, tables, count, steps);
        cells = max((1U << steps) * (uint32_t)(sizeof(gs_key) / sizeof(uint32_t)), 4U);
        for (uint32_t i = t; i + 1 < count; i += TABLE_THREADS)
            if (tables->last[i + 1] - tables->last[i] == 1)
                s_build->repeats = 1;
        __syncthreads();
    } else {
        for (uint32_t i = t; i < count; i += TABLE_THREADS)
            tables->last[i] = gs_gpu_least(tables->scale, s_build->splitter[i] + 1ULL) - 1;
    }
#else
    if (s_build->crowded != 0) {
        /* The shift with which logarithmic cells hold all distances; cells is a power of two. */
        const uint32_t log_shift = 31 - (uint32_t)__clz((int)cells) - 5;
        const uint32_t levels = tree_levels(count + 1);
        search = GS_GPU_STEPS;
        steps = bit_length(linear);
        /* Logarithmic cells overwrite the equal ones: copy these first, unless a tree beats
         * them. */
        if (GS_GPU_STEP_LEVELS * steps < levels)
            copy_cells(s_build, tables, cells);
        const uint32_t log = bit_length(fill_cells<true>(s_build, count, cells, log_shift));
        if (log < steps) {
            search = GS_GPU_LOG_STEPS;
            steps = log;
            shift = log_shift;
            limit = UINT32_MAX;
        }
        if (GS_GPU_STEP_LEVELS * steps >= levels) {
            search = GS_GPU_TREE;
            steps = levels;
            build_tree(s_build->splitter, tables, count, steps);
            cells = max(1U << steps, 4U); /* copied in 16-byte pieces */
        } else if (search == GS_GPU_LOG_STEPS) {
            copy_cells(s_build, tables, cells);
        }
    }
#endif
    if (t == 0) {
        tables->count = count;
        tables->search = search;
        tables->cells = cells;
        tables->repeats = s_build->repeats;
        tables->base = count > 0 ? s_build->splitter[0] : 0;
        tables->limit = limit;
        tables->shift = shift;
        tables->steps = steps;
    }
}

#endif

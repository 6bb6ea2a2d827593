/* select_samples_gpu.cu -- draw the sample from keys in device memory, and make splitters of it.
 * SPDX-License-Identifier: MIT
 *
 * The positions are those of select_samples_cpu.c. They ascend, so the sample in the order of its
 * positions also tells whether the whole input may be in order: only then is it worth looking.
 */
#include "sort/gpu_launch.cuh"
#include "sort/gpu_launchers.h"
#include "sort/gpu_views.cuh"
#include "sort/params.h"
#include "sort/sample_position.h"

enum {
    SELECT_THREADS = GS_GPU_SAMPLE_BLOCK,
    TABLE_THREADS = 1024,
    SAMPLE_PARTS = 4, /* of the sorted sample, each looked at for repeated values */
    FEW_VALUES = 256, /* of a bin, where they are as good as equally frequent */
    GROUP = 64,       /* keys of the sorted sample in a row, */
    GROUP_GAPS = 15,  /* and the gaps between every fourth of them */
    GROUP_STEP = GROUP / (GROUP_GAPS + 1)
};

/* The mean square of a group's gaps, in squares of their mean, from which on it is uneven. Of 1.25
 * is that of keys that are evenly spread, and few groups of these reach 1.5; of k-mers 19 in 20 do.
 */
#define GS_GPU_UNEVEN 1.5F

/* Three of a kind in a row, as a multiple of what as many values as twins tell of would have were
 * they equally frequent, from which on they are not. */
#define GS_GPU_SKEW 1.5F

/* Load sample i and its successor: compare the two, keep the first. */
static __global__ void select_samples_kernel(const uint32_t *keys, uint64_t n, uint32_t samples,
                                             uint64_t seed, uint32_t *sample,
                                             struct gs_gpu_tables *tables)
{
    after_previous();
    uint32_t i = blockIdx.x * SELECT_THREADS + threadIdx.x;
    bool ascent = false;
    bool descent = false;
    if (i < samples) {
        uint32_t key = keys[gs_sample_position(i, samples, n, seed)];
        if (i + 1 < samples) {
            uint32_t next = keys[gs_sample_position(i + 1, samples, n, seed)];
            ascent = key < next;
            descent = key > next;
        }
        sample[i] = key;
    }
    const bool ascents = __syncthreads_or(ascent) != 0;
    const uint32_t descents = (uint32_t)__syncthreads_count(descent);
    if (threadIdx.x == 0) {
        tables->order[blockIdx.x] =
            (descents > 0 ? GS_GPU_DESCENT : 0) | (ascents ? GS_GPU_ASCENT : 0);
        tables->descents[blockIdx.x] = descents;
    }
}

/* What one block needs to build the tables. */
struct builder {
    uint32_t splitter[GS_GPU_SPLITTERS_MAX + 1];
    uint32_t first[(GS_GPU_CELLS_MAX + 1) * 33 / 32 + 1]; /* see fill_cells; padded */
    uint32_t partial[33];
    uint32_t most[2]; /* splitters in a cell, if cells are equal, or of a log */
    uint32_t crowded;
    uint32_t pairs;
    uint32_t repeats;
    uint32_t twins[SAMPLE_PARTS]; /* see look_at_sample */
    uint32_t heavy;
    uint32_t triplets;
    uint32_t uneven; /* groups */
    uint32_t bins;   /* to have a few hundred values in each, or UINT32_MAX */
};

/* The splitters before a cell. Padding: a thread has up to 8 cells in a row. */
static __device__ __forceinline__ uint32_t *first_of(struct builder *s_build, uint32_t cell)
{
    return &s_build->first[cell + cell / 32];
}

/* The largest of the values of the threads before this one. */
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

/* Find how many splitters come before each cell; returns, for all threads, the most that a cell
 * has. The last splitter of a cell marks the next cell with its number; a cell's is the largest
 * mark up to there. */
template <bool LOG>
static __device__ uint32_t fill_cells(struct builder *s_build, uint32_t count, uint32_t cells,
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
    const uint32_t each = cells / TABLE_THREADS; /* of this thread: those behind t * each */
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

/* One guide for all splitters if no cell has two of them, or but for pairs. */
static __device__ void build_guide(struct builder *s_build, struct gs_gpu_tables *tables,
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

/* The guide for steps: the first bin of each cell. */
static __device__ void copy_cells(struct builder *s_build, struct gs_gpu_tables *tables,
                                  uint32_t cells)
{
    for (uint32_t cell = threadIdx.x; cell < cells; cell += TABLE_THREADS)
        tables->guide[cell] = *first_of(s_build, cell);
    __syncthreads();
}

/* The tree of the splitters, its levels full: behind the last one they are as large as can be, and
 * no key is larger. Its nodes by level, so that a level's are next to each other. */
static __device__ void build_tree(struct builder *s_build, struct gs_gpu_tables *tables,
                                  uint32_t count, uint32_t levels)
{
    for (uint32_t node = threadIdx.x; node < 1U << levels; node += TABLE_THREADS) {
        const uint32_t i = node > 0 ? splitter_of(node, levels) : UINT32_MAX;
        tables->guide[node] = i < count ? s_build->splitter[i] : GS_KEY_MAX;
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
    if (s_build->crowded != 0) {
        /* So many that cells of a log hold all distances; cells is a power of two. */
        const uint32_t log_shift = 31 - (uint32_t)__clz((int)cells) - 5;
        search = GS_GPU_STEPS;
        steps = 32 - (uint32_t)__clz((int)linear);
        copy_cells(s_build, tables, cells);
        const uint32_t log = fill_cells<true>(s_build, count, cells, log_shift);
        if (32 - (uint32_t)__clz((int)log) < steps) {
            search = GS_GPU_LOG_STEPS;
            steps = 32 - (uint32_t)__clz((int)log);
            shift = log_shift;
            limit = GS_KEY_MAX;
            copy_cells(s_build, tables, cells);
        }
        const uint32_t levels = tree_levels(count + 1);
        if (GS_GPU_STEP_LEVELS * steps >= levels) {
            search = GS_GPU_TREE;
            steps = levels;
            build_tree(s_build, tables, count, steps);
            cells = max(1U << steps, 4U); /* copied by 16 bytes */
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
        tables->steps = steps;
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

/* Is a group of the sorted sample, GROUP keys in a row, uneven? [Greenwood 1946] */
static __device__ __forceinline__ bool is_uneven(const uint32_t *group)
{
    uint32_t key[GROUP_GAPS + 1];
#pragma unroll
    for (int i = 0; i <= GROUP_GAPS; i++)
        key[i] = group[i * GROUP_STEP];
    float squares = 0;
#pragma unroll
    for (int i = 0; i < GROUP_GAPS; i++) {
        const float gap = (float)(key[i + 1] - key[i]);
        squares += gap * gap;
    }
    const float all = (float)max(key[GROUP_GAPS] - key[0], 1U);
    return squares * GROUP_GAPS >= GS_GPU_UNEVEN * all * all;
}

/* What the sorted sample says of n keys; by a block. Uneven: wherever one looks. Equal neighbours
 * are its twins. Few values: all over the range they repeat, not just at one end of it, and what is
 * saved is more than what it costs to find the values; of not very many keys that is so if none of
 * them is frequent, for the others are as many values as ever then. Nor, where keys are uneven, of
 * values that are not equally frequent, as triplets tell: S samples of V values that are have
 * S^2/2V twins and S^3/6V^2 triplets, or S of each where S is larger than V. */
static __device__ void look_at_sample(const uint32_t *sample, uint32_t samples, uint32_t share,
                                      uint64_t n, bool maps, struct builder *s_build,
                                      struct gs_gpu_tables *tables)
{
    const uint32_t groups = maps ? samples / GROUP : 0;
    if (threadIdx.x < SAMPLE_PARTS)
        s_build->twins[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        s_build->heavy = s_build->triplets = s_build->uneven = 0;
    __syncthreads();
    bool heavy = false;
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < samples; i += TABLE_THREADS) {
        if (i >= 1 && sample[i] == sample[i - 1]) {
            atomicAdd(&s_build->twins[i * SAMPLE_PARTS / samples], 1);
            if (i >= 2 && sample[i] == sample[i - 2])
                atomicAdd(&s_build->triplets, 1);
        }
        heavy = heavy || (i >= share && sample[i] == sample[i - share]);
    }
    if (heavy)
        s_build->heavy = 1;
    for (uint32_t group = threadIdx.x; group < groups; group += TABLE_THREADS)
        if (is_uneven(sample + group * GROUP))
            atomicAdd(&s_build->uneven, 1);
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    uint32_t all = 0;
    uint32_t least = samples;
    for (int i = 0; i < SAMPLE_PARTS; i++) {
        all += s_build->twins[i];
        least = min(least, s_build->twins[i]);
    }
    const float even = (float)all * (float)all / (float)samples;
    const bool skewed = all >= GS_GPU_FEW_TWINS && (float)s_build->triplets > GS_GPU_SKEW * even;
    const bool uneven = s_build->uneven > groups / 4 * 3;
    /* Of so many equally frequent values there are samples^2 / (2 values) twins. */
    s_build->bins =
        s_build->heavy != 0 ? UINT32_MAX : samples / (2 * max(all, 1U)) * samples / FEW_VALUES;
    tables->twins = all >= GS_GPU_TWINS;
    tables->skewed = skewed && uneven;
    tables->few = all >= GS_GPU_FEW_TWINS && least >= all / (4 * SAMPLE_PARTS) &&
                  (n >= GS_GPU_FEW_VALUES_KEYS || s_build->heavy == 0) && !tables->skewed;
    tables->few_all = (samples - all) * GS_GPU_FEW_COPIES <= samples;
    tables->uneven = uneven && !tables->few;
}

/* Pick every samples/bins-th of the sorted sample; a value that the sample holds more than once
 * there becomes an equality bin, between the splitters v-1 and v. If values are few, bins hold
 * fewer of them where there are more bins; of values that are not equally frequent the rare ones
 * are many, whatever the sample says. `uncounted` bins, if values do not repeat. */
static __global__ void __launch_bounds__(TABLE_THREADS)
    choose_splitters_kernel(const uint32_t *sample, uint64_t n, uint32_t samples, uint32_t bins,
                            uint32_t most, uint32_t uncounted, uint32_t cells, bool maps,
                            struct gs_gpu_tables *tables, struct gs_gpu_state *state)
{
    after_previous();
    __shared__ struct builder s_build;
    clear_state(state, tables, samples);
    uint32_t t = threadIdx.x;
    if (n / bins > GS_GPU_MEDIUM_KEYS) {
        look_at_sample(sample, samples, max(samples / bins / 2, 1U), n, maps, &s_build, tables);
    } else if (t == 0) { /* bins that are jobs ask for nothing */
        tables->twins = tables->few = tables->few_all = tables->uneven = tables->skewed = 0;
    }
    __syncthreads();
    if (!tables->twins && !tables->uneven)
        bins = uncounted;
    while (tables->few && 2 * bins <= most && n / bins > GS_GPU_FEW_BIN_KEYS && bins < s_build.bins)
        bins *= 2;
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
    build_tables(tables, &s_build, count, gs_gpu_cells(bins, cells));
}

static __global__ void __launch_bounds__(TABLE_THREADS)
    build_tables_kernel(struct gs_gpu_tables *tables, uint32_t cells)
{
    after_previous();
    __shared__ struct builder s_build;
    uint32_t count = tables->count;
    for (uint32_t i = threadIdx.x; i < count; i += TABLE_THREADS)
        s_build.splitter[i] = tables->splitter[i];
    __syncthreads();
    build_tables(tables, &s_build, count, cells);
    if (threadIdx.x == 0) { /* nobody has looked at twins */
        tables->twins = tables->few = s_build.repeats;
        tables->few_all = tables->uneven = tables->skewed = 0;
    }
}

cudaError_t gs_select_samples_gpu(const struct gs_gpu_work *work, const uint32_t *keys, uint64_t n,
                                  uint32_t samples, cudaStream_t stream)
{
    unsigned blocks = (samples + SELECT_THREADS - 1) / SELECT_THREADS;
    return gs_launch_next(select_samples_kernel, blocks, SELECT_THREADS, 0, stream, keys, n,
                          samples, GS_SAMPLE_SEED, work->samples, work->tables);
}

cudaError_t gs_choose_splitters_gpu(const struct gs_gpu_work *work, uint64_t n, uint32_t samples,
                                    uint32_t bins, uint32_t most, uint32_t uncounted,
                                    cudaStream_t stream)
{
    return gs_launch_next(choose_splitters_kernel, 1, TABLE_THREADS, 0, stream, work->samples, n,
                          samples, bins, most, uncounted, work->cells, work->rows, work->tables,
                          work->state);
}

cudaError_t gs_build_tables_gpu(const struct gs_gpu_work *work, uint32_t bins, cudaStream_t stream)
{
    return gs_launch_next(build_tables_kernel, 1, TABLE_THREADS, 0, stream, work->tables,
                          gs_gpu_cells(bins, work->cells));
}

/* select_samples_gpu.cu -- draw the sample from keys in device memory, choose splitters from it.
 * SPDX-License-Identifier: MIT
 *
 * The positions are those of select_samples.c. They ascend, so the sample in the order it is
 * drawn also tells whether all of the input may be in order: only then is it worth checking.
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/kernels/gpu_tables.cuh"
#include "sort/keys/params.h"
#include "sort/keys/sample_position.h"

enum {
    SELECT_THREADS = GS_GPU_SAMPLE_BLOCK,
    SAMPLE_PARTS = 4, /* parts of the sorted sample; twins are counted in each */
    FEW_VALUES = 256, /* values that a bin should have if all are about equally frequent */
    GROUP = 64,       /* consecutive keys of the sorted sample, judged as one */
    GROUP_GAPS = 15,  /* gaps between every fourth of them */
    GROUP_STEP = GROUP / (GROUP_GAPS + 1)
};

/* A group is uneven if the mean square of its gaps is at least this multiple of their squared mean.
 * Evenly spread keys have 1.25 on average, and few of their groups reach 1.5; of k-mers 19 in 20
 * do. */
#define GS_GPU_UNEVEN 1.5F

/* Values are not equally frequent if the sorted sample has more triplets (three equal keys in a
 * row) than this multiple of what equally frequent values with as many twins have. */
#define GS_GPU_SKEW 1.5F

/* Load sample i and its successor: compare the two, keep the first. */
static __global__ void select_samples_kernel(const gs_key *keys, uint64_t n, uint32_t samples,
                                             uint64_t seed, gs_key *sample,
                                             struct gs_gpu_tables *tables,
                                             const __grid_constant__ struct gs_gpu_door door)
{
    after_previous();
    uint32_t i = blockIdx.x * SELECT_THREADS + threadIdx.x;
    bool ascent = false;
    bool descent = false;
    if (i < samples) {
        gs_key key = come_in(door, keys[gs_sample_position(i, samples, n, seed)]);
        if (i + 1 < samples) {
            gs_key next = come_in(door, keys[gs_sample_position(i + 1, samples, n, seed)]);
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

/* What one block finds out about the sorted sample. */
struct sample_look {
    uint32_t twins[SAMPLE_PARTS]; /* see look_at_sample */
    uint32_t heavy;
    uint32_t triplets;
    uint32_t uneven; /* uneven groups */
    uint32_t bins;   /* bins of FEW_VALUES values each; UINT32_MAX if a value is frequent */
};

/* Initialise the state: nothing counted, and the order found in the sample as it was drawn. */
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

/* What the sorted sample says about n keys; by one block. Twins are equal neighbours in the sample.
 * A value is frequent (heavy) if more than `share` samples have it. Keys are uneven if more than
 * 3/4 of the groups are. Values are few if they repeat all over the range, not just at one end of
 * it, and if counting them saves more than finding them costs: below GS_GPU_FEW_VALUES_KEYS keys,
 * only if none is frequent, as the others may be many then. Where keys are uneven, values must be
 * equally frequent, too. `counts`: slots of few values can be counted at all. Triplets tell that: S
 * samples of V equally frequent values have S^2/2V twins and S^3/6V^2 triplets, or about S of each
 * if S is larger than V. */
static __device__ void look_at_sample(const gs_key *sample, const uint32_t *proxy, uint32_t samples,
                                      uint32_t share, uint64_t n, bool maps, bool counts,
                                      struct sample_look *s_look, struct gs_gpu_tables *tables)
{
    const uint32_t groups = maps ? samples / GROUP : 0;
    if (threadIdx.x < SAMPLE_PARTS)
        s_look->twins[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        s_look->heavy = s_look->triplets = s_look->uneven = 0;
    __syncthreads();
    bool heavy = false;
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < samples; i += TABLE_THREADS) {
        if (i >= 1 && sample[i] == sample[i - 1]) {
            atomicAdd(&s_look->twins[i * SAMPLE_PARTS / samples], 1);
            if (i >= 2 && sample[i] == sample[i - 2])
                atomicAdd(&s_look->triplets, 1);
        }
        heavy = heavy || (i >= share && sample[i] == sample[i - share]);
    }
    if (heavy)
        s_look->heavy = 1;
    for (uint32_t group = threadIdx.x; group < groups; group += TABLE_THREADS)
        if (is_uneven(proxy + group * GROUP))
            atomicAdd(&s_look->uneven, 1);
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    uint32_t all = 0;
    uint32_t least = samples;
    for (int i = 0; i < SAMPLE_PARTS; i++) {
        all += s_look->twins[i];
        least = min(least, s_look->twins[i]);
    }
    const float even = (float)all * (float)all / (float)samples;
    const bool skewed = all >= GS_GPU_FEW_TWINS && (float)s_look->triplets > GS_GPU_SKEW * even;
    const bool uneven = s_look->uneven > groups / 4 * 3;
    /* V equally frequent values have samples^2 / (2 V) twins: solved for V, over FEW_VALUES. */
    s_look->bins =
        s_look->heavy != 0 ? UINT32_MAX : samples / (2 * max(all, 1U)) * samples / FEW_VALUES;
    tables->twins = all >= GS_GPU_TWINS;
#if GS_BITS > 32 /* values are neither counted, nor are maps divided */
    (void)skewed;
    (void)least;
    (void)counts;
    tables->skewed = tables->few = tables->few_all = 0;
    tables->uneven = uneven || all >= GS_GPU_TWINS;
#else
    tables->skewed = skewed && uneven;
    tables->few = counts && all >= GS_GPU_FEW_TWINS && least >= all / (4 * SAMPLE_PARTS) &&
                  (n >= GS_GPU_FEW_VALUES_KEYS || s_look->heavy == 0) && !tables->skewed;
    tables->few_all = (samples - all) * GS_GPU_FEW_COPIES <= samples;
    tables->uneven = uneven && !tables->few;
#endif
}

/* The proxies of the sorted sample: in the room where it was sorted. Sets their scale. */
static __device__ const uint32_t *make_proxies(const gs_key *sample, uint32_t samples,
                                               struct gs_gpu_tables *tables,
                                               struct gs_gpu_state *state)
{
#if GS_BITS == 32
    (void)samples;
    (void)tables;
    (void)state;
    return sample;
#else
    const struct gs_gpu_scale scale = gs_gpu_scale(sample[0], sample[samples - 1], 32);
    uint32_t *proxy = (uint32_t *)(sample + samples);
    for (uint32_t i = threadIdx.x; i < samples; i += TABLE_THREADS)
        proxy[i] = gs_gpu_proxy(scale, sample[i]);
    if (threadIdx.x == 0)
        tables->scale = scale;
    begin_bounds(state, scale);
    __syncthreads();
    return proxy;
#endif
}

#if GS_BITS == 32
#define REPORT_PARAMETER
#define REPORT_ARGUMENT
#else
#define REPORT_PARAMETER , struct gs_gpu_report *report, uint32_t sequence
#define REPORT_ARGUMENT  , sequence != 0 ? work->report : NULL, sequence

/* Tell the host as soon as it is known, so that it need not wait for the rest. */
static __device__ void report_sample(struct gs_gpu_state *state, struct gs_gpu_report *report,
                                     uint32_t sequence, uint32_t tells)
{
    if (report == NULL)
        return;
    if ((tells & GS_GPU_SAMPLE_COUNT) == 0)
        state->outcome = GS_GPU_PAGED;
    *(volatile uint32_t *)&report->sample = sequence << 2 | tells;
}
#endif

/* Pick every samples/bins-th key of the sorted sample. A picked value v that is also found half a
 * bin's share of the sample away gets an equality bin, between the splitters v-1 and v. If values
 * are few, there are more bins, so that each holds fewer; if one is frequent, FEW_VALUES is no
 * limit, as the rare ones are many, whatever the sample says. Without a count: `uncounted` bins. */
static __global__ void __launch_bounds__(TABLE_THREADS)
    choose_splitters_kernel(const gs_key *sample, uint64_t n, uint32_t samples, uint32_t bins,
                            uint32_t most, uint32_t uncounted, uint32_t cells, bool maps,
                            bool counts, struct gs_gpu_tables *tables,
                            struct gs_gpu_state *state REPORT_PARAMETER)
{
    after_previous();
    __shared__ struct table_builder s_build;
    __shared__ struct sample_look s_look;
    clear_state(state, tables, samples);
    uint32_t t = threadIdx.x;
    const uint32_t *proxy = make_proxies(sample, samples, tables, state);
    if (n / bins > GS_GPU_MEDIUM_KEYS) {
        look_at_sample(sample, proxy, samples, max(samples / bins / 2, 1U), n, maps, counts,
                       &s_look, tables);
    } else if (t == 0) { /* bins will be jobs: none of this matters */
        tables->twins = tables->few = tables->few_all = tables->uneven = tables->skewed = 0;
#if GS_BITS > 32 /* but where a bin is too large, a value may be frequent */
        tables->uneven = 1;
#endif
    }
    __syncthreads();
    if (!tables->twins || tables->uneven)
        bins = uncounted;
    while (tables->few && 2 * bins <= most && n / bins > GS_GPU_FEW_BIN_KEYS && bins < s_look.bins)
        bins *= 2;
    uint32_t emitted = 0;
    gs_key key = 0;
    bool heavy = false;
    bool below = false;
    if (t + 1 < bins) {
        uint32_t pick = (uint32_t)((uint64_t)(t + 1) * samples / bins);
        gs_key before = t > 0 ? sample[(uint64_t)t * samples / bins] : 0;
        uint32_t share = max(samples / bins / 2, 1U);
        key = sample[pick];
        heavy = (pick + share < samples && sample[pick + share] == key) ||
                (pick >= share && sample[pick - share] == key);
        if (t == 0 || before != key) {
            below = heavy && key > 0 && (t == 0 || before != key - 1);
            emitted = below + (key < GS_KEY_MAX); /* nothing lies above the largest key */
        }
    }
#if GS_BITS > 32
    const bool ordered = state->sample_order != (GS_GPU_DESCENT | GS_GPU_ASCENT);
    const bool filled = __syncthreads_count(heavy) > (int)bins / 2;
    if (t == 0)
        report_sample(state, report, sequence,
                      (tables->uneven ? GS_GPU_SAMPLE_UNEVEN : 0) |
                          (ordered || filled ? GS_GPU_SAMPLE_COUNT : 0));
#endif
    uint32_t count;
    uint32_t place = scan_block<TABLE_THREADS>(emitted, s_build.partial, &count);
#if GS_BITS == 32
    gs_key *const splitter = s_build.splitter;
#else
    gs_key *const splitter = tables->last;
#endif
    if (below)
        splitter[place++] = key - 1;
    if (emitted > below)
        splitter[place] = key;
    __syncthreads();
    for (uint32_t i = t; i < count; i += TABLE_THREADS)
#if GS_BITS == 32
        tables->splitter[i] = s_build.splitter[i];
#else
        s_build.splitter[i] = gs_gpu_proxy(tables->scale, splitter[i]);
    __syncthreads();
#endif
    build_tables(tables, &s_build, count, gs_gpu_cells(bins, cells));
}

cudaError_t gs_select_samples_gpu(const struct gs_gpu_work *work, const gs_key *keys, uint64_t n,
                                  uint32_t samples, cudaStream_t stream)
{
    unsigned blocks = (samples + SELECT_THREADS - 1) / SELECT_THREADS;
    return gs_launch_next(select_samples_kernel, blocks, SELECT_THREADS, 0, stream, keys, n,
                          samples, GS_SAMPLE_SEED, work->samples, work->tables, work->door);
}

cudaError_t gs_choose_splitters_gpu(const struct gs_gpu_work *work, uint64_t n, uint32_t samples,
                                    uint32_t bins, uint32_t most, uint32_t uncounted,
                                    uint32_t sequence, cudaStream_t stream)
{
    (void)sequence;
    return gs_launch_next(choose_splitters_kernel, 1, TABLE_THREADS, 0, stream, work->samples, n,
                          samples, bins, most, uncounted, work->cells, work->rows,
                          gs_gpu_asked(work) == NULL, work->tables, work->state REPORT_ARGUMENT);
}

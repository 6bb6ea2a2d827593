/* sort_bins_gpu.cu -- sort bins, or their values, in shared memory, each in one visit by one block.
 * SPDX-License-Identifier: MIT
 *
 * A last linear digit, with a counter for every key or two that the block can hold, puts each key
 * within a few places of where it belongs: rank by atomicAdd, scan of the counters, store. What is
 * left are groups of keys that share a digit. Each thread sorts a window of 16 keys by a network,
 * then merges its upper 8 keys with the next window's lower 8, which settles groups that cross the
 * border of two windows. That is enough for groups of up to SETTLED keys. If no two values share a
 * digit, nothing is left to do.
 *
 * Larger groups come from repeated keys or from skew. gpu_crowds.cuh sorts those of up to a warp's
 * size. A bin of few values, judged by 32 probes, is counted: gpu_values.cuh. A bin with still
 * larger groups gets digits that follow its keys, if keys are uneven or no two probes are equal;
 * otherwise it is counted. If that leaves groups too large for a warp, or there are too many values
 * to count, a bitonic network sorts all keys of the bin: slower than all else, but equally fast for
 * any keys. A bin that is too large for all this has values close together: gpu_close.cuh.
 *
 * A thread must issue all of its atomic adds before it needs the first result, so no branch is
 * around them: keys that the bin does not have count into separate words behind the counters.
 */
#include "sort/device/u32/gpu_close.cuh"
#include "sort/device/u32/gpu_hard.cuh"
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"

enum {
    SMALL_THREADS = GS_GPU_SMALL_KEYS / ITEMS,
    DOUBLE_THREADS = 2 * SMALL_THREADS,
    MEDIUM_THREADS = GS_GPU_MEDIUM_KEYS / ITEMS,
    UNEVEN_SHARE = 8 /* divide uneven keys if more than 1 in 8 threads sees a crowd */
};

template <int THREADS> static constexpr size_t shared_bytes()
{
    return block_memory<THREADS>::WORDS * sizeof(uint32_t);
}

/* Sort this block's job. */
template <int THREADS>
static __device__ __forceinline__ void sort_job(const uint32_t *a, const uint32_t *b,
                                                uint32_t *output, const struct gs_gpu_job *jobs,
                                                bool uneven)
{
    constexpr int COUNTS = counts_of<THREADS>();
    const uint32_t digits = THREADS * COUNTS;
    extern __shared__ __align__(16) uint32_t s_keys[];
    __shared__ uint32_t s_low, s_high;
    __shared__ uint32_t s_probed;
    uint32_t *s_count = s_keys + block_memory<THREADS>::COUNTERS;
    const uint32_t t = threadIdx.x;
    const struct gs_gpu_job job = jobs[blockIdx.x];
    const uint32_t *in = (job.in_b ? b : a) + job.from;
    uint32_t *out = output + job.start;
    const uint32_t size = job.size;
    const int rest = (int)size - (int)t; /* key i of this thread exists if i * THREADS < rest */
    if (THREADS == MEDIUM_THREADS && size > THREADS * ITEMS)
        return sort_close<THREADS>(a, b, output, jobs);

    /* Load, and find the bounds. Keys past the end are copies of the last. */
    const uint32_t probe = probe_bin<32>(in, size);
    uint32_t key[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        key[i] = in[min(i * THREADS + t, size - 1)];
    if (t == 0) {
        s_low = GS_KEY_MAX;
        s_high = 0;
    }
#pragma unroll
    for (int i = 0; i < COUNTS / 4; i++)
        ((uint4 *)s_count)[i * THREADS + t] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    uint32_t low = key[0];
    uint32_t high = key[0];
#pragma unroll
    for (int i = 1; i < ITEMS; i++) {
        low = min(low, key[i]);
        high = max(high, key[i]);
    }
    low = reduce_min_warp(low);
    high = reduce_max_warp(high);
    if (lane_index() == 0) {
        atomicMin(&s_low, low);
        atomicMax(&s_high, high);
    }
    if (t < 32) {
        const uint32_t probed = look_at_probes(probe, size);
        if (t == 0)
            s_probed = probed;
    }
    __syncthreads();
    low = s_low;
    high = s_high;
    if (low == high)
        return write_run(out, size, low);
    const struct gs_gpu_digit digit = make_digit(low, high, digits);
    const bool exact = digit_is_exact(digit); /* so keys of one digit are equal */
    if (!exact && s_probed == PROBED_FEW)
        return sort_hard<THREADS>(a, b, output, jobs, digit, HARD_VALUES);
    /* Rank each key among those of its digit. */
    uint32_t place[ITEMS]; /* rank * 2^16 + digit */
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        place[i] = digit_of(digit, key[i]);
    if (exact) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            place[i] = disperse(place[i]);
    }
    if (!is_crowd(place[0])) {
        uint32_t rank[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            rank[i] = atomicAdd(&s_count[i * THREADS < rest ? place[i] : digits + lane_index()], 1);
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            place[i] += rank[i] << 16;
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            place[i] += rank_crowd(s_count, place[i], i * THREADS < rest, s_count + digits) << 16;
    }
    __syncthreads();
    const uint32_t largest = scan_counters<THREADS, COUNTS>(s_count, exact);
    if (t < 2 * ITEMS)
        s_keys[gs_gpu_padded(size + t)] = GS_KEY_MAX;
    const int seen = __syncthreads_count(largest > SETTLED);
    const int crowds = exact ? 0 : seen;
    const bool spread = s_probed == PROBED_SPREAD;
    if (crowds > 0) {
        const bool large = __syncthreads_or(largest > CROWD_MOST) != 0;
        const bool divides = uneven ? large || crowds > THREADS / UNEVEN_SHARE : large && spread;
        if (large || divides)
            return sort_hard<THREADS>(a, b, output, jobs, digit,
                                      (divides ? HARD_DIVIDED : 0) | (spread ? 0 : HARD_VALUES));
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (i * THREADS < rest)
            place[i] = s_count[place[i] & 0xffff] + (place[i] >> 16);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (i * THREADS < rest)
            s_keys[gs_gpu_padded(place[i])] = key[i];
    __syncthreads();
    if (crowds > 0)
        settle_crowds<THREADS, false>(
            s_keys, s_count, digits, size,
            (struct crowd_list<THREADS> *)(s_keys + block_memory<THREADS>::LISTS));
    if (!exact)
        settle_groups(s_keys, size);
    write_keys<THREADS>(out, s_keys, rest);
}

/* How much there is to do, as the host knows it; or, if state is not NULL, as the device's lists
 * say, when there are blocks enough for any lists. */
struct listed {
    const struct gs_gpu_state *state;
    uint32_t jobs;
    uint32_t fills;
    bool uneven;
};

/* Small and medium jobs are independent, so their two kernels may run at once: a single medium job
 * takes as long as a thousand small ones. The FIRST kernel lets the SECOND in as soon as it has
 * begun. The SECOND does not wait before it begins, but one of its blocks waits at its end, so that
 * whatever is queued next comes after both. */
enum beside { ALONE, FIRST, SECOND };

/* One block sorts one job, or writes one run. */
template <int THREADS, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    sort_bins_kernel(const uint32_t *a, const uint32_t *b, uint32_t *output,
                     const struct gs_gpu_job *jobs, const struct gs_gpu_fill *fills,
                     const struct listed listed, enum beside beside)
{
    if (beside != SECOND)
        after_previous();
    if (beside == FIRST)
        let_next_in();
    const bool medium = THREADS == MEDIUM_THREADS;
    const uint32_t job_count = listed.state == NULL ? listed.jobs
                               : medium             ? listed.state->listed.medium_jobs
                                                    : listed.state->listed.small_jobs;
    if (blockIdx.x < job_count) {
        sort_job<THREADS>(a, b, output, jobs,
                          listed.uneven ||
                              (listed.state != NULL && listed.state->level_kind != GS_GPU_LINEAR));
    } else {
        const uint32_t i = blockIdx.x - job_count;
        if (!medium && i < (listed.state != NULL ? listed.state->listed.fills : listed.fills))
            write_run(output + fills[i].start, fills[i].size, fills[i].value);
    }
    if (beside == SECOND && blockIdx.x == 0)
        after_previous();
}

/* Launch `count` blocks, one for each job or run. */
template <int THREADS, int BLOCKS>
static cudaError_t launch_jobs(const uint32_t *b, uint32_t *a, const struct gs_gpu_job *jobs,
                               const struct gs_gpu_fill *fills, struct listed listed,
                               uint32_t count, enum beside beside, cudaStream_t stream)
{
    const size_t shared = shared_bytes<THREADS>();
    if (count == 0) /* always so for large blocks where the device has no room for one */
        return cudaSuccess;
    const cudaError_t error =
        cudaFuncSetAttribute(sort_bins_kernel<THREADS, BLOCKS>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess)
        return error;
    return gs_launch_next(sort_bins_kernel<THREADS, BLOCKS>, count, THREADS, shared, stream,
                          (const uint32_t *)a, b, a, jobs, fills, listed, beside);
}

static cudaError_t sort_small(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                              struct listed listed, uint32_t count, enum beside beside,
                              cudaStream_t stream)
{
    if (work->small_keys == GS_GPU_SMALL_KEYS)
        return launch_jobs<SMALL_THREADS, 4>(b, a, work->small_jobs, work->fills, listed, count,
                                             beside, stream);
    return launch_jobs<DOUBLE_THREADS, 2>(b, a, work->small_jobs, work->fills, listed, count,
                                          beside, stream);
}

static cudaError_t sort_medium(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                               uint32_t count, bool uneven, enum beside beside, cudaStream_t stream)
{
    const struct listed listed = {gs_gpu_asked(work), count, 0, uneven};
    return launch_jobs<MEDIUM_THREADS, 1>(b, a, work->medium_jobs, NULL, listed, count, beside,
                                          stream);
}

cudaError_t gs_sort_bins_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                             uint32_t small_jobs, uint32_t medium_jobs, uint32_t fills, bool uneven,
                             cudaStream_t stream)
{
    const struct listed small = {NULL, small_jobs, fills, uneven};
    const bool both = small_jobs > 0 && medium_jobs > 0;
    cudaError_t error = sort_medium(work, a, b, medium_jobs, uneven, both ? FIRST : ALONE, stream);
    if (error == cudaSuccess && small_jobs > 0)
        return sort_small(work, a, b, small, small_jobs + fills, both ? SECOND : ALONE, stream);
    return error == cudaSuccess ? gs_fill_bins_gpu(work, a, fills, stream) : error;
}

cudaError_t gs_sort_listed_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                               uint32_t most, cudaStream_t stream)
{
    const struct listed listed = {work->state, 0, 0, false};
    return sort_small(work, a, b, listed, most, FIRST, stream);
}

cudaError_t gs_sort_medium_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                               uint32_t medium_jobs, cudaStream_t stream)
{
    return sort_medium(work, a, b, medium_jobs, false, gs_gpu_asked(work) != NULL ? ALONE : SECOND,
                       stream);
}

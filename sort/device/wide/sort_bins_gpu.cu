/* sort_bins_gpu.cu -- sort bins of wider keys in shared memory, each in one visit by a block.
 * SPDX-License-Identifier: MIT
 *
 * A last linear digit, with a counter for every key that the block can hold, puts each key within a
 * few places of where it belongs: rank by atomicAdd, scan of the counters, store. Then each key
 * counts the lesser ones of its group, the keys of its digit. (A network of comparators, as for
 * keys of 32 bits, takes more instructions and registers here.) Two counters share a word.
 *
 * Where that would take long, as groups are large and their keys differ (a crowd), each crowd gets
 * digits of its own, between its least and largest key: clusters are even then. Where that leaves a
 * crowd, or values repeat, splitters drawn from the bin make the groups instead: of keys between
 * two of them, few whatever the keys are, and of keys equal to one, which need no ranks. Should the
 * sample still miss a crowd, a bitonic network sorts the bin.
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/wide/gpu_groups.cuh"

enum {
    ITEMS = 8, /* of a thread, in a small job */
    SMALL_THREADS = GS_GPU_SMALL_KEYS / ITEMS,
    SMALL_BLOCKS = GS_BITS == 64 ? 3 : 2, /* of a multiprocessor */
    MEDIUM_THREADS = 1024,
    MEDIUM_ITEMS = GS_GPU_MEDIUM_KEYS / MEDIUM_THREADS
};

/* Load the keys of a job. Keys past the end are copies of the last. */
template <int THREADS, int N>
static __device__ __forceinline__ void load_keys(const gs_key *in, uint32_t size, gs_key (&key)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        key[i] = in[min(i * THREADS + threadIdx.x, size - 1)];
}

/* Sort this block's job by a network. Not inline, as it would cost other cases registers. */
template <int THREADS, int N>
static __device__ __noinline__ void sort_network(const gs_key *in, gs_key *out, uint32_t size)
{
    extern __shared__ __align__(16) unsigned char s_memory[];
    gs_key *s_keys = (gs_key *)s_memory;
    const uint32_t t = threadIdx.x;
    gs_key key[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        key[i] = i * THREADS + t < size ? in[i * THREADS + t] : GS_KEY_MAX;
    sort_bitonic(key, s_keys, (uint32_t)THREADS);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
        s_keys[t * N + i] = key[i];
    __syncthreads();
    for (uint32_t x = t; x < size; x += THREADS)
        out[x] = s_keys[x];
}

/* Sort this block's job by splitters of its own. Returns false if there is a crowd all the same:
 * nothing has been written then. Not inline, either. */
template <int THREADS, int N>
static __device__ __noinline__ bool sort_sampled(const gs_key *in, gs_key *out, uint32_t size)
{
    extern __shared__ __align__(16) unsigned char s_memory[];
    __shared__ gs_key s_splitter[gs_gpu_padded(THREADS)];
    struct bin_memory<THREADS *N> *memory = (struct bin_memory<THREADS * N> *)s_memory;
    __syncthreads(); /* what came before has been read */
    sort_splitters<THREADS>(in[threadIdx.x * size / THREADS], memory->key, s_splitter);
    gs_key key[N];
    load_keys<THREADS>(in, size, key);
    const struct sampled_groups<THREADS> groups = {
        s_splitter
    };
    uint32_t group[N];
    find_groups<THREADS>(key, size, groups, group);
    const uint32_t largest = place_keys<true, THREADS>(memory, key, size, group) & 0xffff;
    if (__syncthreads_or(largest > CROWD_MOST) != 0)
        return false;
    write_ranked<THREADS>(memory, size, groups, out, {});
    return true;
}

/* Sort this block's job, which linear digits have placed, although there is a crowd: divide it.
 * Returns false if splitters are better, or there is a crowd all the same: nothing has been written
 * then. Not inline, either. */
template <int THREADS, int N>
static __device__ __noinline__ bool sort_divided(gs_key *out, uint32_t size,
                                                 struct linear_groups<THREADS * N> groups)
{
    extern __shared__ __align__(16) unsigned char s_memory[];
    struct bin_memory<THREADS *N> *memory = (struct bin_memory<THREADS * N> *)s_memory;
    gs_key key[N];
    uint32_t group[N];
    if (looks_repeated<THREADS, N>(memory, memory->key, size))
        return false;
    divide_crowds<THREADS>(memory, size, groups, key, group);
    const uint32_t largest = place_keys<true, THREADS>(memory, key, size, group);
    const struct divided_groups divided = {};
    if (has_crowd<THREADS>(memory, size, largest, divided))
        return false;
    write_ranked<THREADS>(memory, size, divided, out, {});
    return true;
}

/* Sort this block's job whatever its keys are; nothing has been written yet. */
template <int THREADS, int N>
static __device__ __forceinline__ void sort_hard(const gs_key *in, gs_key *out, uint32_t size)
{
    if (!sort_sampled<THREADS, N>(in, out, size)) {
        __syncthreads();
        sort_network<THREADS, N>(in, out, size);
    }
}

/* What has been sorted by a function that is not inline, to which a door would cost registers,
 * leaves in a pass of its own. */
template <int THREADS>
static __device__ __forceinline__ void leave_all(gs_key *out, uint32_t size,
                                                 const struct gs_gpu_door &door)
{
    if (GS_BITS != 64 || !door.there)
        return;
    __syncthreads();
    for (uint32_t x = threadIdx.x; x < size; x += THREADS)
        out[x] = leave(door, out[x]);
}

/* Sort this block's job, and prefetch the keys of the job AHEAD blocks later. */
template <int THREADS, int N, int AHEAD>
static __device__ __forceinline__ void sort_job(const gs_key *a, const gs_key *b, gs_key *output,
                                                const struct gs_gpu_job *jobs, uint32_t job_count,
                                                const struct gs_gpu_door &door)
{
    extern __shared__ __align__(16) unsigned char s_memory[];
    struct bin_memory<THREADS *N> *memory = (struct bin_memory<THREADS * N> *)s_memory;
    const struct gs_gpu_job job = jobs[blockIdx.x];
    const gs_key *in = (job.in_b ? b : a) + job.from;
    gs_key *out = output + job.start;
    const uint32_t size = job.size;
    if (threadIdx.x == THREADS - 1 && blockIdx.x + AHEAD < job_count) {
        const struct gs_gpu_job *later = &jobs[blockIdx.x + AHEAD];
        prefetch_keys((later->in_b ? b : a) + later->from, later->size / 2 * 2);
    }
    if (job.low == job.high)
        return write_run(out, size, leave(door, job.low));
    const struct linear_groups<THREADS *N> groups = {
        make_digit(job.low, job.high, THREADS *N)
    };
    if (!job.uneven || looks_even<THREADS, N>(memory, in, size, groups) ||
        !looks_repeated<THREADS, N>(memory, in, size)) {
        gs_key key[N];
        uint32_t group[N];
        load_keys<THREADS>(in, size, key);
        find_groups<THREADS>(key, size, groups, group);
        const uint32_t largest = place_keys<false, THREADS>(memory, key, size, group);
        if (!has_crowd<THREADS>(memory, size, largest, groups))
            return write_ranked<THREADS>(memory, size, groups, out, door);
        if (sort_divided<THREADS, N>(out, size, groups))
            return leave_all<THREADS>(out, size, door);
    }
    sort_hard<THREADS, N>(in, out, size);
    leave_all<THREADS>(out, size, door);
}

/* How much there is to do, as the host knows it; or, if state is not NULL, as the device's lists
 * say, when there are blocks enough for any lists. */
struct listed {
    const struct gs_gpu_state *state;
    uint32_t jobs;
    uint32_t fills;
};

/* Small and medium jobs are independent: see u32/sort_bins_gpu.cu. */
enum beside { ALONE, FIRST, SECOND };

/* One block sorts one job, or writes one run. */
template <int THREADS, int N, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, GS_RESIDENT_BLOCKS(BLOCKS, THREADS))
    sort_bins_kernel(const gs_key *a, const gs_key *b, gs_key *output,
                     const struct gs_gpu_job *jobs, const struct gs_gpu_fill *fills,
                     const struct listed listed, enum beside beside,
                     const __grid_constant__ struct gs_gpu_door door)
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
        sort_job<THREADS, N, GS_AHEAD_WAVE * BLOCKS>(a, b, output, jobs, job_count, door);
    } else {
        const uint32_t i = blockIdx.x - job_count;
        if (!medium && i < (listed.state != NULL ? listed.state->listed.fills : listed.fills))
            write_run(output + fills[i].start, fills[i].size, leave(door, fills[i].value));
    }
    if (beside == SECOND && blockIdx.x == 0)
        after_previous();
}

/* Launch `count` blocks, one for each job or run. */
template <int THREADS, int N, int BLOCKS>
static cudaError_t launch_jobs(const gs_key *b, gs_key *a, const struct gs_gpu_job *jobs,
                               const struct gs_gpu_fill *fills, struct listed listed,
                               uint32_t count, enum beside beside, const struct gs_gpu_door &door,
                               cudaStream_t stream)
{
    const size_t shared = sizeof(struct bin_memory<THREADS * N>);
    if (count == 0) /* always so for large blocks where the device has no room for one */
        return cudaSuccess;
    const cudaError_t error =
        cudaFuncSetAttribute(sort_bins_kernel<THREADS, N, BLOCKS>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess)
        return error;
    return gs_launch_next(sort_bins_kernel<THREADS, N, BLOCKS>, count, THREADS, shared, stream,
                          (const gs_key *)a, b, a, jobs, fills, listed, beside, door);
}

static cudaError_t sort_small(const struct gs_gpu_work *work, gs_key *a, const gs_key *b,
                              struct listed listed, uint32_t count, enum beside beside,
                              cudaStream_t stream)
{
    return launch_jobs<SMALL_THREADS, ITEMS, SMALL_BLOCKS>(
        b, a, work->small_jobs, work->fills, listed, count, beside, work->door, stream);
}

static cudaError_t sort_medium(const struct gs_gpu_work *work, gs_key *a, const gs_key *b,
                               uint32_t count, enum beside beside, cudaStream_t stream)
{
    const struct listed listed = {gs_gpu_asked(work), count, 0};
    return launch_jobs<MEDIUM_THREADS, MEDIUM_ITEMS, 1>(b, a, work->medium_jobs, NULL, listed,
                                                        count, beside, work->door, stream);
}

cudaError_t gs_sort_bins_gpu(const struct gs_gpu_work *work, gs_key *a, const gs_key *b,
                             uint32_t small_jobs, uint32_t medium_jobs, uint32_t fills, bool uneven,
                             cudaStream_t stream)
{
    const struct listed small = {NULL, small_jobs, fills};
    const bool both = small_jobs > 0 && medium_jobs > 0;
    (void)uneven; /* jobs then come without bounds */
    cudaError_t error = sort_medium(work, a, b, medium_jobs, both ? FIRST : ALONE, stream);
    if (error == cudaSuccess && small_jobs > 0)
        return sort_small(work, a, b, small, small_jobs + fills, both ? SECOND : ALONE, stream);
    return error == cudaSuccess ? gs_fill_bins_gpu(work, a, fills, stream) : error;
}

cudaError_t gs_sort_listed_gpu(const struct gs_gpu_work *work, gs_key *a, const gs_key *b,
                               uint32_t most, cudaStream_t stream)
{
    const struct listed listed = {work->state, 0, 0};
    return sort_small(work, a, b, listed, most, FIRST, stream);
}

cudaError_t gs_sort_medium_gpu(const struct gs_gpu_work *work, gs_key *a, const gs_key *b,
                               uint32_t medium_jobs, cudaStream_t stream)
{
    return sort_medium(work, a, b, medium_jobs, gs_gpu_asked(work) != NULL ? ALONE : SECOND,
                       stream);
}

/* sort_bins_gpu.cu -- sort bins that fit in shared memory, each in one visit by one block.
 * SPDX-License-Identifier: MIT
 *
 * A last linear digit, with a counter for each key that the block can hold, puts a key within a few
 * places of where it belongs: rank by atomicAdd, scan of the counters, store. What is left are
 * groups of keys that share a digit. Each thread sorts a window of 16 keys by a network; then it
 * merges its upper 8 with its neighbour's lower 8, which settles groups across the border of two
 * windows. Good for groups of up to SETTLED keys. If no two keys share a digit there is nothing
 * left.
 *
 * Larger groups come from repeated keys or from skew: gpu_crowds.cuh spreads them first.
 *
 * A thread's adds must all be under way before the first result is needed. So there is no branch
 * around them: keys that the bin does not have count into words of their own behind the counters.
 *
 * Words are padded, one for 32: thread t's 16 keys begin in bank 16 t + t/2, so that the windows of
 * a warp meet no bank twice.
 */
#include "sort/gpu_crowds.cuh"
#include "sort/gpu_network.cuh"

enum {
    HALF = ITEMS / 2,
    SMALL_THREADS = GS_GPU_SMALL_KEYS / ITEMS,
    DOUBLE_THREADS = 2 * SMALL_THREADS,
    MEDIUM_THREADS = GS_GPU_MEDIUM_KEYS / ITEMS,
    STREAM_THREADS = 256
};

/* Words of shared memory: keys with a window more, then the counters, then one for each lane. */
static constexpr __host__ __device__ size_t key_words(size_t keys)
{
    return (keys + 2 * ITEMS) * 33 / 32 + 3 & ~(size_t)3;
}

template <int THREADS> static constexpr size_t shared_bytes()
{
    return (key_words(THREADS * ITEMS) + THREADS * ITEMS + 32) * sizeof(uint32_t);
}

/* The exclusive scan of THREADS * ITEMS counters, in place: a warp owns a contiguous piece and
 * reads it by 16 bytes a lane. Sums of two reads share a register: no sum within a warp's piece,
 * and none of the block, reaches 2^16. Returns the largest counter that this thread has seen: not
 * the adds, which would have to wait for each other's results. */
template <int THREADS> static __device__ __forceinline__ uint32_t scan_counters(uint32_t *s_count)
{
    static_assert(THREADS * ITEMS < 1 << 16, "sums fit half a register");
    __shared__ uint32_t s_warp[32];
    const int warps = THREADS / 32;
    const uint32_t warp = threadIdx.x / 32;
    uint4 *piece = (uint4 *)(s_count + warp * 32 * ITEMS) + lane_index();
    uint32_t largest = 0;
    uint32_t sum[ITEMS / 4];
#pragma unroll
    for (int i = 0; i < ITEMS / 4; i++) {
        uint4 count = piece[32 * i];
        sum[i] = count.x + count.y + count.z + count.w;
        largest = max(max(largest, count.x), max(max(count.y, count.z), count.w));
    }
    uint32_t before = 0; /* counters of this warp's earlier reads */
    uint32_t start[ITEMS / 4];
#pragma unroll
    for (int i = 0; i < ITEMS / 4; i += 2) {
        uint32_t both = scan_warp(sum[i] | sum[i + 1] << 16);
        uint32_t all = __shfl_sync(GS_ALL_LANES, both, 31);
        start[i] = before + (both & 0xffff) - sum[i];
        start[i + 1] = before + (all & 0xffff) + (both >> 16) - sum[i + 1];
        before += (all & 0xffff) + (all >> 16);
    }
    if (lane_index() == 0)
        s_warp[warp] = before;
    __syncthreads();
    /* Each warp sums up the warps before it: no second barrier. */
    uint32_t below = lane_index() < warps && lane_index() < warp ? s_warp[lane_index()] : 0;
#pragma unroll
    for (int step = 16; step > 0; step >>= 1)
        below += __shfl_xor_sync(GS_ALL_LANES, below, step);
#pragma unroll
    for (int i = 0; i < ITEMS / 4; i++) {
        /* Read again: 16 registers kept would cost a block of occupancy. */
        uint4 count = piece[32 * i];
        uint4 place;
        place.x = below + start[i];
        place.y = place.x + count.x;
        place.z = place.y + count.y;
        place.w = place.z + count.z;
        piece[32 * i] = place;
    }
    return largest;
}

/* Settle groups of up to 8 keys: `keys` in s_keys are in place but for the order within groups. */
static __device__ __forceinline__ void settle_groups(uint32_t *s_keys, uint32_t keys)
{
    const uint32_t first = threadIdx.x * ITEMS;
    const bool mine = first < keys;
    uint32_t *window = s_keys + padded(first);
    uint32_t *next = s_keys + padded(first + ITEMS);
    uint32_t key[ITEMS];
    if (mine) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            key[i] = window[i];
        sort_network<0, ITEMS>(key);
        /* The lower half is for the neighbour below; it writes what becomes of it. */
#pragma unroll
        for (int i = 0; i < HALF; i++)
            window[i] = key[i];
    }
    __syncthreads();
    if (mine) {
#pragma unroll
        for (int i = 0; i < HALF; i++) {
            key[i] = key[i + HALF];
            key[i + HALF] = next[i];
        }
        merge_network<0, ITEMS, 1>(key);
#pragma unroll
        for (int i = 0; i < HALF; i++) {
            window[i + HALF] = key[i];
            next[i] = key[i + HALF];
        }
    }
    __syncthreads();
}

/* One block sorts one job. If there are blocks enough for any list, `listed` says how many jobs it
 * has. */
template <int THREADS, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    sort_bins_kernel(const uint32_t *a, const uint32_t *b, uint32_t *output,
                     const struct gs_gpu_job *jobs, const uint32_t *listed)
{
    const uint32_t capacity = THREADS * ITEMS;
    extern __shared__ __align__(16) uint32_t s_keys[];
    __shared__ uint32_t s_low, s_high;
    uint32_t *s_count = s_keys + key_words(capacity);
    const uint32_t t = threadIdx.x;
    if (listed != NULL && blockIdx.x >= *listed)
        return;
    const struct gs_gpu_job job = jobs[blockIdx.x];
    const uint32_t *in = (job.in_b ? b : a) + job.start;
    uint32_t *out = output + job.start;
    const uint32_t size = job.size;

    const int rest = (int)size - (int)t; /* key i of this thread exists if i * THREADS < rest */

    /* Load, and find the bounds. Keys that do not exist are copies of the last. */
    uint32_t key[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        key[i] = in[min(i * THREADS + t, size - 1)];
    if (t == 0) {
        s_low = GS_KEY_MAX;
        s_high = 0;
    }
#pragma unroll
    for (int i = 0; i < ITEMS / 4; i++)
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
    __syncthreads();
    low = s_low;
    high = s_high;
    if (low == high) {
        for (uint32_t x = t; x < size; x += THREADS)
            out[x] = low;
        return;
    }
    const struct gs_gpu_digit digit = make_digit(low, high, capacity);
    const bool exact = digit_is_exact(digit);

    /* Rank each key among those of its digit. */
    uint32_t place[ITEMS]; /* rank * 2^16 + digit */
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        place[i] = digit_of(digit, key[i]);
    if (!is_crowd(place[0])) {
        uint32_t rank[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            rank[i] =
                atomicAdd(&s_count[i * THREADS < rest ? place[i] : capacity + lane_index()], 1);
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            place[i] += rank[i] << 16;
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            place[i] += rank_crowd(s_count, place[i], i * THREADS < rest) << 16;
    }
    __syncthreads();
    const bool crowd = scan_counters<THREADS>(s_count) > SETTLED;
    if (t < 2 * ITEMS)
        s_keys[padded(size + t)] = GS_KEY_MAX;
    const bool crowded = __syncthreads_or(crowd) != 0 && !exact;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (i * THREADS < rest)
            place[i] = s_count[place[i] & 0xffff] + (place[i] >> 16);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (i * THREADS < rest)
            s_keys[padded(place[i])] = key[i];
    __syncthreads();
    if (crowded)
        settle_crowds<THREADS>(s_keys, s_count, out, size);
    if (!exact)
        settle_groups(s_keys, size);
    uint32_t *s_mine = s_keys + padded(t);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (i * THREADS < rest)
            out[i * THREADS + t] = s_mine[padded(i * THREADS)];
}

static __global__ void __launch_bounds__(STREAM_THREADS)
    fill_bins_kernel(uint32_t *out, const struct gs_gpu_fill *fills)
{
    const struct gs_gpu_fill fill = fills[blockIdx.x];
    for (uint32_t i = threadIdx.x; i < fill.size; i += STREAM_THREADS)
        out[fill.start + i] = fill.value;
}

/* Swap each key with its mirror image. */
static __global__ void __launch_bounds__(STREAM_THREADS) reverse_kernel(uint32_t *keys, uint64_t n)
{
    const uint64_t stride = (uint64_t)gridDim.x * STREAM_THREADS;
    for (uint64_t i = blockIdx.x * (uint64_t)STREAM_THREADS + threadIdx.x; i < n / 2; i += stride) {
        uint32_t key = keys[i];
        keys[i] = keys[n - 1 - i];
        keys[n - 1 - i] = key;
    }
}

template <int THREADS, int BLOCKS>
static cudaError_t launch_jobs(const uint32_t *a, const uint32_t *b, uint32_t *out,
                               const struct gs_gpu_job *jobs, const uint32_t *listed,
                               uint32_t count, cudaStream_t stream)
{
    const size_t shared = shared_bytes<THREADS>();
    cudaError_t error =
        cudaFuncSetAttribute(sort_bins_kernel<THREADS, BLOCKS>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess || count == 0)
        return error;
    sort_bins_kernel<THREADS, BLOCKS><<<count, THREADS, shared, stream>>>(a, b, out, jobs, listed);
    return cudaGetLastError();
}

static cudaError_t sort_small(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                              const uint32_t *listed, uint32_t count, cudaStream_t stream)
{
    if (work->small_keys == GS_GPU_SMALL_KEYS)
        return launch_jobs<SMALL_THREADS, 4>(a, b, a, work->small_jobs, listed, count, stream);
    return launch_jobs<DOUBLE_THREADS, 2>(a, b, a, work->small_jobs, listed, count, stream);
}

cudaError_t gs_sort_bins_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                             uint32_t small_jobs, uint32_t medium_jobs, cudaStream_t stream)
{
    cudaError_t error = sort_small(work, a, b, NULL, small_jobs, stream);
    if (error == cudaSuccess && medium_jobs > 0)
        error =
            launch_jobs<MEDIUM_THREADS, 1>(a, b, a, work->medium_jobs, NULL, medium_jobs, stream);
    return error;
}

cudaError_t gs_sort_listed_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                               uint32_t most, cudaStream_t stream)
{
    return sort_small(work, a, b, &work->state->small_jobs, most, stream);
}

cudaError_t gs_fill_bins_gpu(const struct gs_gpu_work *work, uint32_t *a, uint32_t fills,
                             cudaStream_t stream)
{
    if (fills > 0)
        fill_bins_kernel<<<fills, STREAM_THREADS, 0, stream>>>(a, work->fills);
    return cudaGetLastError();
}

cudaError_t gs_reverse_gpu(uint32_t *keys, uint64_t n, unsigned processors, cudaStream_t stream)
{
    reverse_kernel<<<processors * 8, STREAM_THREADS, 0, stream>>>(keys, n);
    return cudaGetLastError();
}

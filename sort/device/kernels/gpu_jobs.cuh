/* gpu_jobs.cuh -- list in device memory what is left to do with a bin.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_JOBS_CUH
#define GS_GPU_JOBS_CUH

#include "sort/device/kernels/gpu_block.cuh"

/* List a bin of unsorted keys, with their bounds, for blocks of its size. uneven: keys may be so
 * between these. Only wider keys' blocks ask. */
static __device__ void add_job(const struct gs_gpu_work *work, uint64_t start, int64_t from,
                               uint32_t size, uint32_t in_b, bool uneven, gs_key low, gs_key high)
{
#if GS_BITS == 32
    (void)uneven;
    (void)low;
    (void)high;
    struct gs_gpu_job job = {start, from, size, in_b};
#else
    struct gs_gpu_job job = {start, from, size, in_b, uneven, low, high};
#endif
    if (size <= work->small_keys)
        work->small_jobs[atomicAdd(&work->state->listed.small_jobs, 1)] = job;
    else
        work->medium_jobs[atomicAdd(&work->state->listed.medium_jobs, 1)] = job;
}

/* List a run of equal keys, in pieces for one block each. */
static __device__ void add_fill(const struct gs_gpu_work *work, uint64_t start, uint64_t size,
                                gs_key value)
{
    uint32_t pieces = (uint32_t)((size + GS_GPU_FILL_KEYS - 1) / GS_GPU_FILL_KEYS);
    uint32_t place = atomicAdd(&work->state->listed.fills, pieces);
    for (uint32_t i = 0; i < pieces; i++) {
        uint64_t first = (uint64_t)i * GS_GPU_FILL_KEYS;
        struct gs_gpu_fill fill = {start + first,
                                   (uint32_t)min(size - first, (uint64_t)GS_GPU_FILL_KEYS), value};
        work->fills[place + i] = fill;
    }
}

/* Add a slot whose keys are at their place in the output. Returns it, so that the caller can say
 * otherwise. */
static __device__ struct gs_gpu_slot *add_slot(const struct gs_gpu_work *work, unsigned level,
                                               uint64_t start, uint64_t size, gs_key low,
                                               gs_key high)
{
    struct gs_gpu_slot *slot =
        &work->slots[level & 1][atomicAdd(&work->state->slots[level & 1], 1)];
    slot->start = start;
    slot->size = size;
    slot->from = (int64_t)start;
    slot->to = (int64_t)start;
    slot->low = low;
    slot->high = high;
    slot->paged = 0;
    slot->room = 0;
    slot->narrow = 0;
    slot->values = 0;
    slot->mapped = 0;
    slot->map = 0;
    return slot;
}

/* Call list(d, begin, size) for each digit d of a slot that has keys, by one thread of a block: how
 * many lie before it in the slot, and its own, which sizes[d] holds until then. */
template <int THREADS, typename LIST>
static __device__ __forceinline__ void each_digit(const struct gs_gpu_slot &slot,
                                                  const unsigned long long *sizes, const LIST &list)
{
    __shared__ unsigned long long s_partial[33];
    unsigned long long before = 0;
    for (uint32_t round = 0; round < slot.bins; round += THREADS) {
        const uint32_t d = round + threadIdx.x;
        const unsigned long long size = d < slot.bins ? sizes[d] : 0;
        const unsigned long long begin = scan_round<THREADS>(size, s_partial, &before);
        if (size > 0)
            list(d, begin, size);
        __syncthreads();
    }
}

#endif

/* gpu_close.cuh -- bins of any size whose values lie close together: each value is counted.
 * SPDX-License-Identifier: MIT
 *
 * Part of sort_bins_gpu.cu, for one block. Skewed keys can put tens of thousands of keys of a
 * hundred adjacent values into one bin; a sample cannot tell such values from a single one. With a
 * counter for each value, their runs are known.
 */
#ifndef GS_GPU_CLOSE_CUH
#define GS_GPU_CLOSE_CUH

#include "sort/device/u32/gpu_values.cuh"

static_assert(GS_GPU_CLOSE_VALUES == GS_GPU_MEDIUM_KEYS, "a counter for each, where keys would be");
static_assert((uint64_t)GS_GPU_CLOSE_KEYS * GS_GPU_CLOSE_VALUES <= 1ULL << 32, "a run is a word");

/* Runs in the order of their values: where a run begins in the bin, and its value less the least
 * one. */
struct close_runs {
    uint32_t *run; /* begin * GS_GPU_CLOSE_VALUES + value; ascending */
    uint32_t count;

    __device__ __forceinline__ uint32_t begin(uint32_t i, uint32_t end) const
    {
        return i < count ? run[i] / GS_GPU_CLOSE_VALUES : end;
    }

    __device__ __forceinline__ uint32_t value(uint32_t i) const
    {
        return run[i] % GS_GPU_CLOSE_VALUES;
    }

    /* The run that a place is in. */
    __device__ __forceinline__ uint32_t find(uint32_t place) const
    {
        uint32_t found = 0;
        for (uint32_t half = GS_GPU_CLOSE_VALUES / 2; half > 0; half /= 2)
            if (found + half < count && run[found + half] / GS_GPU_CLOSE_VALUES <= place)
                found += half;
        return found;
    }
};

/* List the runs of the counted values; s_count[gs_gpu_padded(i)] counts the keys whose low bits are
 * i. */
template <int THREADS>
static __device__ __forceinline__ struct close_runs list_runs(const uint32_t *s_count, uint32_t low,
                                                              uint32_t *s_run)
{
    __shared__ unsigned long long s_partial[33];
    const int EACH = GS_GPU_CLOSE_VALUES / THREADS; /* values of a thread */
    const uint32_t first = threadIdx.x * EACH;
    uint32_t count[EACH];
    unsigned long long mine = 0; /* runs from bit 32 on, keys below */
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        count[i] = s_count[gs_gpu_padded((low + first + i) % GS_GPU_CLOSE_VALUES)];
        mine += (unsigned long long)(count[i] > 0) << 32 | count[i];
    }
    unsigned long long all;
    const unsigned long long before = scan_block<THREADS>(mine, s_partial, &all);
    uint32_t place = (uint32_t)(before >> 32);
    uint32_t begin = (uint32_t)before;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (count[i] > 0) {
            s_run[place++] = begin * GS_GPU_CLOSE_VALUES + first + i;
            begin += count[i];
        }
    __syncthreads();
    return {s_run, (uint32_t)(all >> 32)};
}

/* Sort this block's job, whose keys lie within GS_GPU_CLOSE_VALUES consecutive values. The low bits
 * of a key choose its counter, so all keys can be counted before the least is known. Not inline,
 * for the same reason as sort_hard. */
template <int THREADS>
static __device__ __noinline__ void sort_close(const uint32_t *a, const uint32_t *b,
                                               uint32_t *output, const struct gs_gpu_job *jobs)
{
    extern __shared__ __align__(16) uint32_t s_keys[];
    __shared__ uint32_t s_none[32]; /* counts keys that do not exist */
    __shared__ uint32_t s_low;
    const struct gs_gpu_job job = jobs[blockIdx.x];
    const uint32_t *in = (job.in_b ? b : a) + job.from;
    uint32_t *out = output + job.start;
    const uint32_t size = job.size;
    const uint32_t t = threadIdx.x;
    for (uint32_t i = t; i < key_words(GS_GPU_CLOSE_VALUES); i += THREADS)
        s_keys[i] = 0;
    if (t == 0)
        s_low = GS_KEY_MAX;
    __syncthreads();
    uint32_t low = GS_KEY_MAX;
    for (uint32_t first = 0; first < size; first += THREADS * ITEMS) {
        uint32_t key[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            key[i] = in[min(first + i * THREADS + t, size - 1)];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const uint32_t place = gs_gpu_padded(key[i] % GS_GPU_CLOSE_VALUES);
            const bool exists = first + i * THREADS + t < size;
            atomicAdd(exists ? &s_keys[place] : &s_none[lane_index()], 1);
            low = min(low, key[i]);
        }
    }
    low = reduce_min_warp(low);
    if (lane_index() == 0)
        atomicMin(&s_low, low);
    __syncthreads();
    low = s_low;
    const struct close_runs runs =
        list_runs<THREADS>(s_keys, low, s_keys + block_memory<THREADS>::COUNTERS);
    for (uint32_t round = 0; round < size; round += THREADS * ITEMS) {
        const uint32_t place = round + t * ITEMS;
        if (place < size) {
            uint32_t run = runs.find(place);
            uint32_t next = runs.begin(run + 1, size);
            uint32_t *window = s_keys + gs_gpu_padded(t * ITEMS);
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                if (place + i == next && next < size) {
                    run++;
                    next = runs.begin(run + 1, size);
                }
                window[i] = low + runs.value(run);
            }
        }
        __syncthreads();
        write_keys<THREADS>(out + round, s_keys, (int)(size - round) - (int)t);
        __syncthreads();
    }
}

#endif

/* gpu_hard.cuh -- sort bins of many repeated or crowded keys.
 * SPDX-License-Identifier: MIT
 *
 * Part of sort_bins_gpu.cu, for one block. If keys crowd, they get new digits that follow their
 * distribution; if values are few, they are counted (gpu_values.cuh); if neither works, a network
 * sorts the bin.
 */
#ifndef GS_GPU_HARD_CUH
#define GS_GPU_HARD_CUH

#include "sort/device/kernels/gpu_digit.cuh"
#include "sort/device/u32/gpu_values.cuh"
#include "sort/device/u32/gpu_windows.cuh"

/* Sort a bin whose keys crowd. The counters, which by now hold where each digit begins, tell how
 * the keys are distributed. New digits follow that: an old digit of k keys is divided evenly into
 * k, by the key's fraction within it. Keys crowd again only if they are uneven on that finer scale,
 * too. Returns false, in all threads of the block and with nothing written, if a crowd of several
 * values is left that is larger than CROWD_LARGE; unless values repeat, each larger crowd counts as
 * one. */
template <int THREADS>
static __device__ __forceinline__ bool sort_divided(const uint32_t *in, uint32_t *out,
                                                    uint32_t size, struct gs_gpu_digit digit,
                                                    bool repeats)
{
    extern __shared__ __align__(16) uint32_t s_keys[];
    uint32_t *s_count = s_keys + block_memory<THREADS>::COUNTERS;
    const uint32_t digits = THREADS * counts_of<THREADS>();
    const uint32_t divided = THREADS * ITEMS;
    const uint32_t t = threadIdx.x;
    const int rest = (int)size - (int)t;
    if (t == 0)
        s_count[digits] = size;
    uint32_t place[ITEMS]; /* the key; then, as in sort_job, rank * 2^16 + digit */
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        place[i] = in[min(i * THREADS + t, size - 1)];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const uint64_t wide = digit_wide(digit, place[i]);
        const uint32_t *start = s_count + (uint32_t)(wide >> 32);
        place[i] = start[0] + __umulhi((uint32_t)wide, start[1] - start[0]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS / 4; i++)
        ((uint4 *)s_count)[i * THREADS + t] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    uint32_t rank[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        rank[i] = atomicAdd(&s_count[i * THREADS < rest ? place[i] : divided + lane_index()], 1);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        place[i] += rank[i] << 16;
    __syncthreads();
    const uint32_t largest = scan_counters<THREADS, ITEMS>(s_count, false);
    if (t < 2 * ITEMS)
        s_keys[gs_gpu_padded(size + t)] = GS_KEY_MAX;
    const bool crowded = __syncthreads_or(largest > SETTLED) != 0;
    if (crowded && !repeats && __syncthreads_or(largest > CROWD_LARGE) != 0)
        return false;

#pragma unroll
    for (int i = 0; i < ITEMS; i++) /* read again, from a cache: registers are scarce */
        if (i * THREADS < rest)
            s_keys[gs_gpu_padded(s_count[place[i] & 0xffff] + (place[i] >> 16))] =
                in[i * THREADS + t];
    __syncthreads();
    if (crowded && !settle_crowds<THREADS, true>(
                       s_keys, s_count, divided, size,
                       (struct crowd_list<THREADS> *)(s_keys + block_memory<THREADS>::LISTS)))
        return false;
    settle_groups(s_keys, size);
    write_keys<THREADS>(out, s_keys, rest);
    return true;
}

/* What is known of a hard bin. If its digits crowd, its values are not counted even if they repeat:
 * if dividing fails, a network is faster than one more try. */
#define HARD_DIVIDED 1U /* digits that follow its keys may do */
#define HARD_VALUES  2U /* values repeat */

/* Sort a bin that has few values, or crowds that take long: divide or count it, or else sort it by
 * a network. Not inline, and with only those arguments that are at hand anyway, as the other bins
 * need the registers. For the same reason one such function does not call another. */
template <int THREADS>
static __device__ __noinline__ void sort_hard(const uint32_t *a, const uint32_t *b,
                                              uint32_t *output, const struct gs_gpu_job *jobs,
                                              struct gs_gpu_digit digit, unsigned ways)
{
    extern __shared__ __align__(16) uint32_t s_keys[];
    const struct gs_gpu_job job = jobs[blockIdx.x];
    const uint32_t *in = (job.in_b ? b : a) + job.from;
    uint32_t *out = output + job.start;
    const bool repeats = (ways & HARD_VALUES) != 0;
    if ((ways & HARD_DIVIDED) != 0) {
        if (sort_divided<THREADS>(in, out, job.size, digit, repeats))
            return;
    } else if (repeats && sort_values<THREADS>(in, out, job.size)) {
        return;
    }
    __syncthreads();
    sort_network_block<THREADS>(in, out, job.size, s_keys);
}

#endif

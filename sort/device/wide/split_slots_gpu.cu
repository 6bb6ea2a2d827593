/* split_slots_gpu.cu -- splitters for slots of wider keys where these are uneven, or repeat.
 * SPDX-License-Identifier: MIT
 *
 * A slot is a sample sort of its own: a block draws a sample, sorts it, and picks splitters, with
 * an equality bin for a value that fills one. These are whole keys, so a level brings any keys down
 * to small bins: clusters within clusters, values that repeat, and keys that differ in few bits. A
 * slot whose linear digits are even enough keeps these, as they are cheaper.
 */
#include "sort/device/kernels/gpu_bitonic.cuh"
#include "sort/device/kernels/gpu_digit.cuh"
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"

enum {
    SPLIT_THREADS = 1024,
    SPLIT_ITEMS = 8, /* samples of a thread; half as many where a block has less memory */
    SPLIT_EACH = 16  /* samples of a digit at least, if that is not too many */
};

static_assert(SPLIT_THREADS >= GS_GPU_DIGITS_MAX / 2, "a thread for each splitter");

/* Key `place` of a slot. */
static __device__ __forceinline__ gs_key key_at(const struct gs_gpu_pages &pages,
                                                const gs_key *keys, const struct gs_gpu_slot &slot,
                                                uint64_t place)
{
    if (!slot.paged)
        return keys[slot.from + (int64_t)place];
    const uint32_t number = pages.page[slot.from + (int64_t)(place / GS_GPU_PAGE_KEYS)];
    return page_at(pages, keys, number)[place % GS_GPU_PAGE_KEYS];
}

/* Draw N keys a thread from the slot, and sort them all in shared memory. */
template <int N>
static __device__ __noinline__ uint32_t sort_sample(const struct gs_gpu_pages &pages,
                                                    const gs_key *keys,
                                                    const struct gs_gpu_slot &slot,
                                                    gs_key *s_sample)
{
    const uint32_t t = threadIdx.x;
    const uint64_t apart = slot.size / (N * SPLIT_THREADS);
    gs_key key[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        const uint32_t j = i * SPLIT_THREADS + t;
        const uint64_t random = (uint32_t)gs_random(GS_SAMPLE_SEED, j);
        key[i] = key_at(pages, keys, slot, j * apart + (random * apart >> 32));
    }
    sort_bitonic(key, s_sample, (uint32_t)SPLIT_THREADS);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
        s_sample[t * N + i] = key[i];
    __syncthreads();
    return N * SPLIT_THREADS;
}

/* Would linear digits be even enough? None may have much more than its share of the sample. */
static __device__ __forceinline__ bool is_even(const gs_key *s_sample, uint32_t samples,
                                               uint32_t bins, const struct gs_gpu_digit &digit)
{
    const uint32_t share = samples / bins;
    const uint32_t most = share + share / 2 + (uint32_t)(2 * sqrtf((float)share)) + 4;
    bool crowded = false;
    for (uint32_t i = threadIdx.x; i + most < samples; i += SPLIT_THREADS)
        crowded = crowded || digit_of(digit, s_sample[i]) == digit_of(digit, s_sample[i + most]);
    return __syncthreads_or(crowded) == 0;
}

/* A block splits one slot: it turns the digits that the slot has been given into splitters. */
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_slots_kernel(const gs_key *__restrict__ keys,
                       const __grid_constant__ struct gs_gpu_pages pages, struct gs_gpu_slot *slots,
                       const struct gs_gpu_state *asked, gs_key *splitters, uint32_t most)
{
    after_previous();
    if (asked != NULL && is_spare(asked, asked->level_slots, GS_GPU_SPLIT))
        return;
    extern __shared__ __align__(16) unsigned char s_memory[];
    __shared__ uint32_t s_partial[33];
    gs_key *s_sample = (gs_key *)s_memory;
    const struct gs_gpu_slot slot = slots[blockIdx.x];
    const uint32_t t = threadIdx.x;
    if (!slot.mapped)
        return;
    const uint32_t bins = slot.bins / 2; /* the others are for equality bins */
    const uint32_t wanted = (uint32_t)min(min((uint64_t)bins * SPLIT_EACH, slot.size / 2),
                                          (uint64_t)most * SPLIT_THREADS);
    const uint32_t samples =
        wanted <= SPLIT_THREADS       ? sort_sample<1>(pages, keys, slot, s_sample)
        : wanted <= 2 * SPLIT_THREADS ? sort_sample<2>(pages, keys, slot, s_sample)
        : wanted <= 4 * SPLIT_THREADS ? sort_sample<4>(pages, keys, slot, s_sample)
                                      : sort_sample<SPLIT_ITEMS>(pages, keys, slot, s_sample);
    const struct gs_gpu_digit digit = make_digit(slot.low, slot.high, bins);
    if (is_even(s_sample, samples, bins, digit)) {
        if (t == 0) {
            slots[blockIdx.x].digit = digit;
            slots[blockIdx.x].bins = bins;
            slots[blockIdx.x].mapped = 0;
        }
        return;
    }
    /* As for level 1: a value that is also found half a bin's share away is alone in its bin. */
    uint32_t emitted = 0;
    gs_key key = 0;
    bool below = false;
    if (t + 1 < bins) {
        const uint32_t pick = (t + 1) * samples / bins;
        const gs_key before = t > 0 ? s_sample[t * samples / bins] : 0;
        const uint32_t share = max(samples / bins / 2, 1U);
        key = s_sample[pick];
        const bool heavy = (pick + share < samples && s_sample[pick + share] == key) ||
                           (pick >= share && s_sample[pick - share] == key);
        if (t == 0 || before != key) {
            below = heavy && key > slot.low && (t == 0 || before != key - 1);
            emitted = below + (key < slot.high);
        }
    }
    uint32_t count;
    uint32_t place = scan_block<SPLIT_THREADS>(emitted, s_partial, &count);
    splitters += slot.first_digit;
    if (below)
        splitters[place++] = key - 1;
    if (emitted > below)
        splitters[place] = key;
    if (t == 0)
        slots[blockIdx.x].bins = count + 1;
}

/* Here slots get splitters, not maps. */
cudaError_t gs_map_digits_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *keys,
                              uint32_t slots, enum gs_gpu_digits digits, cudaStream_t stream)
{
    const uint32_t most = GS_BITS == 64 || work->rows ? SPLIT_ITEMS : SPLIT_ITEMS / 2;
    const size_t shared = most * SPLIT_THREADS * sizeof(gs_key);
    (void)digits;
    const cudaError_t error = cudaFuncSetAttribute(
        split_slots_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess)
        return error;
    return gs_launch_next(split_slots_kernel, slots, SPLIT_THREADS, shared, stream, keys,
                          work->pages, work->slots[level & 1], gs_gpu_asked(work), work->heavy,
                          most);
}

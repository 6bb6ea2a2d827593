/* rooms_gpu.cu -- digits that need no count: which slots have even ones, and where their keys go.
 * SPDX-License-Identifier: MIT
 *
 * A linear digit divides smooth data evenly, so the number of keys of each digit is known but for
 * chance: a margin of six standard deviations, a tenth of 3700 keys, is enough. A sample of the
 * slot tells by Pearson's chi-square test whether its data is that smooth, so most slots that would
 * overflow a room are not tried. Where a digit has at most 2^16 values, its room holds only the low
 * halves of the keys: sort_narrow_gpu.cu knows the rest.
 */
#include "sort/device/kernels/gpu_jobs.cuh"
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_views.cuh"
#include "sort/device/pages/page_launchers.h"

enum {
    EVEN_THREADS = 512,
    EVEN_ITEMS = 4,
    EVEN_SAMPLES = EVEN_ITEMS * EVEN_THREADS, /* most samples of a slot */
    EVEN_SPARSE = 8,                          /* the slot has at least this many keys per sample */
    EVEN_EACH = 8,                            /* samples per digit that are enough */
    PLACE_THREADS = 1024,
    JOB_THREADS = 256,
    LINE_KEYS = 32,        /* keys of 32 bits in a cache line */
    LINE_NARROW_KEYS = 64, /* keys of 16 bits in a cache line */
    NARROW_SPARSE = 3      /* a narrow bin has at least this many values per key */
};

/* Chance does not reach this many standard deviations. */
#define GS_DEVIATIONS 6.0F

/* Round up to whole cache lines, where rooms begin: a warp then reads one line, not two. */
template <typename N> static __device__ __forceinline__ N whole_lines(N keys, uint32_t of_line)
{
    return (keys + of_line - 1) / of_line * of_line;
}

/* Keys that each room must hold in a slot of `keys` keys. A digit's factor is rounded to a whole
 * number, which is at least `bins`, so all digits but the last may be wider than 1/bins of the
 * range, by up to 1/bins of that. */
static __device__ __forceinline__ uint64_t room_for(uint64_t keys, uint32_t bins)
{
    const float mean = (float)keys / (float)bins * (1 + 1 / (float)bins);
    return whole_lines(bins == 1 ? keys : (uint64_t)(mean + GS_DEVIATIONS * sqrtf(mean)) + 1,
                       LINE_KEYS);
}

/* Most values of a digit: if digits are not exact, digit d has those with d = hi32((key - low) *
 * q), where q is less than 2^32. */
static __device__ __forceinline__ uint64_t digit_width(const struct gs_gpu_slot &slot)
{
    const uint64_t q = (uint64_t)slot.digit.factor * slot.digit.scale;
    return q > 0 ? ((1ULL << 32) + q - 1) / q : 1ULL << 32; /* one digit may have all values */
}

/* Are the low halves of keys enough, in rooms that blocks for small jobs can sort? Not if values
 * repeat, as they do where they are few, or where some low bits are the same in all keys. A narrow
 * bin's first value is a multiple of 32, up to 31 less than the digit's least. */
static __device__ __forceinline__ bool is_narrow(const struct gs_gpu_slot &slot, uint64_t room,
                                                 uint32_t small_keys, uint32_t varying)
{
    const uint64_t width = digit_width(slot);
    return room <= small_keys && room * NARROW_SPARSE <= width && width + 31 <= 65536 &&
           (~varying & 0xffff) == 0;
}

/* A block samples one slot and sets the size of its rooms; 0: it has none. */
static __global__ void __launch_bounds__(EVEN_THREADS)
    find_even_kernel(const uint32_t *__restrict__ keys, const struct gs_gpu_pages pages,
                     struct gs_gpu_slot *slots, uint32_t most, uint32_t small_keys)
{
    after_previous();
    __shared__ uint32_t s_count[GS_GPU_DIGITS_MAX];
    __shared__ uint32_t s_partial[33];
    __shared__ uint32_t s_ones, s_zeros; /* bits that are 1 in some key, or 0 */
    const uint32_t t = threadIdx.x;
    const struct gs_gpu_slot slot = slots[blockIdx.x];
    if (slot.bins == 0 || digit_is_exact(slot.digit))
        return;
    const uint32_t size = (uint32_t)slot.size; /* positions in pages are of 32 bits */
    const uint32_t samples =
        min(size / EVEN_SPARSE, min((uint32_t)EVEN_SAMPLES, EVEN_EACH * slot.bins));
    const uint32_t apart = size / max(samples, 1U);
    const struct digit_view digits = {slot.digit, slot.bins};
    for (uint32_t d = t; d < slot.bins; d += EVEN_THREADS)
        s_count[d] = 0;
    if (t == 0)
        s_ones = s_zeros = 0;
    __syncthreads();
    uint32_t key[EVEN_ITEMS]; /* all loads are issued before the first key is needed */
    uint32_t digit[EVEN_ITEMS];
#pragma unroll
    for (int i = 0; i < EVEN_ITEMS; i++)
        if (i * EVEN_THREADS + t < samples) {
            const uint32_t at = sampled_place(i * EVEN_THREADS + t, apart);
            key[i] = tile_at(pages, keys, slot, at / GS_GPU_TILE_KEYS)[at % GS_GPU_TILE_KEYS];
        } else {
            key[i] = 0;
        }
    digits.classify(key, digit);
    uint32_t ones = 0;
    uint32_t zeros = 0;
#pragma unroll
    for (int i = 0; i < EVEN_ITEMS; i++)
        if (i * EVEN_THREADS + t < samples) {
            atomicAdd(&s_count[digit[i]], 1);
            ones |= key[i];
            zeros |= ~key[i];
        }
    atomicOr(&s_ones, ones);
    atomicOr(&s_zeros, zeros);
    __syncthreads();
    uint32_t squares = 0; /* at most 2^22 in all */
    for (uint32_t d = t; d < slot.bins; d += EVEN_THREADS)
        squares += s_count[d] * s_count[d];
    uint32_t sum;
    scan_block<EVEN_THREADS>(squares, s_partial, &sum);
    if (t != 0)
        return;
    const float bins = (float)slot.bins;
    const float chi_square = bins * (float)sum / (float)max(samples, 1U) - (float)samples;
    uint64_t room = room_for(slot.size, slot.bins);
    const bool narrow = is_narrow(slot, room, small_keys, s_ones & s_zeros);
    if (narrow)
        room = whole_lines(room, LINE_NARROW_KEYS);
    const bool even = chi_square <= bins - 1 + GS_DEVIATIONS * sqrtf(2 * (bins - 1));
    slots[blockIdx.x].room = even && room <= most ? (uint32_t)room : 0;
    slots[blockIdx.x].narrow = narrow;
}

/* Words that a slot takes in the output: its rooms, and at least one for each key, as the slot may
 * have to be scattered again. Narrow rooms take half a word per key. */
static __device__ __forceinline__ unsigned long long width_of(const struct gs_gpu_slot &slot)
{
    const unsigned long long keys = whole_lines(slot.size, LINE_KEYS);
    const unsigned long long rooms = (unsigned long long)slot.bins * slot.room;
    return max(keys, slot.narrow ? rooms / 2 : rooms);
}

/* By one block: place the digits of each slot, one slot after the other, the last ones in spare
 * memory. If there is too little of that, no slot has rooms. */
static __global__ void __launch_bounds__(PLACE_THREADS)
    place_rooms_kernel(struct gs_gpu_slot *slots, uint32_t slot_count, const uint32_t *out,
                       uint64_t n, const struct gs_gpu_rooms rooms)
{
    after_previous();
    __shared__ unsigned long long s_partial[33];
    __shared__ unsigned long long s_widest;
    if (threadIdx.x == 0)
        s_widest = 0;
    unsigned long long all = 0;
    for (uint32_t round = 0; round < slot_count; round += PLACE_THREADS) {
        const uint32_t i = round + threadIdx.x;
        const unsigned long long width = i < slot_count ? width_of(slots[i]) : 0;
        scan_round<PLACE_THREADS>(width, s_partial, &all);
        atomicMax(&s_widest, width);
        __syncthreads();
    }
    /* A slot that would cross the buffer's end goes to spare memory, where places continue from
     * `end`. */
    const unsigned long long end =
        (n - min((unsigned long long)n, s_widest)) / LINE_KEYS * LINE_KEYS;
    const bool fits = all <= n || all - end <= rooms.spare_keys;
    const int64_t spare = rooms.spare - out;
    unsigned long long before = 0;
    for (uint32_t round = 0; round < slot_count; round += PLACE_THREADS) {
        const uint32_t i = round + threadIdx.x;
        const unsigned long long width = i < slot_count ? width_of(slots[i]) : 0;
        const unsigned long long place = scan_round<PLACE_THREADS>(width, s_partial, &before);
        if (i < slot_count && fits)
            slots[i].to = place + width <= n ? (int64_t)place : spare + (int64_t)(place - end);
        else if (i < slot_count)
            slots[i].room = 0;
        __syncthreads();
    }
}

/* List the job of a narrow room. */
static __device__ __forceinline__ void add_narrow_job(const struct gs_gpu_work *work,
                                                      const struct gs_gpu_slot &slot, uint32_t d,
                                                      uint64_t start, uint32_t size)
{
    const uint32_t least = (uint32_t)least_key(slot.digit, slot.low, d);
    const struct gs_gpu_narrow_job job = {start, slot.to + (int64_t)d * (slot.room / 2), size,
                                          least - least % 32,
                                          least % 32 + (uint32_t)digit_width(slot)};
    work->narrow_jobs[atomicAdd(&work->state->listed.narrow_jobs, 1)] = job;
}

/* A block makes jobs of one slot's digits; or a slot of level 3, if the slot has no rooms, or one
 * was too small. */
static __global__ void __launch_bounds__(JOB_THREADS)
    plan_rooms_kernel(const __grid_constant__ struct gs_gpu_work work)
{
    after_previous();
    const struct gs_gpu_slot slot = work.slots[0][blockIdx.x];
    const unsigned long long *sizes = work.counters + (uint64_t)GS_GPU_PARTS * slot.first_digit;
    if (slot.bins == 0) /* one value: its run has been listed */
        return;
    bool full = slot.room == 0;
    for (uint32_t d = threadIdx.x; d < slot.bins; d += JOB_THREADS)
        full = full || sizes[d] > slot.room;
    if (__syncthreads_or(full)) {
        if (threadIdx.x == 0) {
            struct gs_gpu_slot *again =
                add_slot(&work, 3, slot.start, slot.size, slot.low, slot.high);
            again->from = slot.from;
            again->to = slot.to;
            again->paged = slot.paged;
        }
        return;
    }
    each_digit<JOB_THREADS>(slot, sizes, [&](uint32_t d, uint64_t begin, uint64_t size) {
        const uint64_t start = slot.start + begin;
        if (slot.narrow)
            add_narrow_job(&work, slot, d, start, (uint32_t)size);
        else
            add_job(&work, start, slot.to + (int64_t)d * slot.room, (uint32_t)size, 1, true, 0, 0);
    });
}

cudaError_t gs_choose_rooms_gpu(const struct gs_gpu_work *work, const uint32_t *keys,
                                const uint32_t *out, uint64_t n, uint32_t slots,
                                cudaStream_t stream)
{
    cudaError_t error =
        gs_launch_next(find_even_kernel, slots, EVEN_THREADS, 0, stream, keys, work->pages,
                       work->slots[0], work->medium_keys, work->small_keys);
    if (error != cudaSuccess)
        return error;
    return gs_launch_next(place_rooms_kernel, 1, PLACE_THREADS, 0, stream, work->slots[0], slots,
                          out, n, work->rooms);
}

cudaError_t gs_plan_rooms_gpu(const struct gs_gpu_work *work, uint32_t slots, cudaStream_t stream)
{
    return gs_launch_next(plan_rooms_kernel, slots, JOB_THREADS, 0, stream, *work);
}

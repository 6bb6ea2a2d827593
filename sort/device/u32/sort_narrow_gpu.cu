/* sort_narrow_gpu.cu -- sort bins of 16-bit remainders, each in one visit by one block.
 * SPDX-License-Identifier: MIT
 *
 * A narrow bin has a bit in shared memory for each value that it may hold: the bits in order are
 * the keys in order, so nothing is ranked, compared or moved. Each key sets its bit. A key that
 * finds its bit set is the second of its value, and sets the value's bit in a second map; a key
 * that finds that set, too, is listed. A scan of the words' counts says where the keys of each word
 * go; then each lane writes the keys of its words, bit by bit, and the listed keys among them. The
 * lanes of a warp have neighbouring words, whose keys are neighbours: their writes seldom conflict
 * in a bank.
 *
 * Bits are numbered by the key's low half as it is, so that a key need not be made relative to the
 * bin's first value: the order begins at the word of that value, and wraps around.
 *
 * A bin with too many third and later copies is sorted by a bitonic network, which no keys make
 * slower.
 */
#include "sort/device/kernels/gpu_bitonic.cuh"
#include "sort/device/u32/gpu_crowds.cuh"
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/pages/page_launchers.h"

/* Blocks per multiprocessor. */
#define GS_NARROW_BLOCKS 8

enum {
    NARROW_WORDS = 65536 / 32, /* words of a map */
    GROUP = 8,                 /* keys that a thread loads at once, 16 bytes */
    ROUND_VALUES = 32 * 32,    /* values of a warp's words, one word for each lane */
    ROUNDS_ALL = 65536 / ROUND_VALUES,
    LISTED_MOST = 255
};

/* Shared memory of a block of THREADS. The first sorted key lies as far from the start of a cache
 * line as its place in the output does, so that whole groups of four are copied. */
template <int THREADS> struct narrow_memory {
    static const int KEYS = THREADS * ITEMS;
    uint32_t once[NARROW_WORDS];
    uint32_t twice[NARROW_WORDS];
    uint32_t head[ROUNDS_ALL]; /* first entry of the list of each round, or 0 */
    uint32_t listed;
    uint32_t sum[32];                /* keys of each warp's words */
    uint32_t entry[LISTED_MOST + 1]; /* key - first value | next entry << 16; entry 0 is none */
    __align__(16) uint16_t sorted[KEYS + 32];
};

/* List a key that is at least the third of its value. y: the key less the bin's first value. */
template <int THREADS>
static __device__ __forceinline__ void list_key(struct narrow_memory<THREADS> *s, uint32_t y)
{
    const uint32_t place = atomicAdd(&s->listed, 1) + 1;
    if (place <= LISTED_MOST)
        s->entry[place] = y | atomicExch(&s->head[y / ROUND_VALUES], place) << 16;
}

/* Add a key whose bit in the first map was already set. */
template <int THREADS>
static __device__ __forceinline__ void add_again(struct narrow_memory<THREADS> *s, uint32_t x,
                                                 uint32_t first)
{
    const uint32_t bit = 1U << (x & 31);
    if ((atomicOr(&s->twice[x / 32], bit) & bit) != 0)
        list_key(s, (x - first) & 0xffff);
}

/* Set the bits of eight keys; `one` is 1, or 0 if they do not exist. Returns a bit for each key
 * whose bit was already set. All atomics are issued before the first result is needed: there is no
 * branch between them. */
template <int THREADS>
static __device__ __forceinline__ uint32_t set_bits(struct narrow_memory<THREADS> *s, uint4 eight,
                                                    uint32_t one)
{
    const uint32_t pair[GROUP / 2] = {eight.x, eight.y, eight.z, eight.w};
    uint32_t bit[GROUP];
    uint32_t was[GROUP];
#pragma unroll
    for (int i = 0; i < GROUP; i += 2) {
        bit[i] = one << (pair[i / 2] & 31);
        bit[i + 1] = one << (pair[i / 2] >> 16 & 31);
        was[i] = atomicOr(&s->once[pair[i / 2] >> 5 & (NARROW_WORDS - 1)], bit[i]);
        was[i + 1] = atomicOr(&s->once[pair[i / 2] >> 21], bit[i + 1]);
    }
    uint32_t again = 0;
#pragma unroll
    for (int i = 0; i < GROUP; i++)
        again |= (was[i] & bit[i]) != 0 ? 1U << i : 0;
    return again;
}

/* The number of listed keys that belong to a word. */
template <int THREADS>
static __device__ __forceinline__ uint32_t count_listed(const struct narrow_memory<THREADS> *s,
                                                        uint32_t word)
{
    uint32_t count = 0;
    for (uint32_t e = s->head[word / 32]; e != 0; e = s->entry[e] >> 16)
        count += (s->entry[e] & 0xffff) / 32 == word;
    return count;
}

/* Insert a word's listed keys among its others, which are sorted[begin .. end) in order, with room
 * before them. */
template <int THREADS>
static __device__ __forceinline__ void insert_listed(struct narrow_memory<THREADS> *s,
                                                     uint32_t word, uint32_t begin, uint32_t end)
{
    for (uint32_t e = s->head[word / 32]; e != 0; e = s->entry[e] >> 16) {
        const uint32_t y = s->entry[e] & 0xffff;
        if (y / 32 != word)
            continue;
        uint32_t place = --begin;
        for (; place + 1 < end && s->sorted[place + 1] < y; place++)
            s->sorted[place] = s->sorted[place + 1];
        s->sorted[place] = (uint16_t)y;
    }
}

/* Inclusive scans over the lanes of a warp, of several numbers at once. */
template <int COUNT> static __device__ __forceinline__ void scan_all(uint32_t (&value)[COUNT])
{
    const uint32_t lane = lane_index();
#pragma unroll
    for (uint32_t step = 1; step < 32; step *= 2) {
        uint32_t below[COUNT];
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            below[i] = __shfl_up_sync(GS_ALL_LANES, value[i], step);
        if (lane >= step) {
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                value[i] += below[i];
        }
    }
}

/* Write the keys in order from the maps to s->sorted, from place `shift` on. Each warp has the
 * words of ROUNDS consecutive rounds: lane l has word l of each. */
template <int ROUNDS, int THREADS>
static __device__ __forceinline__ void write_bits(struct narrow_memory<THREADS> *s, uint32_t first,
                                                  uint32_t shift)
{
    const uint32_t lane = lane_index();
    const uint32_t warp = threadIdx.x / 32;
    const uint32_t word = warp * 32 * ROUNDS + lane; /* in round 0; the bin's first word is 0 */
    const auto at = [&](int r) { return (first / 32 + word + 32 * r) & (NARROW_WORDS - 1); };
    const uint32_t head = lane < ROUNDS ? s->head[warp * ROUNDS + lane] : 0;
    const uint32_t lists = __ballot_sync(GS_ALL_LANES, head != 0); /* rounds with listed keys */
    uint32_t once[ROUNDS];
    uint32_t twice[ROUNDS];
    uint32_t end[ROUNDS]; /* the number of each word's keys, then where they end */
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        once[r] = s->once[at(r)];
        twice[r] = s->twice[at(r)];
        end[r] = (uint32_t)(__popc(once[r]) + __popc(twice[r]));
    }
#pragma unroll 1
    for (uint32_t left = lists; left != 0; left &= left - 1) {
        const int round = __ffs((int)left) - 1;
        const uint32_t count = count_listed(s, word + 32 * round);
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            end[r] += r == round ? count : 0;
    }
    uint32_t before = 0; /* keys of this warp's earlier rounds */
    uint32_t both[ROUNDS / 2];
#pragma unroll
    for (int i = 0; i < ROUNDS / 2; i++)
        both[i] = end[2 * i] | end[2 * i + 1] << 16; /* no sum reaches 2^16 */
    scan_all(both);
#pragma unroll
    for (int i = 0; i < ROUNDS / 2; i++) {
        const uint32_t all = __shfl_sync(GS_ALL_LANES, both[i], 31);
        end[2 * i] = before + (both[i] & 0xffff);
        end[2 * i + 1] = before + (all & 0xffff) + (both[i] >> 16);
        before += (all & 0xffff) + (all >> 16);
    }
    if (lane == 0)
        s->sum[warp] = before;
    __syncthreads();
    uint32_t below = lane < warp ? s->sum[lane] : 0;
#pragma unroll
    for (int step = 16; step > 0; step >>= 1)
        below += __shfl_xor_sync(GS_ALL_LANES, below, step);
    below += shift;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        uint16_t *place = s->sorted + below + end[r];
        const uint32_t y = 32 * (word + 32 * r);
#pragma unroll 1
        do { /* from the last on, two at a time: a lane with no more keys waits anyway */
#pragma unroll
            for (int k = 1; k <= 2; k++) {
                const uint32_t i = 31 - (uint32_t)__clz((int)once[r]);
                const uint32_t others = __funnelshift_l(~1U, ~1U, i); /* all bits but bit i */
                if (once[r] != 0)
                    place[-k] = (uint16_t)(y + i);
                once[r] &= others | twice[r];
                twice[r] &= others;
            }
            place -= 2;
        } while (once[r] != 0);
    }
#pragma unroll 1
    for (uint32_t left = lists; left != 0; left &= left - 1) {
        const int round = __ffs((int)left) - 1;
        uint32_t last = below;
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            last += r == round ? end[r] : 0;
        const uint32_t keys = (uint32_t)(__popc(s->once[at(round)]) + __popc(s->twice[at(round)]));
        insert_listed(s, word + 32 * round, last - keys, last);
    }
}

/* Write the block's keys, s->sorted[shift ..) + first, to their place in the output, 16 bytes per
 * thread. shift: keys from the start of a cache line to that place. */
template <int THREADS>
static __device__ __forceinline__ void write_narrow_keys(const struct narrow_memory<THREADS> *s,
                                                         uint32_t *out, uint32_t size,
                                                         uint32_t first, uint32_t shift)
{
    const uint32_t t = threadIdx.x;
    const uint32_t end = shift + size;
    const uint32_t begin_four = (shift + 3) / 4; /* the first whole group of four */
    const uint32_t end_four = end / 4;
    out -= shift;
#pragma unroll 1
    for (uint32_t i = t < begin_four ? t + THREADS : t; i < end_four; i += THREADS) {
        const uint2 four = ((const uint2 *)s->sorted)[i];
        ((uint4 *)out)[i] = make_uint4(first + (four.x & 0xffff), first + (four.x >> 16),
                                       first + (four.y & 0xffff), first + (four.y >> 16));
    }
    if (t < 3) { /* the keys before and behind the groups of four */
        const uint32_t x = shift + t;
        const uint32_t y = 4 * end_four + t;
        if (x < min(4 * begin_four, end))
            out[x] = first + s->sorted[x];
        if (y >= 4 * begin_four && y < end)
            out[y] = first + s->sorted[y];
    }
}

/* Sort a bin that repeats its keys too often. Not inline: other bins need the registers. */
template <int THREADS>
static __device__ __noinline__ void sort_repeated(const uint32_t *b, uint32_t *output,
                                                  const struct gs_gpu_narrow_job *jobs)
{
    extern __shared__ __align__(16) uint32_t s_keys[];
    const struct gs_gpu_narrow_job job = jobs[blockIdx.x];
    const uint16_t *in = (const uint16_t *)(b + job.from);
    uint32_t *out = output + job.start;
    for (uint32_t x = threadIdx.x; x < job.size; x += THREADS)
        out[x] = job.first + (in[x] - job.first & 0xffff);
    __syncthreads();
    sort_network_block<THREADS>(out, out, job.size, s_keys);
}

/* One block sorts one job. */
template <int THREADS, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, GS_RESIDENT_BLOCKS(BLOCKS, THREADS))
    sort_narrow_kernel(const uint32_t *b, uint32_t *output, const struct gs_gpu_narrow_job *jobs)
{
    after_previous();
    extern __shared__ __align__(16) uint32_t s_memory[];
    struct narrow_memory<THREADS> *s = (struct narrow_memory<THREADS> *)s_memory;
    const uint32_t t = threadIdx.x;
    const struct gs_gpu_narrow_job job = jobs[blockIdx.x];
    const uint4 *in = (const uint4 *)(b + job.from);
    uint4 eight[ITEMS / GROUP];
#pragma unroll
    for (int i = 0; i < ITEMS / GROUP; i++) {
        eight[i] = make_uint4(0, 0, 0, 0);
        if ((i * THREADS + t + 1) * GROUP <= job.size)
            eight[i] = in[i * THREADS + t];
    }
    /* Fewer than eight keys are left over: the first threads take one each. */
    uint32_t rest = 0;
    if (t < job.size % GROUP)
        rest = ((const uint16_t *)in)[job.size / GROUP * GROUP + t];
#pragma unroll
    for (int i = 0; i < 2 * NARROW_WORDS / 4 / THREADS; i++)
        ((uint4 *)s->once)[i * THREADS + t] = make_uint4(0, 0, 0, 0);
    if (t < ROUNDS_ALL)
        s->head[t] = 0;
    if (t == ROUNDS_ALL)
        s->listed = 0;
    __syncthreads();
    uint32_t again = 0;
#pragma unroll
    for (int i = 0; i < ITEMS / GROUP; i++)
        again |= set_bits(s, eight[i], (i * THREADS + t + 1) * GROUP <= job.size) << i * GROUP;
    if (t < job.size % GROUP) {
        const uint32_t bit = 1U << (rest & 31);
        if ((atomicOr(&s->once[rest / 32], bit) & bit) != 0)
            add_again(s, rest, job.first);
    }
#pragma unroll 1
    for (; again != 0; again &= again - 1) { /* loaded again, from cache: registers have no index */
        const uint32_t i = (uint32_t)__ffs((int)again) - 1;
        const uint32_t group = i / GROUP * THREADS + t;
        add_again(s, ((const uint16_t *)in)[group * GROUP + i % GROUP], job.first);
    }
    __syncthreads();
    if (s->listed > LISTED_MOST)
        return sort_repeated<THREADS>(b, output, jobs);
    uint32_t *out = output + job.start;
    const uint32_t shift = (uint32_t)((uintptr_t)out / sizeof *out % 32);
    constexpr int ROUNDS = NARROW_WORDS / THREADS;
    if (job.values > 65536 / 2)
        write_bits<ROUNDS>(s, job.first, shift);
    else /* the values fit the first half of the words */
        write_bits<ROUNDS / 2>(s, job.first, shift);
    __syncthreads();
    write_narrow_keys(s, out, job.size, job.first, shift);
}

template <int THREADS, int BLOCKS>
static cudaError_t launch_narrow(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                                 uint32_t jobs, cudaStream_t stream)
{
    static_assert(ITEMS % GROUP == 0 && NARROW_WORDS % THREADS == 0 && 2 * ROUNDS_ALL <= THREADS,
                  "whole rounds");
    const size_t network = key_words(THREADS * ITEMS) * sizeof(uint32_t);
    const size_t maps = sizeof(struct narrow_memory<THREADS>);
    const size_t shared = maps > network ? maps : network;
    if (jobs == 0)
        return cudaSuccess;
    const cudaError_t error =
        cudaFuncSetAttribute(sort_narrow_kernel<THREADS, BLOCKS>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess)
        return error;
    return gs_launch_next(sort_narrow_kernel<THREADS, BLOCKS>, jobs, THREADS, shared, stream, b, a,
                          (const struct gs_gpu_narrow_job *)work->narrow_jobs);
}

cudaError_t gs_sort_narrow_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                               uint32_t jobs, cudaStream_t stream)
{
    const int small = GS_GPU_SMALL_KEYS / ITEMS;
    if (work->small_keys == GS_GPU_SMALL_KEYS)
        return launch_narrow<small, GS_NARROW_BLOCKS>(work, a, b, jobs, stream);
    return launch_narrow<2 * small, GS_NARROW_BLOCKS / 2>(work, a, b, jobs, stream);
}

/* sort_narrow_gpu.cu -- sort bins of 16-bit remainders, each in one visit by one block.
 * SPDX-License-Identifier: MIT
 *
 * A narrow bin has a bit in shared memory for each value that it may hold: the bits in order are
 * the keys in order, so nothing is ranked, compared or moved. Each key sets its bit. One that finds
 * it set comes for the second time, and sets the value's bit in a second map; one that finds that
 * set, too, is listed. A scan of the words' counts says where the keys of each word go; then a lane
 * writes the keys of its word, bit by bit, and the listed ones among them. Lanes of a warp have
 * neighbouring words, whose keys are neighbours: their writes seldom meet in a bank.
 *
 * Bits are numbered by the key's low half as it is, so that a key need not be made relative to the
 * bin's least: the order begins at the word of the least key, and goes round.
 *
 * A bin with too many keys that come for the third time is sorted by a bitonic network, which no
 * keys make slower.
 */
#include "sort/gpu_bitonic.cuh"
#include "sort/gpu_crowds.cuh"
#include "sort/gpu_launch.cuh"

/* Blocks for a processor. */
#ifndef GS_NARROW_BLOCKS
#define GS_NARROW_BLOCKS 6
#endif

enum {
    NARROW_WORDS = 65536 / 32, /* of a map */
    GROUP = 8,                 /* keys of a thread at a time, 16 bytes */
    ROUND_VALUES = 32 * 32,    /* of the words of a warp's lanes */
    ROUNDS_ALL = 65536 / ROUND_VALUES,
    LISTED_MOST = 255,
    AHEAD_BLOCKS = 800 /* about as many as a large GPU sorts at once: a job's keys are sent for so
                          many jobs ahead */
};

/* Shared memory of a block of THREADS. The keys in order begin at their place in a line of the
 * cache. */
template <int THREADS> struct narrow_memory {
    static const int KEYS = THREADS * ITEMS;
    uint32_t once[NARROW_WORDS];
    uint32_t twice[NARROW_WORDS];
    uint32_t head[ROUNDS_ALL]; /* of each round's listed keys: an entry, or 0 */
    uint32_t listed;
    uint32_t sum[32];                /* keys of each warp's words */
    uint32_t entry[LISTED_MOST + 1]; /* key less the first | next entry << 16; from 1 on */
    __align__(16) uint16_t sorted[KEYS + 32];
};

/* The map's word of the key in the lower half of a pair, and in the upper. */
static __device__ __forceinline__ uint32_t word_of(uint32_t pair, int upper)
{
    return upper ? pair >> 21 : pair >> 5 & (NARROW_WORDS - 1);
}

/* List a key that comes for the third time or more often; y: less the bin's first value. */
template <int THREADS>
static __device__ __forceinline__ void list_key(struct narrow_memory<THREADS> *s, uint32_t y)
{
    const uint32_t place = atomicAdd(&s->listed, 1) + 1;
    if (place <= LISTED_MOST)
        s->entry[place] = y | atomicExch(&s->head[y / ROUND_VALUES], place) << 16;
}

/* Set the bits of KEYS keys in pairs, of which `one` is 1, or 0: they do not exist. Adds are under
 * way together: no branch is between them. */
template <int THREADS, int KEYS>
static __device__ __forceinline__ void set_bits(struct narrow_memory<THREADS> *s,
                                                const uint32_t (&pair)[(KEYS + 1) / 2],
                                                uint32_t one, uint32_t first)
{
    uint32_t again[KEYS]; /* the key's bit, if it was set */
    uint32_t third = 0;
#pragma unroll
    for (int i = 0; i < KEYS; i++) {
        const uint32_t x = i % 2 ? pair[i / 2] >> 16 : pair[i / 2];
        const uint32_t bit = one << (x & 31);
        again[i] = atomicOr(&s->once[word_of(pair[i / 2], i % 2)], bit) & bit;
    }
#pragma unroll
    for (int i = 0; i < KEYS; i++)
        if (again[i] != 0) {
            again[i] &= atomicOr(&s->twice[word_of(pair[i / 2], i % 2)], again[i]);
            third |= again[i];
        }
    if (third != 0) {
#pragma unroll
        for (int i = 0; i < KEYS; i++)
            if (again[i] != 0)
                list_key(s, ((i % 2 ? pair[i / 2] >> 16 : pair[i / 2]) - first) & 0xffff);
    }
}

/* Of this lane's word, the keys on the list of its round. */
template <int THREADS>
static __device__ __forceinline__ uint32_t count_listed(const struct narrow_memory<THREADS> *s,
                                                        uint32_t word)
{
    uint32_t count = 0;
    for (uint32_t e = s->head[word / 32]; e != 0; e = s->entry[e] >> 16)
        count += (s->entry[e] & 0xffff) / 32 == word;
    return count;
}

/* Insert them among the others, which are sorted[begin .. end) in order, with room behind them. */
template <int THREADS>
static __device__ __forceinline__ void insert_listed(struct narrow_memory<THREADS> *s,
                                                     uint32_t word, uint32_t begin, uint32_t end)
{
    for (uint32_t e = s->head[word / 32]; e != 0; e = s->entry[e] >> 16) {
        const uint32_t y = s->entry[e] & 0xffff;
        if (y / 32 != word)
            continue;
        uint32_t place = end++;
        for (; place > begin && s->sorted[place - 1] > y; place--)
            s->sorted[place] = s->sorted[place - 1];
        s->sorted[place] = (uint16_t)y;
    }
}

/* Keys in order from the maps to s->sorted, from place `shift` on. Each warp has the words of
 * `rounds` rounds in a row, lane l word l of each. */
template <int THREADS>
static __device__ __forceinline__ void write_bits(struct narrow_memory<THREADS> *s, uint32_t first,
                                                  uint32_t rounds, uint32_t shift)
{
    constexpr int ROUNDS = NARROW_WORDS / THREADS;
    const uint32_t lane = lane_index();
    const uint32_t warp = threadIdx.x / 32;
    const uint32_t listed = s->listed;
    const uint32_t word = warp * 32 * rounds + lane; /* counted from the first; of round 0 */
    uint32_t once[ROUNDS];
    uint32_t twice[ROUNDS];
    uint32_t end[ROUNDS]; /* of the word's keys */
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const uint32_t at = first / 32 + word + 32 * r & NARROW_WORDS - 1;
        once[r] = r < (int)rounds ? s->once[at] : 0;
        twice[r] = r < (int)rounds ? s->twice[at] : 0;
        end[r] = (uint32_t)(__popc(once[r]) + __popc(twice[r]));
        if (listed != 0 && r < (int)rounds)
            end[r] += count_listed(s, word + 32 * r);
    }
    uint32_t before = 0; /* keys of this warp's earlier rounds */
#pragma unroll
    for (int r = 0; r < ROUNDS; r += 2) { /* no sum reaches 2^16 */
        const uint32_t both = scan_warp(end[r] | end[r + 1] << 16);
        const uint32_t all = __shfl_sync(GS_ALL_LANES, both, 31);
        end[r] = before + (both & 0xffff);
        end[r + 1] = before + (all & 0xffff) + (both >> 16);
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
        if (r >= (int)rounds)
            break;
        const uint32_t mine = listed != 0 ? count_listed(s, word + 32 * r) : 0;
        uint32_t place = below + end[r] - mine;
        const uint32_t y = 32 * (word + 32 * r);
#pragma unroll 1
        while (once[r] != 0) { /* from the last */
            const uint32_t i = 31 - (uint32_t)__clz((int)once[r]);
            const uint32_t bit = 1U << i;
            s->sorted[--place] = (uint16_t)(y + i);
            once[r] &= ~bit | twice[r];
            twice[r] &= ~bit;
        }
        if (mine != 0)
            insert_listed(s, word + 32 * r, place, below + end[r] - mine);
    }
}

/* The block's keys to their place in the output, 16 bytes a thread: s->sorted[shift ..) + first. */
template <int THREADS>
static __device__ __forceinline__ void write_keys(const struct narrow_memory<THREADS> *s,
                                                  uint32_t *out, uint32_t size, uint32_t first,
                                                  uint32_t shift)
{
    const uint32_t end = shift + size;
    out -= shift;
#pragma unroll
    for (int i = 0; i < ITEMS / 4 + 1; i++) {
        const uint32_t x = 4 * (i * THREADS + threadIdx.x);
        if (i == ITEMS / 4 && x >= end)
            break;
        const uint2 four = *(const uint2 *)(s->sorted + min(x, THREADS * ITEMS + 28U));
        const uint4 key = make_uint4(first + (four.x & 0xffff), first + (four.x >> 16),
                                     first + (four.y & 0xffff), first + (four.y >> 16));
        if (x >= shift && x + 4 <= end) {
            *(uint4 *)(out + x) = key;
        } else {
            const uint32_t keys[4] = {key.x, key.y, key.z, key.w};
#pragma unroll
            for (uint32_t j = 0; j < 4; j++)
                if (x + j >= shift && x + j < end)
                    out[x + j] = keys[j];
        }
    }
}

/* A bin that repeats its keys too often. Not inline: the others need the registers. */
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

/* One block sorts one job, and sends for the keys of one that is far behind it. */
template <int THREADS, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, GS_RESIDENT_BLOCKS(BLOCKS, THREADS))
    sort_narrow_kernel(const uint32_t *b, uint32_t *output, const struct gs_gpu_narrow_job *jobs,
                       uint32_t job_count)
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
    /* Less than eight keys are left over: one each for the first threads. */
    uint32_t rest[1] = {0};
    if (t < job.size % GROUP)
        rest[0] = ((const uint16_t *)in)[job.size / GROUP * GROUP + t];
    if (t == THREADS - 1 && blockIdx.x + AHEAD_BLOCKS < job_count) {
        const struct gs_gpu_narrow_job later = jobs[blockIdx.x + AHEAD_BLOCKS];
        prefetch_keys(b + later.from, later.size / 8 * 4);
    }
#pragma unroll
    for (int i = 0; i < 2 * NARROW_WORDS / 4 / THREADS; i++)
        ((uint4 *)s->once)[i * THREADS + t] = make_uint4(0, 0, 0, 0);
    if (t < ROUNDS_ALL)
        s->head[t] = 0;
    if (t == ROUNDS_ALL)
        s->listed = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS / GROUP; i++) {
        const uint32_t pair[GROUP / 2] = {eight[i].x, eight[i].y, eight[i].z, eight[i].w};
        set_bits<THREADS, GROUP>(s, pair, (i * THREADS + t + 1) * GROUP <= job.size, job.first);
    }
    if (t < job.size % GROUP)
        set_bits<THREADS, 1>(s, rest, 1, job.first);
    __syncthreads();
    if (s->listed > LISTED_MOST)
        return sort_repeated<THREADS>(b, output, jobs);
    uint32_t *out = output + job.start;
    const uint32_t shift = (uint32_t)((uintptr_t)out / sizeof *out % 32);
    const uint32_t rounds = (job.values + THREADS * 32 - 1) / (THREADS * 32);
    write_bits(s, job.first, rounds, shift);
    __syncthreads();
    write_keys(s, out, job.size, job.first, shift);
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
    const cudaError_t error =
        cudaFuncSetAttribute(sort_narrow_kernel<THREADS, BLOCKS>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess || jobs == 0)
        return error;
    return gs_launch_next(sort_narrow_kernel<THREADS, BLOCKS>, jobs, THREADS, shared, stream, b, a,
                          (const struct gs_gpu_narrow_job *)work->narrow_jobs, jobs);
}

cudaError_t gs_sort_narrow_gpu(const struct gs_gpu_work *work, uint32_t *a, const uint32_t *b,
                               uint32_t jobs, cudaStream_t stream)
{
    const int small = GS_GPU_SMALL_KEYS / ITEMS;
    if (work->small_keys == GS_GPU_SMALL_KEYS)
        return launch_narrow<small, GS_NARROW_BLOCKS>(work, a, b, jobs, stream);
    return launch_narrow<2 * small, GS_NARROW_BLOCKS / 2>(work, a, b, jobs, stream);
}

/* heavy_keys_gpu.cu -- find values that fill much of a slot: they get equality bins.
 * SPDX-License-Identifier: MIT
 *
 * A block samples its slot and counts each value of the sample in a hash table. In each of the
 * slot's digits, the most frequent value of the sample is the heavy one: keys equal to it are
 * counted, and never moved again. Without that, level after level would split the digit of such a
 * value until the value is alone.
 *
 * Where slots have maps, this kernel begins as soon as the kernel that makes them has begun. It
 * draws and counts its sample meanwhile, and waits only before it looks values up in the maps. The
 * previous level ended before the maps were begun, but a kernel that has not waited yet may not
 * trust its first-level cache. So slots are read past that cache; a stale key in the sample does no
 * harm, as any key has a digit. A stale page number would do harm: for slots in pages the kernel
 * waits first, as the time does not matter with so many keys.
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/kernels/gpu_views.cuh"
#include "sort/keys/params.h"
#include "sort/keys/sample_position.h"

enum {
    HEAVY_THREADS = 1024,
    HEAVY_EACH = 2, /* most samples of a thread */
    HEAVY_SAMPLES = HEAVY_EACH * HEAVY_THREADS,
    HEAVY_CELLS = 2 * HEAVY_SAMPLES,
    HEAVY_CELLS_LOG2 = 12,
    HEAVY_LEAST = 4,  /* fewest copies in the sample */
    HEAVY_SPARSE = 32 /* fewest keys of the slot per sample */
};

static_assert(HEAVY_CELLS == 1 << HEAVY_CELLS_LOG2, "a hash is a cell");

static __device__ __forceinline__ struct gs_gpu_slot load_past_cache(const struct gs_gpu_slot *slot)
{
    union {
        struct gs_gpu_slot slot;
        unsigned long long word[sizeof(struct gs_gpu_slot) / sizeof(unsigned long long)];
    } copy;
#pragma unroll
    for (size_t i = 0; i < sizeof copy.word / sizeof *copy.word; i++)
        copy.word[i] = __ldcg((const unsigned long long *)slot + i);
    return copy.slot;
}

static_assert(sizeof(struct gs_gpu_slot) % sizeof(unsigned long long) == 0, "whole words");

/* A block finds the heavy values of one slot. DIGITS: enum gs_gpu_digits. */
template <int DIGITS>
static __global__ void __launch_bounds__(HEAVY_THREADS)
    find_heavy_kernel(const gs_key *__restrict__ keys, const struct gs_gpu_pages pages,
                      struct gs_gpu_slot *slots, const struct gs_gpu_state *asked,
                      const struct gs_gpu_map *maps, gs_key *heavy, uint32_t medium_keys)
{
    if (DIGITS == GS_GPU_LINEAR || asked != NULL)
        after_previous();
    if (asked != NULL && (is_spare(asked, asked->level_slots, DIGITS) || !asked->level_repeats))
        return;
    __shared__ uint32_t s_cell[HEAVY_CELLS]; /* keys */
    __shared__ uint32_t s_count[HEAVY_CELLS];
    __shared__ uint32_t s_best[GS_GPU_DIGITS_MAX / 2]; /* copies << 16 | cell */
    __shared__ uint32_t s_all, s_most;                 /* copies of heavy values: of all, of one */
    const uint32_t t = threadIdx.x;
    const struct gs_gpu_slot slot = load_past_cache(&slots[blockIdx.x]);
    const bool done = slot.bins == 0 || (!slot.mapped && digit_is_exact(slot.digit));
    if (done || slot.paged)
        after_previous();
    if (done)
        return;
    const map_view<DIGITS == GS_GPU_DIVIDED> map = {slot.digit, maps[slot.map].entry};
    const uint32_t samples =
        max((uint32_t)min(slot.size / HEAVY_SPARSE, (uint64_t)HEAVY_SAMPLES), 1U);
    const uint32_t none = slot.high < GS_KEY_MAX ? slot.high + 1 : slot.low - 1;
    gs_key drawn[HEAVY_EACH];
#pragma unroll
    for (int i = 0; i < HEAVY_EACH; i++) {
        const uint32_t j = i * HEAVY_THREADS + t;
        const uint64_t at =
            gs_sample_position(min(j, samples - 1), samples, slot.size, GS_SAMPLE_SEED);
        drawn[i] =
            tile_at(pages, keys, slot, (uint32_t)(at / GS_GPU_TILE_KEYS))[at % GS_GPU_TILE_KEYS];
    }
    for (uint32_t i = t; i < HEAVY_CELLS; i += HEAVY_THREADS) {
        s_cell[i] = none;
        s_count[i] = 0;
    }
    for (uint32_t d = t; d < slot.bins; d += HEAVY_THREADS)
        s_best[d] = 0;
    if (t == 0)
        s_all = s_most = 0;
    __syncthreads();

    /* At most half of the cells are taken, so there is always a free one. */
#pragma unroll
    for (int i = 0; i < HEAVY_EACH; i++) {
        if (i * HEAVY_THREADS + t >= samples)
            continue;
        const gs_key key = drawn[i];
        uint32_t cell = key * 2654435769U >> (32 - HEAVY_CELLS_LOG2);
        uint32_t found = atomicCAS(&s_cell[cell], none, key);
        while (found != none && found != key) {
            cell = (cell + 1) % HEAVY_CELLS;
            found = atomicCAS(&s_cell[cell], none, key);
        }
        atomicAdd(&s_count[cell], 1);
    }
    if (DIGITS != GS_GPU_LINEAR)
        after_previous(); /* the map is made by now */
    __syncthreads();

    for (uint32_t cell = t; cell < HEAVY_CELLS; cell += HEAVY_THREADS)
        if (s_count[cell] >= HEAVY_LEAST) {
            const gs_key key[1] = {s_cell[cell]};
            uint32_t digit[1] = {min(digit_of(slot.digit, key[0]), slot.bins - 1)};
            if (DIGITS != GS_GPU_LINEAR && slot.mapped)
                map.classify(key, digit);
            atomicMax(&s_best[digit[0]], s_count[cell] << 16 | cell);
        }
    __syncthreads();
    for (uint32_t d = t; d < slot.bins; d += HEAVY_THREADS) {
        uint32_t best = s_best[d];
        /* A digit without one gets the largest key: keys equal to that count as heavy. */
        heavy[slot.first_digit + d] = best > 0 ? s_cell[best & 0xffff] : GS_KEY_MAX;
        if (best > 0) {
            atomicAdd(&s_all, best >> 16);
            atomicMax(&s_most, best >> 16);
        }
    }
    __syncthreads();
    /* Worth it if heavy values are many keys, or if one alone is too large for a job. */
    if (t == 0)
        slots[blockIdx.x].heavy =
            s_all > 0 && (s_all >= samples / 8 || s_most * (slot.size / samples) > medium_keys);
}

cudaError_t gs_find_heavy_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *keys,
                              uint32_t slots, enum gs_gpu_digits digits, cudaStream_t stream)
{
    return with_digits(digits, [&](auto kind) {
        return gs_launch_next(find_heavy_kernel<kind>, slots, HEAVY_THREADS, 0, stream, keys,
                              work->pages, work->slots[level & 1], gs_gpu_asked(work), work->maps,
                              work->heavy, work->medium_keys);
    });
}

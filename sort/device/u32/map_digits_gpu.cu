/* map_digits_gpu.cu -- digits that follow the keys, for slots where keys are spread unevenly.
 * SPDX-License-Identifier: MIT
 *
 * A linear digit cuts a slot into many cells of equal width. A sample of the slot tells how many
 * keys each cell has, and neighbouring cells are joined to digits of about equal size: the bins of
 * a sample sort whose splitters lie where cells begin, so that one look-up finds a key's digit.
 * Where a few cells would have most of the keys, cells are first divided into parts, more parts for
 * more keys, and it takes two look-ups. sort_bins_gpu.cu handles what is uneven on a smaller scale.
 */
#include "sort/device/kernels/gpu_launch.cuh"
#include "sort/device/kernels/gpu_launchers.h"
#include "sort/device/kernels/gpu_views.cuh"

enum {
    MAP_THREADS = 1024,
    MAP_ITEMS = 16, /* most samples of a thread */
    MAP_SPARSE = 4, /* fewest keys of the slot per sample */
    MAP_EACH = 64,  /* samples per digit: their standard deviation is an eighth */
    PARTS_MOST = GS_GPU_MAP_CELLS - GS_GPU_MAP_DIVIDED,
    MORE_PAIRS = PARTS_MOST / 2 - GS_GPU_MAP_DIVIDED /* pairs of parts beyond one for each cell */
};

static_assert(PARTS_MOST / 2 <= 1 << 12, "a pair's number fits its entry");
static_assert((uint64_t)2 * MAP_ITEMS * MAP_THREADS * GS_GPU_DIGITS_MAX <= UINT32_MAX &&
                  MAP_ITEMS * MAP_THREADS <= UINT32_MAX / MORE_PAIRS,
              "products fit a word");

/* Write the digits of cells or parts, EACH per thread. s_count: the samples in each. */
template <int EACH>
static __device__ __forceinline__ void write_digits(const struct gs_gpu_slot &slot,
                                                    const uint32_t *s_count, uint32_t *partial,
                                                    uint16_t *entry)
{
    uint32_t count[EACH];
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        sum += count[i] = s_count[threadIdx.x * EACH + i];
    uint32_t all;
    uint32_t before = scan_block<MAP_THREADS>(sum, partial, &all);
    uint32_t digit[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        /* The digit that the middle of its keys falls into. */
        digit[i] = (2 * before + count[i]) * slot.bins / (2 * max(all, 1U));
        before += count[i];
    }
#pragma unroll
    for (int i = 0; i < EACH; i += 2)
        ((uint32_t *)entry)[(threadIdx.x * EACH + i) / 2] =
            min(digit[i], slot.bins - 1) | min(digit[i + 1], slot.bins - 1) << 16;
}

/* Divide the cells into parts. s_count: the samples in each cell. */
static __device__ __forceinline__ void divide_cells(const uint32_t *s_count, uint32_t samples,
                                                    uint32_t *partial, uint16_t *s_entry)
{
    const int each = GS_GPU_MAP_DIVIDED / MAP_THREADS;
    const uint32_t first = threadIdx.x * each;
    uint32_t parts[each]; /* log2 of a cell's parts */
    uint32_t pairs = 0;
#pragma unroll
    for (int i = 0; i < each; i++) {
        const uint32_t share = s_count[first + i] * MORE_PAIRS / max(samples, 1U);
        parts[i] = bit_length(1 + share);
        pairs += 1U << parts[i] >> 1;
    }
    uint32_t all;
    uint32_t pair = scan_block<MAP_THREADS>(pairs, partial, &all);
#pragma unroll
    for (int i = 0; i < each; i++) {
        s_entry[first + i] = (uint16_t)(pair << 4 | parts[i]);
        pair += 1U << parts[i] >> 1;
    }
}

/* A block makes the map of one slot. */
template <bool DIVIDED>
static __global__ void __launch_bounds__(MAP_THREADS)
    map_digits_kernel(const gs_key *__restrict__ keys, const struct gs_gpu_pages pages,
                      const struct gs_gpu_slot *slots, const struct gs_gpu_state *asked,
                      struct gs_gpu_map *maps)
{
    after_previous();
    let_next_in(); /* heavy_keys_gpu.cu may begin; other kernels wait anyway */
    if (asked != NULL &&
        is_spare(asked, asked->level_slots, DIVIDED ? GS_GPU_DIVIDED : GS_GPU_MAPPED))
        return;
    __shared__ uint32_t s_count[GS_GPU_MAP_CELLS];
    __shared__ uint16_t s_entry[GS_GPU_MAP_DIVIDED];
    __shared__ uint32_t s_partial[33];
    const uint32_t t = threadIdx.x;
    const struct gs_gpu_slot slot = slots[blockIdx.x];
    uint16_t *entry = maps[blockIdx.x].entry;
    if (slot.bins == 0 || !slot.mapped)
        return;
    const uint32_t size = (uint32_t)min(slot.size, (uint64_t)UINT32_MAX);
    const uint32_t samples =
        min(min(size / MAP_SPARSE, MAP_EACH * slot.bins), (uint32_t)(MAP_ITEMS * MAP_THREADS));
    const uint32_t apart = size / max(samples, 1U);
    gs_key key[MAP_ITEMS];
#pragma unroll
    for (int i = 0; i < MAP_ITEMS; i++) {
        const uint32_t j = i * MAP_THREADS + t;
        const uint32_t at = sampled_place(j, apart);
        key[i] = 0;
        if (j < samples)
            key[i] = tile_at(pages, keys, slot, at / GS_GPU_TILE_KEYS)[at % GS_GPU_TILE_KEYS];
    }
    const auto count = [&](const auto &place_of) {
        __syncthreads();
        for (uint32_t i = t; i < GS_GPU_MAP_CELLS; i += MAP_THREADS)
            s_count[i] = 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < MAP_ITEMS; i++)
            if (i * MAP_THREADS + t < samples)
                atomicAdd(&s_count[place_of(key[i])], 1);
        __syncthreads();
    };
    if constexpr (DIVIDED) {
        count([&](uint32_t k) { return min(digit_of(slot.digit, k), GS_GPU_MAP_DIVIDED - 1U); });
        divide_cells(s_count, samples, s_partial, s_entry);
        __syncthreads();
        for (uint32_t i = t; i < GS_GPU_MAP_DIVIDED; i += MAP_THREADS)
            entry[i] = s_entry[i];
        entry += GS_GPU_MAP_DIVIDED;
    }
    const struct map_view<DIVIDED> map = {
        slot.digit, s_entry
    };
    count([&](uint32_t k) { return map.place_of(k); });
    write_digits<(DIVIDED ? PARTS_MOST : GS_GPU_MAP_CELLS) / MAP_THREADS>(
        slot, s_count + (DIVIDED ? GS_GPU_MAP_DIVIDED : 0), s_partial, entry);
}

cudaError_t gs_map_digits_gpu(const struct gs_gpu_work *work, unsigned level, const gs_key *keys,
                              uint32_t slots, enum gs_gpu_digits digits, cudaStream_t stream)
{
    return with_digits(digits, [&](auto kind) {
        return gs_launch_next(map_digits_kernel<kind == GS_GPU_DIVIDED>, slots, MAP_THREADS, 0,
                              stream, keys, work->pages, work->slots[level & 1], gs_gpu_asked(work),
                              work->maps);
    });
}

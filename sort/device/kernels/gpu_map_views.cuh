/* gpu_map_views.cuh -- how a key of 32 bits finds its digit: by a slot's map, and by heavy values.
 * SPDX-License-Identifier: MIT
 *
 * Views as those of gpu_views.cuh, which includes this.
 */
#ifndef GS_GPU_MAP_VIEWS_CUH
#define GS_GPU_MAP_VIEWS_CUH

#include "sort/device/kernels/gpu_block.cuh"
#include "sort/device/kernels/gpu_digit.cuh"

/* By a slot's map. */
template <bool DIVIDED> struct map_view {
    static const bool WAITS = false;
    static const bool PAIRED = false;
    struct gs_gpu_digit cell;
    const uint16_t *entry; /* in shared memory, except for few keys */

    /* The entry for a key: its cell's, or in a divided map its part's. */
    __device__ __forceinline__ uint32_t place_of(gs_key key) const
    {
        if constexpr (!DIVIDED)
            return min(digit_of(cell, key), GS_GPU_MAP_CELLS - 1U);
        const uint64_t wide = digit_wide(cell, key);
        const uint32_t parts = entry[min((uint32_t)(wide >> 32), GS_GPU_MAP_DIVIDED - 1U)];
        return GS_GPU_MAP_DIVIDED + (parts >> 4) * 2 + ((uint32_t)wide >> (32 - (parts & 15)));
    }

    template <int ITEMS>
    __device__ __forceinline__ void classify(const gs_key (&key)[ITEMS],
                                             uint32_t (&bin)[ITEMS]) const
    {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            bin[i] = entry[place_of(key[i])];
    }

    /* The least key of a slot whose digit is d > 0 or larger, or 2^32 or more if there is none;
     * `low` is the slot's least key. WARP: all lanes of a warp search together, with the same d. */
    template <bool WARP>
    __device__ __forceinline__ uint64_t least_key(uint32_t low, uint32_t d) const
    {
        if constexpr (!DIVIDED) {
            const uint32_t first =
                first_place<WARP>(0, GS_GPU_MAP_CELLS, [&](uint32_t i) { return entry[i] >= d; });
            return first > 0 ? ::least_key(cell, low, first) : low;
        }
        /* The part, and the last cell whose parts do not all come after it. */
        const uint32_t part =
            first_place<WARP>(0, GS_GPU_MAP_CELLS - GS_GPU_MAP_DIVIDED,
                              [&](uint32_t i) { return entry[GS_GPU_MAP_DIVIDED + i] >= d; });
        const uint32_t its =
            first_place<WARP>(1, GS_GPU_MAP_DIVIDED,
                              [&](uint32_t i) { return (entry[i] >> 4) * 2U > part; }) -
            1;
        const uint32_t bits = entry[its] & 15;
        const uint64_t within = min(part - (entry[its] >> 4) * 2U, 1U << bits);
        const uint64_t wide = ((uint64_t)its << 32) + (within << (32 - bits));
        return wide > 0 ? least_key_wide(cell, low, wide) : low;
    }

    /* The first place in [begin, end) for which is_so() holds, or `end`; it then holds for all
     * later ones. */
    template <bool WARP, typename IS_SO>
    static __device__ __forceinline__ uint32_t first_place(uint32_t begin, uint32_t end,
                                                           const IS_SO &is_so)
    {
        while (begin < end) {
            const uint32_t step = WARP ? (end - begin + 31) / 32 : (end - begin) / 2;
            if constexpr (WARP) {
                const uint32_t probe = begin + lane_index() * step;
                const bool not_yet = probe < end && !is_so(probe);
                const uint32_t before = (uint32_t)__popc(__ballot_sync(GS_ALL_LANES, not_yet));
                if (before == 0)
                    return begin;
                end = min(end, begin + before * step);
                begin += (before - 1) * step + 1;
            } else if (is_so(begin + step)) {
                end = begin + step;
            } else {
                begin += step + 1;
            }
        }
        return begin;
    }
};

/* The least key that may have digit d of a slot; for d == bins, one more than the largest key.
 * DIGITS: enum gs_gpu_digits. entry: the entries of the slot's map, if it has one. WARP: as
 * above. */
template <int DIGITS, bool WARP>
static __device__ __forceinline__ uint64_t digit_begin(const struct gs_gpu_slot &slot,
                                                       const uint16_t *entry, uint32_t d)
{
    if (d == 0)
        return slot.low;
    if (d == slot.bins)
        return (uint64_t)slot.high + 1;
    if constexpr (DIGITS == GS_GPU_LINEAR)
        return least_key(slot.digit, slot.low, d);
    else
        return map_view<DIGITS == GS_GPU_DIVIDED>{slot.digit, entry}.template least_key<WARP>(
            slot.low, d);
}

/* Words of shared memory for a slot's map, if this kind of digits has one. */
template <int DIGITS> static constexpr __host__ __device__ uint32_t map_words()
{
    return DIGITS != GS_GPU_LINEAR ? sizeof(struct gs_gpu_map) / sizeof(uint32_t) : 0;
}

/* Copy a slot's map into shared memory; returns its view. */
template <bool DIVIDED>
static __device__ __forceinline__ struct map_view<DIVIDED>
load_map(const struct gs_gpu_slot &slot, const struct gs_gpu_map *maps, struct gs_gpu_map *s_map) {
    const struct map_view<DIVIDED> view = {
        slot.digit, s_map->entry
    };
    const uint4 *map = (const uint4 *)&maps[slot.map];
    for (uint32_t i = threadIdx.x; i < sizeof *s_map / sizeof *map; i += blockDim.x)
        ((uint4 *)s_map)[i] = map[i];
    __syncthreads();
    return view;
}

/* By a slot's digit, of any kind, and within it by its heavy value. Bins are numbered by part:
 * first all digits' lesser keys, then all larger ones, then the heavy values, which need not be
 * moved. */
template <typename DIGITS>
struct heavy_view {
    static const bool WAITS = false;
    static const bool PAIRED = true;
    DIGITS digits;
    uint32_t bins;
    const gs_key *heavy; /* in shared memory */

    template <int ITEMS>
    __device__ __forceinline__ void classify(const gs_key (&key)[ITEMS],
                                             uint32_t (&bin)[ITEMS]) const
    {
        digits.classify(key, bin);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            /* A key that does not exist has an arbitrary digit. */
            const gs_key value = heavy[bin[i]];
            bin[i] += (key[i] > value ? bins : 0) + (key[i] == value ? 2 * bins : 0);
        }
    }
};

/* Copy a slot's heavy values into shared memory; returns its view. */
template <typename DIGITS>
static __device__ __forceinline__ heavy_view<DIGITS>
load_heavy(const struct gs_gpu_slot &slot, const DIGITS &digits, const gs_key *heavy,
           gs_key *s_heavy)
{
    const heavy_view<DIGITS> view = {digits, slot.bins, s_heavy};
    for (uint32_t d = threadIdx.x; d < slot.bins; d += blockDim.x)
        s_heavy[d] = heavy[slot.first_digit + d];
    __syncthreads();
    return view;
}

#endif

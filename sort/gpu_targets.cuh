/* gpu_targets.cuh -- where a scatter puts the keys of a bin: one after the other, in pages, in
 * rooms. SPDX-License-Identifier: MIT
 *
 * reserve gives the place of a bin's next keys, or limit if they are not moved; at says which
 * address a place is.
 */
#ifndef GS_GPU_TARGETS_CUH
#define GS_GPU_TARGETS_CUH

#include "sort/gpu_sort.h"

/* Bins that lie in `out`, each from its cursor on. */
template <typename P> struct flat_target {
    using PLACE = P;
    static const bool PAGED = false;
    uint32_t *out;
    PLACE limit; /* bounds the places that exist: it stands for none */
    unsigned long long *cursors;

    /* Where the next keys of a bin go, or limit: they are not moved. */
    __device__ __forceinline__ PLACE reserve(uint32_t bin, uint32_t count) const
    {
        const unsigned long long place = atomicAdd(&cursors[bin], (unsigned long long)count);
        return (place & GS_GPU_SKIP) != 0 ? limit : (PLACE)place;
    }

    __device__ __forceinline__ uint32_t *at(uint32_t bin, PLACE place) const
    {
        (void)bin;
        return out + place;
    }
};

/* Bins in pages. A place is a position in the bin. Who reserves a page's first position takes the
 * page, and tells before it waits for anything: so nobody waits for long. */
template <typename P> struct paged_target {
    using PLACE = P;
    static const bool PAGED = true;
    static const uint32_t PAGE_KEYS = GS_GPU_TILE_KEYS;
    uint32_t *out;
    PLACE limit;
    unsigned long long *cursors;
    struct gs_gpu_pages pages;
    uint32_t *taken;

    __device__ __forceinline__ PLACE reserve(uint32_t bin, uint32_t count) const
    {
        const unsigned long long place = atomicAdd(&cursors[bin], (unsigned long long)count);
        if ((place & GS_GPU_SKIP) != 0)
            return limit;
        const PLACE first = (PLACE)place;
        for (uint32_t k = (first + PAGE_KEYS - 1) / PAGE_KEYS;
             k < pages.most && (PLACE)k * PAGE_KEYS < first + count; k++)
            atomicExch(&pages.page[bin * pages.most + k], atomicAdd(taken, 1) + 1);
        return first + count <= (PLACE)pages.most * PAGE_KEYS ? first : limit;
    }

    /* The place as an index in out, or in spare memory if that lies behind out's pages. */
    __device__ __forceinline__ PLACE locate(uint32_t bin, PLACE place) const
    {
        const uint32_t k = (uint32_t)(place / PAGE_KEYS);
        const volatile uint32_t *entry = &pages.page[bin * pages.most + k];
        uint32_t number = *entry;
        while (number == 0) {
            __nanosleep(32);
            number = *entry;
        }
        return (PLACE)(number - 1) * PAGE_KEYS + (place - (PLACE)k * PAGE_KEYS);
    }

    __device__ __forceinline__ uint32_t *located(PLACE index) const
    {
        const PLACE whole = (PLACE)pages.whole * PAGE_KEYS;
        return index < whole ? out + index : pages.spare + (index - whole);
    }

    __device__ __forceinline__ uint32_t *at(uint32_t bin, PLACE place) const
    {
        return located(locate(bin, place));
    }
};

/* Bins that have a room each. A run that it has no room for is not written, as the cursor tells. */
struct room_target {
    using PLACE = uint32_t;
    static const bool PAGED = false;
    uint32_t *out;
    PLACE limit;
    unsigned long long *cursors;
    uint32_t room;

    __device__ __forceinline__ PLACE reserve(uint32_t bin, uint32_t count) const
    {
        const unsigned long long place = atomicAdd(&cursors[bin], (unsigned long long)count);
        return place + count <= room ? bin * room + (PLACE)place : limit;
    }

    __device__ __forceinline__ uint32_t *at(uint32_t bin, PLACE place) const
    {
        (void)bin;
        return out + place;
    }
};

#endif

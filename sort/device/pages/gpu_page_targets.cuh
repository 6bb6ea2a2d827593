/* gpu_page_targets.cuh -- where a scatter without a count puts a bin's keys: in pages, or in rooms.
 * SPDX-License-Identifier: MIT
 *
 * See gpu_targets.cuh.
 */
#ifndef GS_GPU_PAGE_TARGETS_CUH
#define GS_GPU_PAGE_TARGETS_CUH

#include "sort/device/kernels/gpu_targets.cuh"

/* Bins in pages. A place is a position in the bin. Page 0 of each bin exists before the scatter.
 * Whoever reserves the position GS_GPU_AHEAD_KEYS before another page takes that page, so that its
 * users do not have to wait unless the taker is very late. The taker publishes the page before it
 * waits for any page itself, so no wait is long. */
template <typename I> struct paged_target {
    using KEY = gs_key;
    using PLACE = uint32_t;
    using INDEX = I; /* index in the pages' memory */
    static const bool PAGED = true;
    static const uint32_t PAGE_KEYS = GS_GPU_PAGE_KEYS;
    gs_key *out;
    PLACE limit;
    unsigned long long *cursors;
    struct gs_gpu_pages pages;
    uint32_t *taken;

    /* Where the next keys of a bin go, at most a tile, or limit. The caller must publish *fresh. */
    __device__ __forceinline__ PLACE reserve(uint32_t bin, uint32_t count,
                                             struct new_page *fresh) const
    {
        const unsigned long long place = atomicAdd(&cursors[bin], (unsigned long long)count);
        const uint32_t first = (uint32_t)place;
        if (place >> 32 != 0 || first > pages.most * PAGE_KEYS - count) /* GS_GPU_SKIP, or full */
            return limit;
        const uint32_t next = (first + GS_GPU_AHEAD_KEYS - 1) / PAGE_KEYS + 1;
        if (next < pages.most && next * PAGE_KEYS - GS_GPU_AHEAD_KEYS < first + count) {
            fresh->entry = bin * pages.most + next;
            /* The compiler would combine an atomicAdd over lanes, and so wait for its result. */
            fresh->before = atomicInc(taken, INT32_MAX);
        }
        return first;
    }

    __device__ __forceinline__ void publish(struct new_page fresh) const
    {
        if (fresh.entry != 0)
            atomicExch(&pages.page[fresh.entry], fresh.before + 1);
    }

    __device__ __forceinline__ PLACE reserve(uint32_t bin, uint32_t count) const
    {
        struct new_page fresh = {0, 0};
        const PLACE place = reserve(bin, count, &fresh);
        publish(fresh);
        return place;
    }

    /* The table entry of the page that holds a place: its number, or 0 until the page is taken. */
    __device__ __forceinline__ const volatile uint32_t *entry_of(uint32_t bin, PLACE place) const
    {
        return &pages.page[bin * pages.most + (uint32_t)(place / PAGE_KEYS)];
    }

    /* Where a page begins: an index in `out`, as if spare memory followed the pages of `out`. */
    static __device__ __forceinline__ INDEX begin_of(uint32_t number)
    {
        return (INDEX)(number - 1) * PAGE_KEYS;
    }

    /* The place as such an index. Waits until its page is taken. */
    __device__ __forceinline__ INDEX locate(uint32_t bin, PLACE place) const
    {
        const volatile uint32_t *entry = entry_of(bin, place);
        uint32_t number = *entry;
        while (number == 0) {
            __nanosleep(32);
            number = *entry;
        }
        return begin_of(number) + place % PAGE_KEYS;
    }

    __device__ __forceinline__ bool is_spare(INDEX index) const
    {
        return index >= (INDEX)pages.whole * PAGE_KEYS;
    }

    __device__ __forceinline__ gs_key *located(INDEX index) const
    {
        return is_spare(index) ? pages.spare + (index - (INDEX)pages.whole * PAGE_KEYS)
                               : out + index;
    }

    __device__ __forceinline__ gs_key *at(uint32_t bin, PLACE place) const
    {
        return located(locate(bin, place));
    }
};

/* Bins with a room each, for keys or for their low halves. A run that does not fit is not written;
 * the bin's cursor then tells that it has overflowed. */
template <typename K> struct room_target {
    using KEY = K;
    using PLACE = uint32_t;
    using INDEX = uint32_t;
    static const bool PAGED = false;
    KEY *out;
    PLACE limit;
    unsigned long long *cursors;
    uint32_t room;

    __device__ __forceinline__ PLACE reserve(uint32_t bin, uint32_t count) const
    {
        const unsigned long long place = atomicAdd(&cursors[bin], (unsigned long long)count);
        return place + count <= room ? bin * room + (PLACE)place : limit;
    }

    __device__ __forceinline__ KEY *at(uint32_t bin, PLACE place) const
    {
        (void)bin;
        return out + place;
    }
};

#endif

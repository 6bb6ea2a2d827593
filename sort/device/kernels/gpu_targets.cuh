/* gpu_targets.cuh -- where a scatter puts a bin's keys: where its cursor points.
 * SPDX-License-Identifier: MIT
 *
 * reserve() returns the place of a bin's next keys, or `limit` if they are not moved; at() turns a
 * place into an address. Targets of levels without a count: pages/gpu_page_targets.cuh.
 */
#ifndef GS_GPU_TARGETS_CUH
#define GS_GPU_TARGETS_CUH

#include "sort/device/kernels/gpu_work.h"

/* Bins that lie in `out`, each from its cursor on. */
template <typename P> struct flat_target {
    using KEY = gs_key;
    using PLACE = P;
    using INDEX = P;
    static const bool PAGED = false;
    gs_key *out;
    PLACE limit; /* more than any place; stands for "not moved" */
    unsigned long long *cursors;

    /* Where the next `count` keys of a bin go, or limit if they are not moved. */
    __device__ __forceinline__ PLACE reserve(uint32_t bin, uint32_t count) const
    {
        const unsigned long long place = atomicAdd(&cursors[bin], (unsigned long long)count);
        return (place & GS_GPU_SKIP) != 0 ? limit : (PLACE)place;
    }

    __device__ __forceinline__ gs_key *at(uint32_t bin, PLACE place) const
    {
        (void)bin;
        return out + place;
    }
};

/* A page that has been taken but not published yet. entry 0 (a page 0's): none. */
struct new_page {
    uint32_t entry;
    uint32_t before; /* pages taken before it: its number less 1 */
};

#endif

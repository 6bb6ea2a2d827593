/* search_bins.c -- the search among splitters: by vectors, or key by key without them.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/search_bins.h"
#include "sort/split/u32/vector_bins.h"
#include "sort/keys/params.h"

/* A search of more halving steps than this does each step for SIDE_BY_SIDE keys in turn. */
#define LONG_STEPS   2
#define SIDE_BY_SIDE 16

/* Copy keys and find their bins. guide and steps are constants at every call: inlined for each
 * pair, the loop over the steps unrolls, and the steps of several keys overlap. */
static inline __attribute__((always_inline)) void find_bins(const struct gs_splitters *splitters,
                                                            enum gs_guide guide, uint32_t steps,
                                                            const gs_key *restrict keys,
                                                            uint64_t count, gs_key *restrict copy,
                                                            uint16_t *restrict bins)
{
    for (uint64_t first = 0; first < count; first += GS_ROOMS_BLOCK) {
        uint64_t here = count - first < GS_ROOMS_BLOCK ? count - first : GS_ROOMS_BLOCK;
        gs_copy_once(copy + first, keys + first, here);
        for (uint64_t i = first; i < first + here; i++) {
            if (i % GS_LINE_KEYS == 0) /* prefetch the next block */
                __builtin_prefetch(keys + i + GS_ROOMS_BLOCK);
            bins[i] = (uint16_t)gs_splitters_bin(splitters, guide, steps, copy[i]);
        }
    }
}

/* The halving steps of a long search, each step for several keys side by side: otherwise the
 * processor would wait for one step after the other. */
static void finish_search(const struct gs_splitters *splitters, const gs_key *restrict keys,
                          uint64_t count, uint16_t *restrict bins)
{
    const gs_key *splitter = splitters->splitter;
    for (uint64_t i = 0; i < count;) {
        uint64_t end = count - i < SIDE_BY_SIDE ? count : i + SIDE_BY_SIDE;
        for (uint32_t half = 1U << splitters->steps >> 1; half != 0; half >>= 1)
            for (uint64_t k = i; k < end; k++)
                bins[k] = (uint16_t)(bins[k] + (splitter[bins[k] + half - 1] < keys[k]) * half);
        i = end;
    }
}

/* Copy keys and find their bins, key by key. guide is a constant at every call. */
static inline __attribute__((always_inline)) void find_narrow(const struct gs_splitters *splitters,
                                                              enum gs_guide guide,
                                                              const gs_key *keys, uint64_t count,
                                                              gs_key *copy, uint16_t *bins)
{
    static_assert(LONG_STEPS == 2, "shorter searches have constants");
    if (splitters->steps == 1) {
        find_bins(splitters, guide, 1, keys, count, copy, bins);
    } else if (splitters->steps == 2) {
        find_bins(splitters, guide, 2, keys, count, copy, bins);
    } else {
        find_bins(splitters, guide, 0, keys, count, copy, bins);
        if (splitters->steps > LONG_STEPS)
            finish_search(splitters, copy, count, bins);
    }
}

void gs_find_bins(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                  gs_key *copy, uint16_t *bins)
{
    uint64_t done = gs_vector_bins(splitters, keys, count, copy, bins);
    keys += done;
    copy += done;
    bins += done;
    count -= done;
    if (splitters->guide == GS_GUIDE_TOP)
        find_narrow(splitters, GS_GUIDE_TOP, keys, count, copy, bins);
    else if (splitters->guide == GS_GUIDE_LINEAR)
        find_narrow(splitters, GS_GUIDE_LINEAR, keys, count, copy, bins);
    else if (splitters->guide == GS_GUIDE_GAP)
        find_narrow(splitters, GS_GUIDE_GAP, keys, count, copy, bins);
    else if (splitters->guide == GS_GUIDE_LOG)
        find_narrow(splitters, GS_GUIDE_LOG, keys, count, copy, bins);
    else
        find_bins(splitters, GS_GUIDE_EVEN, 0, keys, count, copy, bins);
}

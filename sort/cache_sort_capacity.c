/* cache_sort_capacity.c -- how many keys a thread sorts at once, and in how much scratch memory.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cache_sort_capacity.h"
#include "sort/cache_sort.h"

/* A bin is at most this part of a thread's share. */
#define SHARE_PARTS 32

/* Random keys have no more bins than that, where there is a choice. 2^30 keys, 2 threads, ns a key
 * to place them and to sort bins: 1024 bins of 2^20 keys 1.5 and 2.2, 2048 bins 1.7 and 2.0, 4096
 * bins 2.4 and 1.8. 16 threads: 2048 bins 2.6 and 2.7, 4096 bins 3.6 and 2.6. */
#define BINS_WANTED 2048

uint64_t gs_capacity_keys(const struct gs_plan *plan)
{
    const uint64_t part = plan->count / plan->threads / SHARE_PARTS;
    const uint64_t most = part < GS_CACHE_SORT_LARGE ? part : GS_CACHE_SORT_LARGE;
    return most > GS_CACHE_SORT_CAPACITY ? most : GS_CACHE_SORT_CAPACITY;
}

size_t gs_capacity_scratch(const struct gs_plan *plan)
{
    if (plan->bins < 2 || plan->direct || !gs_cache_sort_takes_large())
        return GS_CACHE_SORT_SCRATCH;
    const uint64_t twice = 2 * plan->count / plan->bins, keys = gs_capacity_keys(plan);
    return gs_cache_sort_runs_scratch(
        (size_t)(twice + twice / 16 < keys ? twice + twice / 16 : keys));
}

void gs_capacity_widen(struct gs_splitters *splitters, const struct gs_plan *plan)
{
    const uint32_t bins = (splitters->count + 1) / 2;
    /* Bins of random keys differ by less than a 16th. */
    if (splitters->guide != GS_GUIDE_EVEN || bins < BINS_WANTED || !gs_cache_sort_takes_large() ||
        plan->count / bins > gs_capacity_keys(plan) / 17 * 16)
        return;
    splitters->shift++;
    for (uint32_t i = 0; i < splitters->count; i++)
        splitters->splitter[i] = i + 1 < bins ? splitters->splitter[2 * i + 1] : GS_KEY_MAX;
    splitters->count = bins - 1;
}

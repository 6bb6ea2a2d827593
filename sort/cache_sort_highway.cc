/* cache_sort_highway.cc -- Highway's vqsort behind a C interface. Built with HIGHWAY=1 only.
 * SPDX-License-Identifier: MIT
 *
 * Highway chooses the instruction set itself, at the first call. A Sorter holds nothing since
 * Highway 1.0.3: making one per bin is free.
 */
#include "sort/cache_sort_impl.h"

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

void gs_cache_sort_highway(gs_key *keys, size_t count)
{
    const hwy::Sorter sorter;
    sorter(keys, count, hwy::SortAscending());
}

const char *gs_cache_sort_highway_target(void)
{
    const auto supported = hwy::SupportedTargets();
    return hwy::TargetName(supported & -supported); /* the lowest bit is the best */
}

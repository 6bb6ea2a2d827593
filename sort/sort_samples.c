/* sort_samples.c -- sort the sample as if it were a bin.
 * SPDX-License-Identifier: MIT
 */
#include "sort/sort_samples.h"
#include "sort/cache_sort.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_keys(const void *left, const void *right)
{
    gs_key a = *(const gs_key *)left;
    gs_key b = *(const gs_key *)right;
    return (a > b) - (a < b);
}

void gs_sort_samples(gs_key *sample, size_t count)
{
    const size_t bytes = gs_cache_sort_scratch(count) * sizeof(gs_key);
    gs_key *scratch = gs_pages_alloc(bytes);
    if (scratch == NULL) {
        qsort(sample, count, sizeof *sample, compare_keys);
        return;
    }
    const gs_key *sorted = gs_cache_sort(sample, scratch, count, 0, GS_KEY_MAX);
    if (sorted != sample)
        memcpy(sample, sorted, count * sizeof *sample);
    gs_pages_free(scratch, bytes);
}

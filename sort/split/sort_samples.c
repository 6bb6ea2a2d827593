/* sort_samples.c -- sort the sample as if it were a bin.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/sort_samples.h"
#include "sort/bin/cache_sort.h"
#include "sort/bin/portable.h"

#include "common/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* Up to this many keys are sorted with scratch memory on the stack, of just their size. First touch
 * of fresh memory, and giving it back, which interrupts the processors of other threads, take 10 to
 * 25 us. */
enum { FEW = 4096 };

static int compare_keys(const void *left, const void *right)
{
    gs_key a = *(const gs_key *)left;
    gs_key b = *(const gs_key *)right;
    return (a > b) - (a < b);
}

void gs_sort_samples(gs_key *sample, size_t count)
{
    gs_key few[FEW];
    const size_t bytes = gs_cache_sort_scratch(count) * sizeof *sample;
    gs_key *scratch = count <= FEW ? few : gs_pages_alloc(bytes);
    if (scratch == NULL) {
        qsort(sample, count, sizeof *sample, compare_keys);
        return;
    }
    const gs_key *sorted = count <= FEW ? gs_radix_sort(sample, scratch, count)
                                        : gs_cache_sort(sample, scratch, count, 0, GS_KEY_MAX);
    if (sorted != sample)
        memcpy(sample, sorted, count * sizeof *sample);
    if (scratch != few)
        gs_pages_free(scratch, bytes);
}

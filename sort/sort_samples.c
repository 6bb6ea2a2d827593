/* sort_samples.c -- sort the sample with the C library's qsort.
 * SPDX-License-Identifier: MIT
 */
#include "sort/sort_samples.h"

#include <stdlib.h>

static int compare_keys(const void *left, const void *right)
{
    gs_key a = *(const gs_key *)left;
    gs_key b = *(const gs_key *)right;
    return (a > b) - (a < b);
}

void gs_sort_samples(gs_key *sample, size_t count)
{
    if (count > 1)
        qsort(sample, count, sizeof *sample, compare_keys);
}

/* median.h -- the median of times, for benchmarks.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MEDIAN_H
#define GS_MEDIAN_H

#include <stdint.h>
#include <stdlib.h>

static inline int compare_times(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The median of times[0 .. count), count >= 1. Sorts the array. */
static inline double median(uint64_t *times, size_t count)
{
    qsort(times, count, sizeof *times, compare_times);
    return (double)times[count / 2];
}

#endif

/* starts.h -- which of several parts, one after the other, has a position?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STARTS_H
#define GS_STARTS_H

#include <stddef.h>
#include <stdint.h>

/* The part i with starts[i] <= position < starts[i + 1], which is no empty one; the last of `count`
 * for positions from starts[count] on. */
static inline size_t gs_starts_find(const uint64_t *starts, size_t count, uint64_t position)
{
    size_t low = 0;
    size_t high = count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (starts[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif

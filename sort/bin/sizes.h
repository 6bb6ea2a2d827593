/* sizes.h -- how many keys a bin may have, and the scratch memory that sorting it takes.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SIZES_H
#define GS_SIZES_H

#include "common/formats/keys.h"

#include <stddef.h>

/* Any method sorts up to this many keys in one go: 2 MiB. */
#define GS_CACHE_SORT_CAPACITY (((size_t)2 << 20) / GS_KEY_BYTES)

/* Keys in the scratch array, whatever the count, so it never has to grow. A bin of 49152 evenly
 * spread keys touches about 49152 of them. */
#define GS_CACHE_SORT_SCRATCH (GS_CACHE_SORT_CAPACITY + GS_CACHE_SORT_CAPACITY / 16)

/* Most keys in runs that one thread still sorts whole: 8 MiB, plus what bins of random keys vary
 * by. Where the keys are spread evenly, a processor may, thanks to its third-level cache, be about
 * as fast as with fewer. */
#define GS_CACHE_SORT_LARGE (((size_t)17 << 19) / GS_KEY_BYTES)

/* Scratch keys that are enough for count keys, whatever method sorts them. */
static inline size_t gs_cache_sort_scratch(size_t count)
{
    const size_t enough = 2 * count + count / 2 + ((size_t)128 << 10) / GS_KEY_BYTES;
    return enough < GS_CACHE_SORT_SCRATCH ? enough : GS_CACHE_SORT_SCRATCH;
}

/* Scratch keys that are enough for count keys in runs, sorted whole up to GS_CACHE_SORT_LARGE. */
static inline size_t gs_cache_sort_runs_scratch(size_t count)
{
    const size_t large = count < GS_CACHE_SORT_LARGE ? count : GS_CACHE_SORT_LARGE;
    const size_t enough = large + large / 16 * 7;
    return enough > GS_CACHE_SORT_SCRATCH ? enough : GS_CACHE_SORT_SCRATCH;
}

#endif

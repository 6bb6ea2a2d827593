/* cache_sort.h -- sort one bin while it is in cache: the last stage of the CPU sample sort.
 * SPDX-License-Identifier: MIT
 *
 * The caller is one thread of many; bins of other threads lie directly behind and in front of this
 * one. So nothing outside keys[0 .. count) is ever read or written, and all other memory comes from
 * the caller: scratch, which belongs to the thread and is used for one bin after the other.
 */
#ifndef GS_CACHE_SORT_H
#define GS_CACHE_SORT_H

#include <stddef.h>

#include "common/keys.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bin of up to this many keys is sorted in one go. A larger one is right too, and is first split
 * in place by its most significant varying bits: about a third slower for each factor of 256. */
#define GS_CACHE_SORT_CAPACITY ((size_t)1 << 17)

/* Keys in the scratch array, whatever the count: it never has to grow. */
#define GS_CACHE_SORT_SCRATCH (5 * GS_CACHE_SORT_CAPACITY / 2)

/* Sort keys[0 .. count), each of which is in [low, high] (bounds inclusive, as the splitters give
 * them; 0 and GS_KEY_MAX are always right). scratch holds GS_CACHE_SORT_SCRATCH keys. Both may
 * start at any multiple of GS_KEY_BYTES. Returns where the sorted keys are: keys or, only if count
 * <= GS_CACHE_SORT_CAPACITY, scratch. Thread-safe, allocates nothing, cannot fail. */
gs_key *gs_cache_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high);

/* What sorts bins on this processor, for --stats: "radix" or "vqsort". */
const char *gs_cache_sort_name(void);

#ifdef __cplusplus
}
#endif

#endif

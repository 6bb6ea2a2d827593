/* cache_sort.h -- sort one bin while it is in cache: the last stage of the CPU sample sort.
 * SPDX-License-Identifier: MIT
 *
 * The caller is one thread of many; bins of other threads lie directly behind and in front of this
 * one. So nothing outside keys[0 .. count) is ever read or written, and all other memory comes from
 * the caller: scratch, which belongs to the thread and is used for one bin after the other.
 *
 * Bins of 2^12 to 2^16 keys are sorted fastest: bin, scratch and counters fit into half a megabyte
 * of second-level cache. One thread of a Zen 3 at 2.5 GHz (512 KiB), uniform keys, Mkeys/s: 2^13
 * keys 607, 2^15 keys 591, 2^16 keys 558, 2^17 keys 486, 2^18 keys 443, 2^19 keys 359; vqsort with
 * AVX2 206 to 170 [tests/bench/bench_cache_sort.c].
 */
#ifndef GS_CACHE_SORT_H
#define GS_CACHE_SORT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/keys.h"
#include "sort/key_runs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Up to this many keys any method sorts in one go. */
#define GS_CACHE_SORT_CAPACITY ((size_t)1 << 19)

/* Keys in the scratch array, whatever the count: it never has to grow. Of a bin of 49152 even keys
 * about as many are touched. */
#define GS_CACHE_SORT_SCRATCH (GS_CACHE_SORT_CAPACITY + GS_CACHE_SORT_CAPACITY / 16)

/* Up to so many keys in runs are sorted by one thread, all the same: 2^21, and what bins of random
 * keys have more or less. Where they are spread evenly, a processor may be about as fast then as
 * with fewer, by the third-level cache. */
#define GS_CACHE_SORT_LARGE ((size_t)17 << 17)

/* As many of them are enough for count keys, whatever sorts these. */
static inline size_t gs_cache_sort_scratch(size_t count)
{
    const size_t enough = 2 * count + count / 2 + ((size_t)1 << 15);
    return enough < GS_CACHE_SORT_SCRATCH ? enough : GS_CACHE_SORT_SCRATCH;
}

/* And for count keys in runs, if they are to be sorted so. */
static inline size_t gs_cache_sort_runs_scratch(size_t count)
{
    const size_t large = count < GS_CACHE_SORT_LARGE ? count : GS_CACHE_SORT_LARGE;
    const size_t enough = large + large / 16 * 7;
    return enough > GS_CACHE_SORT_SCRATCH ? enough : GS_CACHE_SORT_SCRATCH;
}

/* Does this processor sort up to GS_CACHE_SORT_LARGE keys in runs whole, and fast? It takes AVX-512
 * with VBMI2. */
bool gs_cache_sort_takes_large(void);

/* Sort keys[0 .. count), each of which is in [low, high] (bounds inclusive, as the splitters give
 * them; 0 and GS_KEY_MAX are always right; with bounds that are wrong, so may be the order, but
 * nothing else is touched). scratch holds gs_cache_sort_scratch(count) keys. Both may start at any
 * multiple of GS_KEY_BYTES. Returns where the sorted keys are: keys or, only if count
 * <= GS_CACHE_SORT_CAPACITY, scratch. Thread-safe, allocates nothing, cannot fail. */
gs_key *gs_cache_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high);

/* The same for keys that lie in runs, count in all: they stay as they are, and `to` gets them. Its
 * keys are written past the caches, where that can be done, if past_cache says so. scratch has
 * scratch_keys, GS_CACHE_SORT_SCRATCH at least. */
gs_key *gs_cache_sort_runs(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                           size_t scratch_keys, size_t count, gs_key low, gs_key high,
                           bool past_cache);

/* What sorts bins on this processor, for --stats: "groups AVX-512, vqsort", "radix", ... */
const char *gs_cache_sort_name(void);

#ifdef __cplusplus
}
#endif

#endif

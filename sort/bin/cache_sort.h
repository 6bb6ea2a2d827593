/* cache_sort.h -- sort one bin while it is in cache: the last stage of the CPU sample sort.
 * SPDX-License-Identifier: MIT
 *
 * The caller is one thread of many, and bins of other threads lie directly before and behind this
 * one. So nothing outside keys[0 .. count) is ever read or written, and all other memory comes from
 * the caller: scratch belongs to the thread and serves one bin after another.
 *
 * Bins of 2^12 to 2^16 keys sort fastest: bin, scratch and counters fit half a megabyte of
 * second-level cache. One thread of a Zen 3 at 2.5 GHz (512 KiB), uniform keys, Mkeys/s: 2^13 keys
 * 607, 2^15 keys 591, 2^16 keys 558, 2^17 keys 486, 2^18 keys 443, 2^19 keys 359; vqsort with AVX2
 * 206 to 170 [tests/bench/bench_cache_sort.c].
 */
#ifndef GS_CACHE_SORT_H
#define GS_CACHE_SORT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/formats/keys.h"
#include "sort/bin/bin_output.h"
#include "sort/bin/sizes.h"
#include "sort/keys/rows.h"

/* Does this processor sort up to GS_CACHE_SORT_LARGE keys in runs whole, and fast? That takes
 * AVX-512 with VBMI2. */
bool gs_cache_sort_takes_large(void);

/* Sort keys[0 .. count), all in [low, high] (inclusive bounds, as the splitters give them; 0 and
 * GS_KEY_MAX are always right; with wrong bounds the order, and even keys, may come out wrong, but
 * nothing else is touched). scratch holds gs_cache_sort_scratch(count) keys. Both may start at any
 * multiple of GS_KEY_BYTES. Returns where the sorted keys are: keys or, only if count <=
 * GS_CACHE_SORT_CAPACITY, scratch. Thread-safe, allocates nothing, cannot fail. */
gs_key *gs_cache_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high);

/* The same for count keys that lie in runs: the runs stay unchanged, and output->to has room for
 * the keys; a codec there has to have lines. scratch holds scratch_keys keys, at least
 * GS_CACHE_SORT_SCRATCH. Returns output->to or, without a codec, scratch. */
gs_key *gs_cache_sort_runs(const struct gs_rows *rows, const struct gs_bin_output *output,
                           gs_key *scratch, size_t scratch_keys, size_t count, gs_key low,
                           gs_key high);

/* The method that sorts bins on this processor, for --stats: "groups AVX-512, vqsort", "radix",
 * ... */
const char *gs_cache_sort_name(void);

#endif

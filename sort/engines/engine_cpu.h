/* engine_cpu.h -- the shared-memory engines on one core: same lists, same merges.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ENGINE_CPU_H
#define GS_ENGINE_CPU_H

#include "sort/engines/interleaved_lists.h"

/* Sort each list of words[0 .. gs_lists_words(n, lists)), whose first n are the keys.
 * Returns the bits in which keys differ, as a mask. n is at most GS_ENGINE_CAPACITY. */
gs_key gs_sort_lists_cpu(gs_key *words, uint32_t n, uint32_t lists);

/* Merge the sorted lists into out[0 .. n). */
void gs_merge_lists_cpu(enum gs_list_merge merge, const gs_key *words, uint32_t n, uint32_t lists,
                        gs_key *out);

#endif

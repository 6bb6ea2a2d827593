/* engine.h -- the shared-memory engines: for inputs that fit the memory of one GPU block.
 * SPDX-License-Identifier: MIT
 *
 * An input becomes L interleaved lists (lists.h), each is sorted by its bits, and the sorted lists
 * are merged, one key of the output a step. How a step finds the least of the L heads is what the
 * engines differ in:
 *
 *   atomicmin   every thread offers its head to one minimum; among equals the lowest thread wins
 *   reduction   a tree over the heads, halving the threads
 *   hybrid      one minimum for each group of heads, then one over the groups: groups are warps,
 *               whose minimum is one instruction, or 8 heads on the CPU
 *
 * The CPU's twins (engine_cpu.c) do the same on the same lists, one head after the other.
 */
#ifndef GS_ENGINE_H
#define GS_ENGINE_H

#include "sort/lists.h"
#include "sort/stages.h"

/* Shared memory of one block, in bytes, on the GPUs that have most: compute capability 9.0 and
 * 10.0. */
#define GS_ENGINE_BLOCK_BYTES (227 * 1024)

/* Keys that an engine takes at most, on the CPU and on such a GPU. */
#define GS_ENGINE_CAPACITY GS_LISTS_CAPACITY(GS_ENGINE_BLOCK_BYTES)

/* Is it one of these three? */
bool gs_engine_uses_lists(enum gs_engine engine);

/* The merge of one of them. */
enum gs_lists_merge gs_engine_merge(enum gs_engine engine);

/* The number of lists for n keys where none is asked for: what is fastest on the CPU or the GPU,
 * for all three engines. */
uint32_t gs_engine_lists(enum gs_device device, uint32_t n);

/* Refuse more keys than capacity; `where` says which limit that is, or is empty. */
enum gs_status gs_engine_check_count(enum gs_engine engine, uint64_t count, uint32_t capacity,
                                     const char *where, struct gs_error *err);

/* Sort run's input into its emitter by run->options->engine on a device, CPU or GPU. run holds
 * options, plan, tiles, emitter, progress and stats. */
enum gs_status gs_engine_run(struct gs_run *run, enum gs_device device, struct gs_error *err);

/* Bytes of host memory that this takes for count keys. */
uint64_t gs_engine_memory(uint64_t count);

/* engine_cpu.c. Sort each list of words[0 .. gs_lists_words(n, lists)), whose first n are the keys.
 * Returns the bits in which keys differ. n is at most GS_ENGINE_CAPACITY. */
gs_key gs_sort_lists_cpu(gs_key *words, uint32_t n, uint32_t lists);

/* Merge the sorted lists into out[0 .. n). */
void gs_merge_lists_cpu(enum gs_lists_merge merge, const gs_key *words, uint32_t n, uint32_t lists,
                        gs_key *out);

#endif

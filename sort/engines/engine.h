/* engine.h -- the shared-memory engines: for inputs that fit the memory of one GPU block.
 * SPDX-License-Identifier: MIT
 *
 * The input becomes L interleaved lists (lists.h); each is radix-sorted, and the sorted lists are
 * merged, one key of the output per step. The engines differ in how a step finds the least of the L
 * heads:
 *
 *   atomicmin   every thread offers its head to one minimum; of equals the lowest thread wins
 *   reduction   a tree over the heads, halving the number of threads at each level
 *   hybrid      one minimum for each group of heads, then one over the groups; groups are warps
 *               on the GPU, whose minimum is one instruction, and 8 heads on the CPU
 *
 * The CPU's counterparts (engine_cpu.c) do the same on the same lists, one head after the other.
 */
#ifndef GS_ENGINE_H
#define GS_ENGINE_H

#include "sort/engines/lists.h"
#include "sort/run/stages.h"

/* Shared memory of one block, in bytes, on the GPUs that have the most: compute capabilities 9.0
 * and 10.0. */
#define GS_ENGINE_BLOCK_BYTES (227 * 1024)

/* The most keys that an engine takes, on the CPU and on such a GPU. */
#define GS_ENGINE_CAPACITY GS_LISTS_CAPACITY(GS_ENGINE_BLOCK_BYTES)

/* Is it one of these three engines? */
bool gs_engine_uses_lists(enum gs_engine engine);

/* The merge of one of these engines. */
enum gs_lists_merge gs_engine_merge(enum gs_engine engine);

/* The default number of lists for n keys: the fastest on that device, for all three engines. */
uint32_t gs_engine_lists(enum gs_device device, uint32_t n);

/* GS_ERR_INPUT if one of these engines gets more keys than capacity. `where` names the limit in the
 * message, or is empty. */
enum gs_status gs_engine_check_count(enum gs_engine engine, uint64_t count, uint32_t capacity,
                                     const char *where, struct gs_error *err);

/* Sort run's input into its emitter by run->options->engine on a device, CPU or GPU. The caller has
 * set run's options, plan, tiles, emitter, progress and stats. */
enum gs_status gs_engine_run(struct gs_run *run, enum gs_device device, struct gs_error *err);

/* Bytes of host memory that gs_engine_run takes for count keys. */
uint64_t gs_engine_memory(uint64_t count);

/* Sort each list of words[0 .. gs_lists_words(n, lists)), whose first n are the keys
 * (engine_cpu.c). Returns the bits in which keys differ, as a mask. n is at most
 * GS_ENGINE_CAPACITY. */
gs_key gs_sort_lists_cpu(gs_key *words, uint32_t n, uint32_t lists);

/* Merge the sorted lists into out[0 .. n). */
void gs_merge_lists_cpu(enum gs_lists_merge merge, const gs_key *words, uint32_t n, uint32_t lists,
                        gs_key *out);

#endif

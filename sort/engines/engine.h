/* engine.h -- the shared-memory engines: for inputs that fit the memory of one GPU block.
 * SPDX-License-Identifier: MIT
 *
 * The input becomes L interleaved lists (interleaved_lists.h); each is radix-sorted, and the sorted
 * lists are merged, one key of the output per step. The engines differ in how a step finds the
 * least of the L heads:
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

#include "sort/run/run.h"

/* Sort run's input into its emitter by run->options->engine on a device, CPU or GPU. The caller has
 * set run's options, plan, tiles, emitter, progress and stats. */
enum gs_status gs_engine_run(struct gs_run *run, enum gs_device device, struct gs_error *err);

/* Bytes of host memory that gs_engine_run takes for count keys. */
uint64_t gs_engine_memory(uint64_t count);

#endif

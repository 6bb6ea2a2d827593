/* stages_cpu.h -- the table of the CPU's stages, and what it can do with the sink's memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STAGES_CPU_H
#define GS_STAGES_CPU_H

#include "sort/run/stages.h"

extern const struct gs_stages gs_stages_cpu;

/* To be called before the sample is drawn, which page-faults the input: if two or three threads
 * will distribute keys within the sink's memory, let a thread create its pages meanwhile. Two
 * threads that both create pages wait for the memory, and are no faster than one. */
void gs_expect_output_cpu(struct gs_run *run);

/* To be called before keys are distributed: map the sink as memory, if it can be and that pays. */
enum gs_status gs_map_output_cpu(struct gs_run *run, struct gs_error *err);

#endif

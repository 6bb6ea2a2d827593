/* stages_cpu.h -- the table of the CPU's stages.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STAGES_CPU_H
#define GS_STAGES_CPU_H

#include "sort/run/stages.h"

/* Its stages open and close, for tables that differ in others. */
enum gs_status gs_open_cpu(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err);
void gs_close_cpu(struct gs_run *run);

extern const struct gs_stages gs_stages_cpu;

#endif

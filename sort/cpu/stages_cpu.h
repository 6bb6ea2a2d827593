/* stages_cpu.h -- the table of the CPU's stages.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STAGES_CPU_H
#define GS_STAGES_CPU_H

#include "sort/run/stages.h"

extern const struct gs_stages gs_stages_cpu;

#endif

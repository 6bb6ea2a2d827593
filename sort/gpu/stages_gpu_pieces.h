/* stages_gpu_pieces.h -- the stages for inputs that do not fit into device memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STAGES_GPU_PIECES_H
#define GS_STAGES_GPU_PIECES_H

#include "sort/run/stages.h"

/* Adapt a plan to a GPU that sorts in pieces. */
void gs_gpu_plan_pieces(struct gs_plan *plan);

/* The CPU scatters into bins; the GPU sorts as many bins at a time as fit into its memory. */
extern const struct gs_stages gs_stages_gpu_pieces;

#endif

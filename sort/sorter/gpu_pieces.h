/* gpu_pieces.h -- an input that does not fit into the GPU's memory is sorted there piece by piece.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GPU_PIECES_H
#define GS_GPU_PIECES_H

#include "sort/run/stages.h"

/* The CPU distributes the keys to bins; then the GPU sorts piece after piece. */
extern const struct gs_stages gs_stages_gpu_pieces;

/* The last stage of that: sort run's rows by `stages` in pieces of up to `most` keys, or of one
 * bin. A piece for which these have no memory is sorted by `again` instead, piece by piece. */
enum gs_status gs_sort_pieces(struct gs_run *run, const struct gs_stages *stages,
                              const struct gs_stages *again, uint64_t most, struct gs_error *err);

#endif

/* pieces.h -- bins, or parts of large ones, as threads sort them one at a time.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PIECES_H
#define GS_PIECES_H

#include "sort/cpu/cpu.h"

/* A bin or a part of one, which one thread sorts at once. */
struct gs_piece {
    struct gs_rows rows; /* bin 0 of these */
    gs_key low, high;    /* bounds of its keys; equal: no sort needed, and maybe not in the copy */
    uint64_t count;
    uint64_t offset; /* its position in the output if no duplicates are dropped */
};

/* All pieces of a sort, in ascending order of their keys, none of them empty. */
struct gs_pieces {
    struct gs_piece *list;
    uint64_t count, room;
    uint64_t largest;  /* keys in the largest piece that has to be sorted */
    uint32_t **tables; /* starts of pieces that are parts of bins; owned */
    size_t table_count;
};

/* Make pieces of the bins. A bin of more than plan->bin_keys_max keys is split within its runs by
 * its highest varying bits, unless the runs are too short for that. The caller frees *pieces with
 * gs_pieces_free, also on failure. */
enum gs_status gs_split_bins_cpu(struct gs_run *run, struct gs_pieces *pieces,
                                 struct gs_error *err);
void gs_pieces_free(struct gs_pieces *pieces);

/* The piece at index i in output order. */
static inline const struct gs_piece *gs_piece_at(const struct gs_run *run,
                                                 const struct gs_pieces *pieces, uint64_t i)
{
    return &pieces->list[run->options->reverse ? pieces->count - 1 - i : i];
}

#endif

/* sort_bins.h -- sort every bin and emit it, in output order.
 * SPDX-License-Identifier: MIT
 *
 * In: the scattered copy, or the regions, and the starts of the runs.
 * Out: all keys through run->emitter; fills run->counts and ->offsets. One thread sorts, shapes
 * (-u, -r) and writes a bin while it is in that thread's cache. A bin far over its share is split
 * first (pieces.c); the keys of an equality bin are generated from its count.
 */
#ifndef GS_SORT_BINS_H
#define GS_SORT_BINS_H

#include "sort/run/stages.h"
#include "sort/cpu/pieces.h"
#include "sort/run/thread_work.h"

enum gs_status gs_sort_bins_cpu(struct gs_run *run, struct gs_error *err);

/* Gather a piece in `to`, sort it with the thread's scratch memory and emit it as piece `number`.
 * to has room for the piece, and may be its place in the sink's memory. */
enum gs_status gs_finish_piece_cpu(struct gs_run *run, const struct gs_piece *piece,
                                   uint64_t number, gs_key *to, gs_key *scratch,
                                   struct gs_thread_work *work);

#endif

/* incoming.h -- distribute the keys of a pipe to bins while the rest is still being read.
 * SPDX-License-Identifier: MIT
 *
 * One thread reads a pipe and mostly waits for its writer; the other threads would be idle. So once
 * GS_INCOMING_KEYS keys have come, a sample of them gives splitters, and worker threads take each
 * full chunk, order it by bin in cache and put it back in its place, as a chunk of the scattered
 * copy (stages_cpu.h):
 *
 *   memory   |0|1|2|..|k   |0|1|2|..|k   | being ordered | coming in ...
 *
 * At the end of the input little is left to do but sorting the bins, and the keys need no second
 * copy. Where the input has records, a chunk's are decoded on their way into cache, and their keys
 * put back in their place: only records as large as their keys are worked on.
 *
 * This commits the sort to nothing: the memory still holds the keys of the input, only in another
 * order, and decoded as far as gs_incoming_mark says. If later keys are unlike the first ones, the
 * bins are uneven, and the input is sorted like any other. Keys that look ordered or have few
 * values are left alone: these are sorted faster from the order in which they came.
 *
 * The caller's thread reads, tells and pauses. The caller owns the memory, but must not touch keys
 * that it has told of until the next pause or end.
 */
#ifndef GS_INCOMING_H
#define GS_INCOMING_H

#include "sort/run/stages.h"
#include "sort/types/types.h"
#include "sort/cpu/cpu.h"

struct gs_run;

/* New state for a sort with these options, which must stay valid until gs_incoming_free; stages are
 * the CPU's. NULL, which all other calls accept, if the sort has no threads to spare, is not the
 * CPU's sample sort, or there is no memory; also for records of another size than their keys, and
 * where device auto may choose a GPU: workers slow the reader down by a
 * tenth, and a sort on a GPU has little to gain from them. */
struct gs_incoming *gs_incoming_new(const struct gs_options *options,
                                    const struct gs_stages *stages);

/* `count` records, or keys, all of the input so far, have been read. */
void gs_incoming_tell(struct gs_incoming *incoming, void *records, uint64_t count);

/* Wait until no worker touches the keys. Workers stay off them until the next tell, which may pass
 * another address: the caller may move the keys meanwhile. */
void gs_incoming_pause(struct gs_incoming *incoming);

/* Has a worker claimed a first chunk? (A test waits for that.) */
bool gs_incoming_begun(struct gs_incoming *incoming);

/* End the workers. To be called before the keys are sorted. */
void gs_incoming_end(struct gs_incoming *incoming);

/* If the tiles are the input that was told of: note in tiles->decoded how much of it has become
 * keys. Only while the workers pause, or after their end. */
void gs_incoming_mark(const struct gs_incoming *incoming, struct gs_tiles *tiles);

/* After the end: turn keys back into records, for who sorts the input without gs_sort. */
void gs_incoming_restore(struct gs_incoming *incoming);

void gs_incoming_free(struct gs_incoming *incoming);

/* For gs_sort, after the workers have ended. If run's input is what they worked on, and its bins
 * are even, so that going on from there pays, set run->arrived, with run's splitters, plan and
 * stats; else run->arrived.rows.keys is NULL. */
void gs_incoming_take(struct gs_incoming *incoming, struct gs_run *run);

#endif

/* incoming.h -- keys of a pipe are taken to their bins while the rest is coming in.
 * SPDX-License-Identifier: MIT
 *
 * One thread reads a pipe, and waits for its writer; others have nothing to do. So from
 * GS_INCOMING_KEYS on a sample of what has come gives splitters, and some threads order each chunk
 * that is full by bin, in cache, and put it back where it was, as a chunk of the scattered copy
 * (stages_cpu.h):
 *
 *   memory   |0|1|2|..|k   |0|1|2|..|k   | being ordered | coming in ...
 *
 * When the end has come, little is left but to sort bins, and there is no other copy of the keys.
 *
 * Nothing is settled by that: they are the keys of the input all the while, if in another order.
 * The rest may be unlike what came first; then the bins are not even, and the input is sorted like
 * any other. It is not begun where keys look ordered, or are of few values: these are sorted faster
 * from the order in which they came.
 *
 * The caller's thread reads, tells and pauses; the memory is the caller's, but not to be touched
 * between tell and pause or end.
 */
#ifndef GS_INCOMING_H
#define GS_INCOMING_H

#include "sort/gsort.h"

struct gs_cpu;
struct gs_run;

/* For a sort with these options, which must stay until free; NULL: it has no threads to spare, is
 * not the CPU's sample sort, or there is no memory: all calls take NULL. Where auto may take a GPU
 * it is not, either: whoever works beside the reader slows it down by a tenth, and a GPU has little
 * to gain by that. */
struct gs_incoming *gs_incoming_new(const struct gs_options *options);

/* keys[0 .. count) have come, all of the input so far. */
void gs_incoming_tell(struct gs_incoming *incoming, gs_key *keys, uint64_t count);

/* Returns when nobody touches the keys; until the next tell, which may say that they have moved. */
void gs_incoming_pause(struct gs_incoming *incoming);

/* Are keys on their way to their bins, or there? (A test waits for that.) */
bool gs_incoming_begun(struct gs_incoming *incoming);

/* No more is to be done: the threads end. To be called before the keys are sorted. */
void gs_incoming_end(struct gs_incoming *incoming);

void gs_incoming_free(struct gs_incoming *incoming);

/* For gs_sort, when the threads have ended. Is run's input what came in, and do its keys lie in
 * even bins, so that it is worth to go on from there? Then run->incoming is set, with splitters,
 * plan and the books of what was done. */
void gs_incoming_take(struct gs_incoming *incoming, struct gs_run *run);

/* Keys of the input that are in their bins already: whole chunks. */
uint64_t gs_incoming_distributed(const struct gs_run *run);

/* The chunks of a run that has taken what came in: the input's memory and the table of runs; false:
 * there is no memory. */
bool gs_incoming_open(struct gs_run *run, struct gs_cpu *cpu);

#endif

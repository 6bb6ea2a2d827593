/* stages_cpu.h -- what the CPU's stages share besides struct gs_run.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STAGES_CPU_H
#define GS_STAGES_CPU_H

#include "sort/stages.h"

/* The input is cut into parts, runs of tiles of about equal length. Threads claim parts, and each
 * part has a place of its own in every bin: no thread waits for another, and none is bound to a
 * share that a busy machine lets it finish late. */
struct gs_cpu {
    uint64_t parts;
    uint32_t *part_counts; /* [part][bin]: keys; a part has less than 2^32 */
    uint64_t *part_starts; /* [part][bin]: position of the part's first key of the bin */
    gs_key *bins;          /* the scattered keys, at their bins' offsets */
    size_t bins_bytes;     /* of bins if owned, 0 if it is the sink's memory */
    gs_key *scratch;       /* [thread][GS_CACHE_SORT_SCRATCH] */
    size_t scratch_bytes;
};

/* The first tile of a part; [parts] is one past the last. */
static inline uint64_t gs_cpu_part_tile(const struct gs_run *run, uint64_t part)
{
    const struct gs_cpu *cpu = run->device;
    return run->tiles.count / cpu->parts * part + run->tiles.count % cpu->parts * part / cpu->parts;
}

/* The calling thread's number in its team. */
unsigned gs_cpu_thread(void);

/* Bytes of buffers for a plan: bins (unless the sink gives them), scratch and write buffers. */
uint64_t gs_cpu_memory(const struct gs_plan *plan);

/* The input is one bin: sort it without a distribution pass. */
enum gs_status gs_sort_one_bin_cpu(struct gs_run *run, struct gs_error *err);

/* What one thread did while pieces were handed out. */
struct gs_work {
    uint64_t sort_ns;
    uint64_t write_ns;
    uint64_t keys_in;
    uint64_t keys_out;
};

/* Hand out a sorted piece as piece number `piece`, and account for it. */
enum gs_status gs_work_emit(struct gs_run *run, uint64_t piece, const gs_key *keys, uint64_t count,
                            uint64_t planned, struct gs_work *work);

/* Sort one bin with the thread's scratch and hand it out as piece number `piece`. */
enum gs_status gs_finish_bin_cpu(struct gs_run *run, uint32_t bin, uint64_t piece, gs_key *scratch,
                                 struct gs_work *work);

/* Put one thread's work on the books; threads worked side by side. Safe from a parallel region. */
void gs_work_account(struct gs_run *run, const struct gs_work *work, unsigned threads);

#endif

/* cpu.h -- what the CPU's stages share besides struct gs_run.
 * SPDX-License-Identifier: MIT
 *
 * A thread takes a chunk that fits its cache, orders it by bin there and writes it to the scattered
 * copy, at its place in the input. So no chunk waits for the counts of others:
 *
 *   input    | chunk 0     | chunk 1     | ...
 *   copy     |0|1|2|..|k   |0|1|2|..|k   | ...     runs: the keys of one bin in one chunk
 *   output   | bin 0 | bin 1 | ...                  a bin is gathered from its runs to be sorted
 *
 * For many keys and a sink with memory, the scattered copy lies in that memory (regions.h).
 */
#ifndef GS_CPU_H
#define GS_CPU_H

#include "sort/keys/params.h"
#include "sort/keys/rows.h"
#include "sort/run/run.h"

struct gs_cpu {
    struct gs_rows rows; /* the scattered copy: a row for each chunk. Between count bins and prefix
                          * sum, starts are the runs' lengths */
    size_t starts_bytes;
    gs_key *copy; /* owned: the copy, or the spare memory of regions */
    size_t copy_bytes;
    gs_key *scratch; /* [thread][plan->scratch_keys] */
    size_t scratch_bytes;
    struct gs_regions *regions; /* keys lie in the regions of their bins (regions.h); or NULL */
    bool moves_equal;           /* scatter also moves chunks that have only keys of equality bins */
};

/* The calling thread's part of the scratch memory. */
gs_key *gs_cpu_scratch(const struct gs_run *run);

/* Fail with GS_ERR_MEMORY: no room to sort so many keys. */
enum gs_status gs_cpu_fail_memory(const struct gs_run *run, struct gs_error *err);

/* The keys of a chunk in the scattered copy. */
static inline gs_key *gs_cpu_chunk(const struct gs_cpu *cpu, uint64_t chunk)
{
    return cpu->rows.keys + chunk * cpu->rows.row_keys;
}

#endif

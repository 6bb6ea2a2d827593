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
 * For few keys (plan->direct) there is no such copy: all chunks are counted, then each key moves
 * straight to its bin's final place, in the sink's memory if it has any, and the bin is sorted
 * there. For many keys and a sink with memory, the scattered copy lies in that memory (regions.h).
 */
#ifndef GS_CPU_H
#define GS_CPU_H

#include "sort/keys/params.h"
#include "sort/run/run.h"

struct gs_cpu {
    uint64_t chunks;
    uint64_t chunk_keys; /* of each chunk but the last */
    uint32_t stride;     /* entries of starts for a chunk */
    uint32_t *starts; /* [chunk][stride]: where the run of each bin starts in its chunk; [bins] is
                       * the chunk's keys. Between count bins and prefix sum: the runs' lengths */
    size_t starts_bytes;
    gs_key *keys; /* the scattered copy, chunk c from c * chunk_keys on; or all keys of one bin */
    size_t keys_bytes; /* of keys if owned, 0 if it is the sink's memory */
    gs_key *scratch; /* [thread][plan->scratch_keys]; NULL in a direct sort if no chunk needed it in
                      * count bins: chunks of few values do not, if gs_copies_in_place */
    size_t scratch_bytes;
    bool moves_equal; /* scatter also moves chunks that have only keys of equality bins */
    /* Only if plan->direct: */
    uint16_t **chunk_bins; /* [chunk]: the bin of each of its keys; NULL: none of them is moved */
    uint16_t *bins; /* memory for those that do not fit in a thread's scratch: behind it all */
};

/* The calling thread's part of the scratch memory, or NULL if there is none. */
gs_key *gs_cpu_scratch(const struct gs_run *run);

/* Allocate the scratch memory of all threads, with the room for bin numbers behind it in a direct
 * sort, unless that was done. Safe to call from a parallel region. */
enum gs_status gs_map_scratch_cpu(struct gs_run *run, struct gs_error *err);

/* Fail with GS_ERR_MEMORY: no room to sort so many keys. */
enum gs_status gs_cpu_fail_memory(const struct gs_run *run, struct gs_error *err);

/* Are the keys of an equality bin generated at their place in the sink's memory? If not, sort bins
 * generates them in scratch memory, and count bins has to allocate that. */
static inline bool gs_copies_in_place(const struct gs_run *run)
{
    return run->emitter.sink->memory != NULL && !run->options->unique;
}

/* The keys of a chunk in the scattered copy. */
static inline gs_key *gs_cpu_chunk(const struct gs_cpu *cpu, uint64_t chunk)
{
    return cpu->keys + chunk * cpu->chunk_keys;
}

/* The counting tables of a chunk, if plan->direct, followed by the places of its runs:
 * [GS_CHUNK_TABLES + 1][bins]. */
static inline uint32_t *gs_cpu_tables(const struct gs_run *run, uint64_t chunk)
{
    const struct gs_cpu *cpu = run->device;
    return cpu->starts + cpu->stride + chunk * (GS_CHUNK_TABLES + 1) * gs_run_bins(run);
}

#endif

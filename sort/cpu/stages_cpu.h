/* stages_cpu.h -- what the CPU's stages share besides struct gs_run.
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
#ifndef GS_STAGES_CPU_H
#define GS_STAGES_CPU_H

#include "sort/keys/key_runs.h"
#include "sort/run/stages.h"

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

/* A bin or a part of one, which one thread sorts at once. Its run in chunk c is [starts[c *
 * stride], starts[c * stride + 1]) of that chunk. */
struct gs_piece {
    const uint32_t *starts;
    uint32_t stride;
    gs_key low, high; /* bounds of its keys; equal: no sort needed, and maybe not in the copy */
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

/* The calling thread's number in its team, and its part of the scratch memory, or NULL if there is
 * none. */
unsigned gs_cpu_thread(void);
gs_key *gs_cpu_scratch(const struct gs_run *run);

/* Allocate the scratch memory of all threads, with the room for bin numbers behind it in a direct
 * sort, unless that was done. Safe to call from a parallel region. */
enum gs_status gs_map_scratch_cpu(struct gs_run *run, struct gs_error *err);

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

/* To be called before the sample is drawn, which page-faults the input: if two or three threads
 * will distribute keys within the sink's memory, let a thread create its pages meanwhile. Two
 * threads that both create pages wait for the memory, and are no faster than one. */
void gs_expect_output_cpu(struct gs_run *run);

/* To be called before keys are distributed: map the sink as memory, if it can be and that pays. */
enum gs_status gs_map_output_cpu(struct gs_run *run, struct gs_error *err);

/* If plan->direct, when all chunks are counted: move all keys to their bins. From then on all is as
 * if the input were one chunk. */
void gs_place_keys_cpu(struct gs_run *run);

/* When all chunks are scattered: fill run->counts and run->offsets. */
void gs_total_bins_cpu(struct gs_run *run);

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

/* The runs of a piece. */
static inline struct gs_key_runs gs_piece_runs(const struct gs_run *run,
                                               const struct gs_piece *piece)
{
    const struct gs_cpu *cpu = run->device;
    return (struct gs_key_runs){.keys = cpu->keys,
                                .starts = piece->starts,
                                .chunks = cpu->chunks,
                                .chunk_keys = cpu->chunk_keys,
                                .stride = piece->stride};
}

/* The input is one bin: sort it without a distribution pass. */
enum gs_status gs_sort_one_bin_cpu(struct gs_run *run, struct gs_error *err);

/* Work of one thread while pieces are sorted and emitted. */
struct gs_work {
    uint64_t sort_ns;
    uint64_t write_ns;
    uint64_t keys_in;
    uint64_t keys_out;
};

/* Emit sorted keys as piece `number`, and add that to *work. planned is the piece's position if no
 * duplicates are dropped. */
enum gs_status gs_work_emit(struct gs_run *run, uint64_t number, const gs_key *keys, uint64_t count,
                            uint64_t planned, struct gs_work *work);

/* Gather a piece in `to`, sort it with the thread's scratch memory and emit it as piece `number`.
 * to has room for the piece, and may be its place in the sink's memory. */
enum gs_status gs_finish_piece_cpu(struct gs_run *run, const struct gs_piece *piece,
                                   uint64_t number, gs_key *to, gs_key *scratch,
                                   struct gs_work *work);

/* Fail with GS_ERR_INPUT, from any thread: the input has changed during the sort. */
enum gs_status gs_work_fail_changed(struct gs_run *run);

/* Book the work of one of `threads` parallel threads. Safe to call from a parallel region. */
void gs_work_account(struct gs_run *run, const struct gs_work *work, unsigned threads);

#endif

/* stages_cpu.h -- what the CPU's stages share besides struct gs_run.
 * SPDX-License-Identifier: MIT
 *
 * A thread takes a chunk that fits its cache, orders it by bin there and leaves it in the scattered
 * copy at the place that it has in the input, so no chunk waits for what others counted:
 *
 *   input    | chunk 0     | chunk 1     | ...
 *   copy     |0|1|2|..|k   |0|1|2|..|k   | ...     runs: the keys of one bin in one chunk
 *   output   | bin 0 | bin 1 | ...                  a bin is gathered from its runs to be sorted
 *
 * Of few keys (plan->direct) there is no such copy: all chunks are counted, then each key goes to
 * its place in its bin, where the bin is sorted: in the sink's memory, if it has any. And where
 * there is that for many keys, the copy lies in it (regions.h).
 */
#ifndef GS_STAGES_CPU_H
#define GS_STAGES_CPU_H

#include "sort/key_runs.h"
#include "sort/stages.h"

struct gs_cpu {
    uint64_t chunks;
    uint64_t chunk_keys; /* of each chunk but the last */
    uint32_t stride;     /* entries of starts for a chunk */
    uint32_t *starts; /* [chunk][stride]: where the run of each bin starts in its chunk; [bins] is
                       * the chunk's keys. Between count bins and prefix sum: the runs' lengths */
    size_t starts_bytes;
    gs_key *keys; /* the scattered copy, chunk c from c * chunk_keys on; or all keys of one bin */
    size_t keys_bytes; /* of keys if owned, 0 if it is the sink's memory */
    gs_key *scratch;   /* [thread][plan->scratch_keys]; NULL: of a direct sort whose count bins has
                        * found no chunk that needs it, as one of a few values does not where
                        * gs_copies_in_place */
    size_t scratch_bytes;
    bool moves_equal; /* scatter moves keys of equality bins, too, even if there are no others */
    /* Only if plan->direct: */
    uint16_t **chunk_bins; /* the bins of each chunk's keys; NULL: none of them is moved */
    uint16_t *bins;        /* where they are, if not in a thread's scratch */
};

/* A bin or a part of one: what a thread sorts at once. Its run in chunk c is
 * [starts[c * stride], starts[c * stride + 1]) of that chunk. */
struct gs_piece {
    const uint32_t *starts;
    uint32_t stride;
    gs_key low, high; /* bounds of its keys; equal ones need no sort, and may not be in the copy */
    uint64_t count;
    uint64_t offset; /* its place in the output, as long as no duplicates are dropped */
};

/* All pieces of a sort, in ascending order of their keys, none of them empty. */
struct gs_pieces {
    struct gs_piece *list;
    uint64_t count, room;
    uint64_t largest;  /* keys in the largest that has to be sorted */
    uint32_t **tables; /* starts of pieces that are parts of bins; owned */
    size_t table_count;
};

/* The calling thread's number in its team, and its part of the scratch memory, NULL where there is
 * none. */
unsigned gs_cpu_thread(void);
gs_key *gs_cpu_scratch(const struct gs_run *run);

/* Map the scratch memory of all threads, and of a direct sort the room for bins behind it, if that
 * was not done. Safe from a parallel region. */
enum gs_status gs_map_scratch_cpu(struct gs_run *run, struct gs_error *err);

/* Are copies of a key written where they will lie in the sink's memory? Else sort bins makes them
 * in scratch memory, which count bins has to see to. */
static inline bool gs_copies_in_place(const struct gs_run *run)
{
    return run->emitter.sink->memory != NULL && !run->options->unique;
}

/* The keys of a chunk in the scattered copy. */
static inline gs_key *gs_cpu_chunk(const struct gs_cpu *cpu, uint64_t chunk)
{
    return cpu->keys + chunk * cpu->chunk_keys;
}

/* The tables of a chunk, if plan->direct, and behind them the places of its runs:
 * [GS_CHUNK_TABLES + 1][bins]. */
static inline uint32_t *gs_cpu_tables(const struct gs_run *run, uint64_t chunk)
{
    const struct gs_cpu *cpu = run->device;
    return cpu->starts + cpu->stride + chunk * (GS_CHUNK_TABLES + 1) * gs_run_bins(run);
}

/* A sample is about to be drawn, which maps the input: where a few threads will distribute keys in
 * the sink's memory, of two one makes its pages meanwhile. Two that both make pages wait for the
 * memory, and take no less time than one. */
void gs_expect_output_cpu(struct gs_run *run);

/* Keys are about to be distributed: have the sink become memory, where it can and that pays. */
enum gs_status gs_map_output_cpu(struct gs_run *run, struct gs_error *err);

/* When all chunks are counted, if plan->direct: move all keys to their bins. As if the input had
 * been one chunk, from then on. */
void gs_place_keys_cpu(struct gs_run *run);

/* When all chunks are scattered: fill run->counts and run->offsets. */
void gs_total_bins_cpu(struct gs_run *run);

/* Make pieces of the bins: a bin of more than plan->bin_keys_max keys is split by its highest
 * varying bits, in its runs, as long as they are long enough. Free in any case. */
enum gs_status gs_split_bins_cpu(struct gs_run *run, struct gs_pieces *pieces,
                                 struct gs_error *err);
void gs_pieces_free(struct gs_pieces *pieces);

/* The piece that is number i in the order of the output. */
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

/* What one thread did while pieces were handed out. */
struct gs_work {
    uint64_t sort_ns;
    uint64_t write_ns;
    uint64_t keys_in;
    uint64_t keys_out;
};

/* Hand out sorted keys as piece number `number`, and account for them. */
enum gs_status gs_work_emit(struct gs_run *run, uint64_t number, const gs_key *keys, uint64_t count,
                            uint64_t planned, struct gs_work *work);

/* Gather a piece to `to`, sort it with the thread's scratch and hand it out as number `number`. to
 * has room for the piece; it may be the piece's place in the sink's memory. */
enum gs_status gs_finish_piece_cpu(struct gs_run *run, const struct gs_piece *piece,
                                   uint64_t number, gs_key *to, gs_key *scratch,
                                   struct gs_work *work);

/* Fail, from any thread: somebody writes to the input. */
enum gs_status gs_work_fail_changed(struct gs_run *run);

/* Put one thread's work on the books; threads worked side by side. Safe from a parallel region. */
void gs_work_account(struct gs_run *run, const struct gs_work *work, unsigned threads);

#endif

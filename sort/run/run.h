/* run.h -- one sort under way: what its stages share, and what is booked on them.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RUN_H
#define GS_RUN_H

#include "sort/keys/rows.h"
#include "sort/keys/tiles.h"
#include "sort/run/emit.h"
#include "sort/run/plan.h"
#include "sort/split/splitters.h"
#include "sort/types/types.h"

struct gs_binned;
struct gs_cpu;
struct gs_gpu;

/* Keys of the input that lie in rows ordered by bin, from its beginning: its first chunks, ordered
 * in its own memory while the keys were read (incoming.h). */
struct gs_arrived {
    struct gs_rows
        rows; /* keys is NULL: there are none. starts are owned, until open takes them; */
    size_t starts_bytes; /* they have room for all keys of the input */
    uint64_t count;      /* keys that lie there */
};

struct gs_run {
    const struct gs_options *options;
    struct gs_plan plan;
    struct gs_last_key *last;      /* of the output that this one continues, as a part of a larger
                                    * sort whose spans have keys, whatever options say; or NULL */
    struct gs_tiles tiles;         /* the input: its spans, cut into tiles */
    struct gs_splitters splitters; /* filled before the device's first stage */
    unsigned loose_bits;           /* keys that agree above so many lowest bits share a bin */
    uint64_t *counts;              /* per bin: its keys in the sample, later in the whole input */
    uint64_t *offsets;             /* per bin: where it starts in the output */
    struct gs_emitter emitter;
    struct gs_progress *progress; /* never NULL here */
    struct gs_stats *stats;       /* never NULL here */
    uint64_t fingerprint;         /* of the keys read by count_bins (options->verify) */
    struct gs_cpu *cpu;           /* state of the CPU's stages, from open to close, */
    struct gs_gpu *gpu;           /* and of the GPU's */
    struct gs_arrived arrived;    /* work done before, such as while the keys were read */
    struct gs_binned *binned;     /* more of it, if the CPU sorts (binned.h); or NULL */
    bool refused;                 /* the sample does not suit the stages: nothing has been sorted */
    bool keeps_most; /* the output will be about as long as the input: duplicates stay, or are few;
                      * also false where the sink has no use for the answer */
};

/* Keys of the input that pass through count_bins, prefix_sum and scatter together: as many as fit a
 * CPU's cache, or as cross the bus to a GPU at a time. */
struct gs_chunk {
    uint64_t index;
    uint64_t first; /* position in the concatenated spans */
    uint64_t count;
};

/* Number of bins: splitters + 1. */
static inline uint32_t gs_run_bins(const struct gs_run *run)
{
    return run->splitters.count + 1;
}

/* The bin at index i in output order. */
static inline uint32_t gs_run_bin_at(const struct gs_run *run, uint32_t i)
{
    return run->options->reverse ? run->splitters.count - i : i;
}

/* Take as many bins as have at most `most` keys together, but at least one that has any, from
 * number *next of the output's order on, and move *next past them: bins *low to *high. Returns
 * their number of keys; 0: no bin is left that has any. */
uint64_t gs_run_take_bins(const struct gs_run *run, uint32_t *next, uint64_t most, uint32_t *low,
                          uint32_t *high);

/* Book time, keys and bytes on a stage. For work of parallel threads, ns is the sum of their times
 * divided by their number. The work is taken to end now and to begin ns ago, or with its stage. */
void gs_run_account(struct gs_run *run, enum gs_stage stage, enum gs_device device, uint64_t ns,
                    uint64_t keys, uint64_t bytes);

/* Book keys and bytes only. */
void gs_run_add(struct gs_run *run, enum gs_stage stage, uint64_t keys, uint64_t bytes);

/* Book time alone, of work that began and ended at the given times of gs_now_ns. */
void gs_run_account_at(struct gs_run *run, enum gs_stage stage, enum gs_device device, uint64_t ns,
                       uint64_t begin_ns, uint64_t end_ns);

/* Note in run->stats what is known once the last stage has ended: keys, fingerprint, threads. */
void gs_run_describe(struct gs_run *run);

/* Note in run->stats number and sizes of the bins, once run->counts has all keys. */
void gs_run_describe_bins(struct gs_run *run);

/* Note that a stage begins now, unless it has begun before. */
void gs_run_begin(struct gs_run *run, enum gs_stage stage);

/* Enter a phase, for progress, and note that its stage begins. */
void gs_run_phase(struct gs_run *run, enum gs_stage stage, uint64_t total);

/* An exclusive scan: offsets[b] = sum of the counts of all bins before b in output order. */
void gs_prefix_sum_scan(const uint64_t *counts, uint64_t *offsets, uint32_t bins, bool reverse);

#endif

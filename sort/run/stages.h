/* stages.h -- what the stages of one sort share, and the table that a device fills.
 * SPDX-License-Identifier: MIT
 *
 * pipeline.c is written once over struct gs_stages. For both devices the host draws and sorts the
 * sample before any key is uploaded. Then count_bins, prefix_sum and scatter run for each chunk of
 * the input, and finally sort_bins, which hands sorted bins to the emitter in output order. A stage
 * may return before its work is done (a GPU queues it), as long as the next stage of the table sees
 * its result.
 */
#ifndef GS_STAGES_H
#define GS_STAGES_H

#include "sort/run/emit.h"
#include "sort/gsort.h"
#include "sort/run/plan.h"
#include "sort/split/splitters.h"
#include "sort/keys/tiles.h"

struct gs_run {
    const struct gs_options *options;
    struct gs_plan plan;
    struct gs_tiles tiles;         /* the input: its spans, cut into tiles */
    struct gs_splitters splitters; /* filled before the device's first stage */
    uint64_t *counts;              /* per bin: its keys in the whole input */
    uint64_t *offsets;             /* per bin: where it starts in the output */
    struct gs_emitter emitter;
    struct gs_progress *progress; /* never NULL here */
    struct gs_stats *stats;       /* never NULL here */
    uint64_t fingerprint;         /* of the keys read by count_bins (options->verify) */
    void *device;                 /* the device's own state, from open to close */
    struct gs_incoming *incoming; /* work done while the keys were read, or NULL (incoming.h) */
    gs_key *mapped;               /* what sink->map() returned if it was called before the sample
                                   * was drawn: a thread then creates its pages; else NULL */
    bool asked_map;               /* it was called then */
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

struct gs_stages {
    const char *device;         /* where bins are sorted */
    const char *scatter_device; /* where keys are counted and scattered */
    bool chunks_side_by_side;   /* CPU threads take chunks in parallel; else one after the other */
    bool accounts; /* the device books its own times: the host's would be those of the queueing */
    /* Fails if the device cannot be used; NULL: it always can. For a device that the user asked for
     * but that turns out not to be needed: its failure is reported all the same. */
    enum gs_status (*ready)(struct gs_run *run, struct gs_error *err);
    /* Allocate buffers and start threads for run->plan and run->splitters; sets *chunk_keys to the
     * largest chunk the device takes. */
    enum gs_status (*open)(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err);
    enum gs_status (*count_bins)(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err);
    enum gs_status (*prefix_sum)(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err);
    enum gs_status (*scatter)(struct gs_run *run, const struct gs_chunk *chunk,
                              struct gs_error *err);
    enum gs_status (*sort_bins)(struct gs_run *run, struct gs_error *err);
    void (*close)(struct gs_run *run); /* also after a failed open */
};

extern const struct gs_stages gs_stages_cpu;

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

/* Book time, keys and bytes on a stage. For work of parallel threads, ns is the sum of their times
 * divided by their number. The work is taken to end now and to begin ns ago, or with its stage. */
void gs_run_account(struct gs_run *run, enum gs_stage stage, const char *device, uint64_t ns,
                    uint64_t keys, uint64_t bytes);

/* Book keys and bytes only. */
void gs_run_add(struct gs_run *run, enum gs_stage stage, uint64_t keys, uint64_t bytes);

/* Book time alone, of work that began and ended at the given times of gs_now_ns. */
void gs_run_account_at(struct gs_run *run, enum gs_stage stage, const char *device, uint64_t ns,
                       uint64_t begin_ns, uint64_t end_ns);

/* Note in run->stats what is known once the last stage has ended: keys, fingerprint, threads. */
void gs_run_describe(struct gs_run *run);

/* Note that a stage begins now, unless it has begun before. */
void gs_run_begin(struct gs_run *run, enum gs_stage stage);

/* Enter a phase, for progress, and note that its stage begins. */
void gs_run_phase(struct gs_run *run, enum gs_stage stage, uint64_t total);

#endif

/* stages.h -- what the stages of one sort share, and the table that a device fills.
 * SPDX-License-Identifier: MIT
 *
 * pipeline.c is written once over struct gs_stages. Samples are selected and sorted on the host for
 * both devices, before any key is uploaded; then for each chunk of the input count_bins, prefix_sum
 * and scatter run, and at last sort_bins, which hands sorted bins to the emitter in the order of
 * the output. A stage may return before its work is done (a GPU queues it), as long as the next
 * stage of the table sees its result.
 */
#ifndef GS_STAGES_H
#define GS_STAGES_H

#include "sort/emit.h"
#include "sort/gsort.h"
#include "sort/plan.h"
#include "sort/splitters.h"
#include "sort/tiles.h"

struct gs_run {
    const struct gs_options *options;
    struct gs_plan plan;
    struct gs_tiles tiles;         /* the input: spans, cut into tiles */
    struct gs_splitters splitters; /* filled before the device's first stage */
    uint64_t *counts;              /* per bin: its keys in the whole input */
    uint64_t *offsets;             /* per bin: where it starts in the output */
    struct gs_emitter emitter;
    struct gs_progress *progress; /* never NULL here */
    struct gs_stats *stats;       /* never NULL here */
    uint64_t fingerprint;         /* of the keys read by count_bins (options->verify) */
    void *device;                 /* the device's own state, from open to close */
    struct gs_incoming *incoming; /* what was done while the keys came in, or NULL (incoming.h) */
    gs_key *mapped;               /* the sink's answer before the sample was drawn: then a thread
                                   * makes its pages meanwhile; or NULL */
    bool asked_map;               /* it was asked then */
    bool keeps_most; /* output and input are about as long: duplicates stay, or are few; false also
                      * where the sink has no use for the answer */
};

/* Keys of the input that pass through count_bins, prefix_sum and scatter together: what a CPU's
 * cache holds, or what crosses the bus to a GPU at a time. */
struct gs_chunk {
    uint64_t index;
    uint64_t first; /* position in the concatenated spans */
    uint64_t count;
};

struct gs_stages {
    const char *device;         /* where bins are sorted */
    const char *scatter_device; /* where keys are counted and scattered */
    bool chunks_side_by_side;   /* by the CPU's threads; else one chunk after the other */
    bool accounts; /* it books its stages' times itself: the host's clock would see them queued */
    /* Fails where the device cannot be used; NULL: it always can. For a device that was asked for
     * and then is not needed: the user is told all the same. */
    enum gs_status (*ready)(struct gs_run *run, struct gs_error *err);
    /* Buffers and threads for run->plan and run->splitters; sets *chunk_keys to the largest chunk
     * it wants. */
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

/* Bins of a run: splitters + 1. */
static inline uint32_t gs_run_bins(const struct gs_run *run)
{
    return run->splitters.count + 1;
}

/* The bin that is number i in the order of the output. */
static inline uint32_t gs_run_bin_at(const struct gs_run *run, uint32_t i)
{
    return run->options->reverse ? run->splitters.count - i : i;
}

/* Account time and keys to a stage. Of what threads do side by side, ns is the sum of their times
 * divided by their number. */
void gs_run_account(struct gs_run *run, enum gs_stage stage, const char *device, uint64_t ns,
                    uint64_t keys, uint64_t bytes);

/* Account keys and bytes alone. */
void gs_run_add(struct gs_run *run, enum gs_stage stage, uint64_t keys, uint64_t bytes);

/* Account for time that began and ended then, by gs_now_ns: gs_run_account takes it that it ends
 * now and began `ns` ago, or when its stage did. */
void gs_run_account_at(struct gs_run *run, enum gs_stage stage, const char *device, uint64_t ns,
                       uint64_t begin_ns, uint64_t end_ns);

/* Note in run->stats what is known when its last stage has ended: keys, fingerprint, threads. */
void gs_run_describe(struct gs_run *run);

/* A stage begins now, if it has not begun before. */
void gs_run_begin(struct gs_run *run, enum gs_stage stage);

/* Say which phase runs, for progress, and that its stage begins. */
void gs_run_phase(struct gs_run *run, enum gs_stage stage, uint64_t total);

#endif

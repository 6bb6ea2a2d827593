/* stages.h -- the table of stages that a device fills.
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

#include "sort/run/run.h"

struct gs_stages {
    enum gs_device device;         /* where bins are sorted */
    enum gs_device scatter_device; /* where keys are counted and scattered */
    bool chunks_side_by_side; /* CPU threads take chunks in parallel; else one after the other */
    bool accounts; /* the device books its own times: the host's would be those of the queueing */
    bool forgets_input;  /* keys in their bins are not read again: the sink is told so */
    bool has_other_ways; /* the CPU's ways to sort without bins come before it (pipeline.c) */
    bool bins_only;      /* no way comes before it: keys only stand for what is sorted */
    /* Adapt a plan to the device; NULL: it stays. */
    void (*plan)(struct gs_plan *plan, const struct gs_options *options);
    /* By its sorted sample, is a run for these stages? If not, it ends as refused. NULL: it is. */
    bool (*suits)(struct gs_run *run, const gs_key *sample);
    /* Before keys are distributed: what the sink can be told then, or used for. NULL: nothing. */
    enum gs_status (*map_output)(struct gs_run *run, struct gs_error *err);
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

#endif

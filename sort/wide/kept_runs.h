/* kept_runs.h -- which runs are complete on disk, for another process to go on from there.
 * SPDX-License-Identifier: MIT
 *
 * The journal has an entry for each run. Before a run is used, it and its part of the input are
 * read again and compared with their checksums: the order of the input counts for some, and
 * duplicates may be missing, so that the run alone does not tell what it was made of.
 */
#ifndef GS_KEPT_RUNS_H
#define GS_KEPT_RUNS_H

#include "sort/wide/slices.h"

/* What a run's entry says. */
struct gs_kept_run {
    uint64_t done;        /* records of the input in this and all earlier runs, */
    uint64_t fingerprint; /* and that of those that they hold */
    uint64_t input;       /* gs_run_checksum of this run's part of the input, */
    uint64_t checksum;    /* and of its own records, */
    uint64_t count;       /* and how many these are */
    struct gs_spill_mark mark;
};

/* The checksum of records with the numbers [first, first + count): those of parts add up. */
uint64_t gs_run_checksum(const void *records, uint64_t record_bytes, uint64_t first,
                         uint64_t count);

/* The checksum of all records of the spans. */
enum gs_status gs_kept_runs_sum(const struct gs_span *spans, size_t span_count,
                                uint64_t record_bytes, unsigned threads, uint64_t *checksum,
                                struct gs_error *err);

/* Add the runs that another process has left complete, of an input of records of `record_bytes`;
 * the last of them, or zeros, is *last. */
enum gs_status gs_kept_runs_take(struct gs_slices *slices, uint64_t record_bytes,
                                 struct gs_kept_run *last, struct gs_error *err);

/* The run that was added last is complete; its count and mark are filled in. */
enum gs_status gs_kept_runs_add(const struct gs_slices *slices, struct gs_kept_run run,
                                struct gs_error *err);

#endif

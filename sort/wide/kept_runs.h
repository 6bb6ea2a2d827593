/* kept_runs.h -- which runs are complete on disk, for another process to go on from there.
 * SPDX-License-Identifier: MIT
 *
 * The journal has an entry for each run. Runs are read again and compared with their checksums
 * before they are used.
 */
#ifndef GS_KEPT_RUNS_H
#define GS_KEPT_RUNS_H

#include "sort/wide/slices.h"

/* What a run's entry says. */
struct gs_kept_run {
    uint64_t done;        /* records of the input in this and all earlier runs, */
    uint64_t fingerprint; /* and their fingerprint, under verify */
    uint64_t count;       /* records in this run */
    uint64_t checksum;    /* the sum of gs_run_checksum over all of them */
    struct gs_place place;
};

/* The checksum of records [first, first + count) of a run. */
uint64_t gs_run_checksum(const void *records, uint64_t record_bytes, uint64_t first,
                         uint64_t count);

/* Add the runs that another process has left complete, of an input of `count` records; the last of
 * them, or zeros, is *last. */
enum gs_status gs_kept_runs_take(struct gs_slices *slices, uint64_t count, struct gs_kept_run *last,
                                 struct gs_error *err);

/* The run that was added last is complete; its count and place are filled in. */
enum gs_status gs_kept_runs_add(const struct gs_slices *slices, struct gs_kept_run run,
                                struct gs_error *err);

#endif

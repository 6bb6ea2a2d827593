/* slices.h -- sorted runs in temporary files, and slices of all of them.
 * SPDX-License-Identifier: MIT
 *
 *   run 0   |  |   |     |  |        a sample of each run is kept in memory; all samples
 *   run 1   | |     |  |    |        together cut every run in the same places of the order;
 *   run 2   |   | |    |   |         slice i is what lies between two cuts, of all runs
 *
 * Samples are s records of each run, evenly spaced, so between two neighbours of all samples lies
 * at most 1/s of each run, besides records that are equal to the first. [Li, Sevcik: Parallel
 * sorting by overpartitioning, 1994; regular sampling: Shi, Schaeffer, 1992]
 */
#ifndef GS_SLICES_H
#define GS_SLICES_H

#include "sort/types/record_order.h"
#include "common/files/spill.h"
#include "sort/types/external_source.h"

/* A run: a sorted chunk. */
struct gs_sorted_run {
    struct gs_place place;
    uint64_t count;
    uint64_t end;        /* of what lies in slices given out so far */
    size_t first_sample; /* in slices->samples; sample i is record i * step */
    size_t sample_count;
    uint64_t step;
};

/* The part of each run that belongs to a slice. */
struct gs_slice {
    uint64_t count;        /* records in all parts */
    bool equal;            /* they, or under unique or stable their keys, are */
    uint64_t *first, *end; /* [runs] */
};

struct gs_slices {
    const struct gs_options *options;
    const struct gs_external *source;
    struct gs_journal *journal; /* of the runs that are complete, or NULL */
    struct gs_spill spill;
    struct gs_sorted_run *runs;
    size_t run_count, run_room;
    uint64_t samples_each; /* of a run */
    char *samples;         /* records, run after run */
    size_t sample_count, sample_room;
    const char **cuts; /* all samples, in order */
    size_t next;       /* the cut of the next slice is this one or a later one */
    uint64_t most;     /* records in a slice */
};

/* Nothing is created yet. Close with gs_slices_close, also after a failure. */
enum gs_status gs_slices_open(struct gs_slices *slices, const struct gs_options *options,
                              const struct gs_external *source, uint64_t samples_each,
                              struct gs_error *err);
void gs_slices_close(struct gs_slices *slices);

/* Is there room for `count` records in temporary files? */
enum gs_status gs_slices_check(struct gs_slices *slices, uint64_t count, struct gs_error *err);

/* Begin a run of at most `count` records, to be written at *place; then tell how many they are, and
 * draw its sample. */
enum gs_status gs_slices_add(struct gs_slices *slices, uint64_t count,
                             const struct gs_place **place, struct gs_error *err);
enum gs_status gs_slices_sample(struct gs_slices *slices, uint64_t count, struct gs_error *err);

/* Add a run that another process has written, and draw its sample. */
enum gs_status gs_slices_adopt(struct gs_slices *slices, const struct gs_place *place,
                               uint64_t count, struct gs_error *err);

/* When all runs are there: slices of at most `most` records. */
enum gs_status gs_slices_begin(struct gs_slices *slices, uint64_t most, struct gs_error *err);

/* The next slice, which the caller frees in the end; slice->count is 0 behind the last one, and
 * above `most` hardly ever unless the records are equal. */
enum gs_status gs_slices_next(struct gs_slices *slices, struct gs_slice *slice,
                              struct gs_error *err);
void gs_slice_free(struct gs_slice *slice);

/* Records [skip, skip + count) of a slice, run after run, as a slice that the caller frees. */
enum gs_status gs_slices_part(const struct gs_slices *slices, const struct gs_slice *slice,
                              uint64_t skip, uint64_t count, struct gs_slice *part,
                              struct gs_error *err);

/* Read the records of a slice, run after run. */
enum gs_status gs_slices_load(const struct gs_slices *slices, const struct gs_slice *slice,
                              char *to, struct gs_error *err);

#endif

/* record_cut.h -- cut inputs of sorted records at common places into segments, one after another.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RECORD_CUT_H
#define GS_RECORD_CUT_H

#include "sort/types/record_order.h"
#include "sort/merge/merge_cut.h"

/* The state of cutting: how far the inputs are cut. */
struct gs_record_cut {
    const struct gs_span *spans;
    size_t span_count;
    struct gs_record_order order; /* under unique by keys alone, so that equal ones stay together */
    bool reverse, unique;
    uint64_t *taken;   /* [span_count]: records cut off each span */
    size_t *active;    /* spans with records left, ... */
    size_t actives;    /* ... and their number */
    uint64_t *counts;  /* [actives]: each one's records in the segment being cut */
    uint64_t room;     /* records that a segment may have, at least 2 * span_count */
    uint64_t look;     /* how far the last segment looked ahead in each span */
    uint64_t position; /* records in all segments so far */
    uint64_t segments; /* segments cut so far */
    char *bound;       /* a copy of the record at which the last one was cut off, if bounded; */
    bool bounded;      /* under unique it, and those of the same keys, are behind the cut or, */
    bool closed;       /* if closed, before it */
};

/* Bytes that a gs_record_cut takes for each span. */
#define GS_RECORD_CUT_BYTES (2 * sizeof(uint64_t) + sizeof(size_t))

struct gs_record_segment {
    struct gs_part *parts; /* the caller's array, of span_count parts */
    size_t part_count;
    uint64_t count;    /* records in all parts */
    uint64_t position; /* records in all segments before */
    uint64_t index;    /* number of this segment */
    /* Copies of the records at which it was cut off, [0] from those before and [1] from those
     * behind, as in struct gs_record_cut: what somebody writes to the inputs does not move them. */
    struct gs_record_bound {
        char *record; /* the caller's memory for one */
        bool exists, closed;
    } bounds[2];
};

/* Open a cut of the spans, which must outlive it. Segments get up to max(room, 2 * span_count)
 * records; only one of equal keys, under unique, may get more. Call gs_record_cut_close even after
 * GS_ERR_MEMORY. */
enum gs_status gs_record_cut_open(struct gs_record_cut *cut, const struct gs_options *options,
                                  const struct gs_span *spans, size_t span_count, uint64_t room,
                                  struct gs_error *err);
void gs_record_cut_close(struct gs_record_cut *cut);

/* Cut the next segment; not after the end. If the spans are in order, its records come before all
 * that are left, those of an earlier span before equal ones of a later, and under unique no two
 * segments share a key. In any case the parts are consecutive in each span, and ascending by
 * span. */
void gs_record_cut_next(struct gs_record_cut *cut, struct gs_record_segment *segment);

/* Do records that begin and end with these lie within the bounds of a segment? */
bool gs_record_cut_holds(const struct gs_record_cut *cut, const struct gs_record_segment *segment,
                         const char *first, const char *last);

/* Has every record been cut off? */
static inline bool gs_record_cut_done(const struct gs_record_cut *cut)
{
    return cut->actives == 0;
}

#endif

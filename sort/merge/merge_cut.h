/* merge_cut.h -- cut sorted inputs at common places into segments, one after another.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MERGE_CUT_H
#define GS_MERGE_CUT_H

#include "sort/types/types.h"

/* The order of the inputs. */
struct gs_cut_order {
    size_t record_bytes;
    bool reverse, unique; /* unique: equal records stay in one segment */
    int (*compare)(const void *context, const void *a, const void *b); /* ascending, as memcmp */
    const void *context;
    const bool *backwards; /* [span_count]: spans whose last record comes first; NULL: none does */
};

/* The state of cutting: how far the inputs are cut. */
struct gs_cut {
    const struct gs_span *spans;
    size_t span_count;
    struct gs_cut_order order;
    uint64_t *taken;   /* [span_count]: records cut off each span */
    size_t *active;    /* spans with records left, ... */
    size_t actives;    /* ... and their number */
    uint64_t *counts;  /* [actives]: each one's records in the segment being cut, ... */
    uint64_t *trial;   /* ... and the same for a bound being tried */
    size_t *further;   /* spans whose records may be bounds further on */
    uint64_t room;     /* records that a segment may have, see gs_cut_room */
    uint64_t look;     /* how far the last segment looked ahead in each span */
    uint64_t position; /* records in all segments so far */
    uint64_t segments; /* segments cut so far */
    char *other;       /* memory for a bound that was, or will be */
    char *bound;       /* a copy of the record at which the last one was cut off, if bounded; */
    bool bounded;      /* under unique it, and those equal to it, are behind the cut or, */
    bool closed;       /* if closed, before it */
};

/* Where record i of a span lies: those of spans that are backwards are counted from the end. */
static inline uint64_t gs_cut_place(const struct gs_cut *cut, size_t span, uint64_t i)
{
    const bool *backwards = cut->order.backwards;
    return backwards != NULL && backwards[span] ? cut->spans[span].count - 1 - i : i;
}

/* Bytes that a gs_cut takes for each span. */
#define GS_CUT_SPAN_BYTES (3 * sizeof(uint64_t) + 2 * sizeof(size_t))

/* A span's part of a segment: records [first, first + count) of the span. */
struct gs_part {
    size_t span;
    uint64_t first;
    uint64_t count;
};

struct gs_segment {
    struct gs_part *parts; /* the caller's array, of span_count parts */
    size_t part_count;
    uint64_t count;    /* records in all parts */
    uint64_t position; /* records in all segments before */
    uint64_t index;    /* number of this segment */
    /* Copies of the records at which it was cut off, [0] from those before and [1] from those
     * behind, as in struct gs_cut: what somebody writes to the inputs does not move them. */
    struct gs_cut_bound {
        char *record; /* the caller's memory for one */
        bool exists, closed;
    } bounds[2];
};

/* Records that a segment of so many spans may have, if `room` are wanted. */
static inline uint64_t gs_cut_room(size_t span_count, uint64_t room)
{
    return room > 2 * span_count ? room : 2 * span_count;
}

/* Open a cut of the spans, which must outlive it, as what the order points to. Segments get up to
 * gs_cut_room() records; only one of equal ones, under unique, may get more. Call gs_cut_close even
 * after GS_ERR_MEMORY. */
enum gs_status gs_cut_open(struct gs_cut *cut, const struct gs_cut_order *order,
                           const struct gs_span *spans, size_t span_count, uint64_t room,
                           struct gs_error *err);
void gs_cut_close(struct gs_cut *cut);

/* Cut the next segment; not after the end. If the spans are in order, its records come before all
 * that are left, those of an earlier span before equal ones of a later, and under unique none
 * in two segments are equal. In any case the parts are consecutive in each span, and ascending by
 * span. No part: a span is out of order. */
void gs_cut_next(struct gs_cut *cut, struct gs_segment *segment);

/* Do records that begin and end with these lie within the bounds of a segment? */
bool gs_cut_holds(const struct gs_cut *cut, const struct gs_segment *segment, const void *first,
                  const void *last);

/* Has every record been cut off? */
static inline bool gs_cut_done(const struct gs_cut *cut)
{
    return cut->actives == 0;
}

#endif

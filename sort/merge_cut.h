/* merge_cut.h -- cut sorted inputs at common keys into segments, one after another.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MERGE_CUT_H
#define GS_MERGE_CUT_H

#include "sort/gsort.h"

/* How far the inputs are cut. */
struct gs_cut {
    const struct gs_span *spans;
    gs_key mask;       /* keys ^ mask ascend: 0, or all ones where the inputs descend */
    uint64_t *taken;   /* [span_count]: keys cut off each span */
    gs_key *heads;     /* [span_count]: (key ^ mask) of the first that is left */
    size_t *active;    /* spans with keys left, ... */
    size_t actives;    /* ... so many */
    uint64_t *below;   /* [actives]: keys of each for the segment being cut */
    uint64_t *trial;   /* [actives]: or perhaps so many */
    uint64_t width;    /* of the last segment that was hard to find: its limit less its floor */
    uint64_t room;     /* keys that a segment may have, at least span_count */
    uint64_t floor;    /* (key ^ mask) is at least that in what is left */
    uint64_t position; /* keys in all segments so far */
    uint64_t segments; /* so many */
};

/* What that takes for each span. */
#define GS_CUT_SPAN_BYTES (sizeof(gs_key) + sizeof(size_t) + 3 * sizeof(uint64_t))

/* A span's part of a segment. */
struct gs_part {
    size_t span;
    uint64_t first;
    uint64_t count;
};

struct gs_segment {
    struct gs_part *parts; /* the caller's array for span_count of them */
    size_t part_count;
    uint64_t count;    /* keys in all parts */
    uint64_t position; /* keys in all segments before */
    uint64_t index;    /* number of this segment */
    uint64_t floor;    /* (key ^ mask) of its keys is at least this, ... */
    uint64_t limit;    /* ... and below that, if the spans are in order and nobody writes to them */
    bool equal;        /* all keys are `key`; count may be more than room then */
    gs_key key;
};

/* Allocates; room is made at least span_count. */
enum gs_status gs_cut_open(struct gs_cut *cut, const struct gs_span *spans, size_t span_count,
                           bool reverse, uint64_t room, struct gs_error *err);
void gs_cut_close(struct gs_cut *cut);

/* Cut the next segment: all keys below a common one, and no equal keys in two segments, if the
 * spans are in order. Whether or not they are, parts follow on one another in each span, count is 0
 * only at the end, or if they are not in order, and a segment's floor is not below the limit of the
 * one before it: where each keeps to its own, all together are in order. */
void gs_cut_next(struct gs_cut *cut, struct gs_segment *segment);

/* Has every key been cut off? */
static inline bool gs_cut_done(const struct gs_cut *cut)
{
    return cut->actives == 0;
}

#endif

/* merge_cut.h -- cut sorted inputs at common keys into segments, one after another.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MERGE_CUT_H
#define GS_MERGE_CUT_H

#include "sort/keys/typed.h"
#include "sort/types/types.h"

/* The state of cutting: how far the inputs are cut. */
struct gs_cut {
    const struct gs_span *spans;
    const struct gs_codec *codec; /* of their records, or NULL */
    gs_key mask;                  /* keys ^ mask ascend: 0, or all ones where the inputs descend */
    uint64_t *taken;              /* [span_count]: keys cut off each span */
    gs_key *heads;                /* [span_count]: (key ^ mask) of the first that is left */
    size_t *active;               /* spans with keys left, ... */
    size_t actives;               /* ... and their number */
    uint64_t *below;              /* [actives]: each one's keys in the segment being cut */
    uint64_t *trial;              /* [actives]: the same for a limit being tried */
    gs_key width;                 /* last - floor of the last segment that had to be widened */
    uint64_t room;                /* keys that a segment may have, at least span_count */
    gs_key floor;                 /* (key ^ mask) of every key left is at least this */
    uint64_t position;            /* keys in all segments so far */
    uint64_t segments;            /* segments cut so far */
};

/* Bytes that a gs_cut takes for each span. */
#define GS_CUT_SPAN_BYTES (sizeof(gs_key) + sizeof(size_t) + 3 * sizeof(uint64_t))

/* A span's part of a segment: keys [first, first + count) of the span. */
struct gs_part {
    size_t span;
    uint64_t first;
    uint64_t count;
};

struct gs_segment {
    struct gs_part *parts; /* the caller's array, of span_count parts */
    size_t part_count;
    uint64_t count;    /* keys in all parts */
    uint64_t position; /* keys in all segments before */
    uint64_t index;    /* number of this segment */
    gs_key floor;      /* (key ^ mask) of its keys is at least this, ... */
    gs_key last; /* ... and at most that, if the spans are in order and nobody writes to them */
    bool equal;  /* all keys are `key`; count may be more than room then */
    gs_key key;
};

/* Open a cut of the spans, which must outlive it. Segments get up to max(room, span_count) keys;
 * only one of equal keys may get more. Call gs_cut_close even after GS_ERR_MEMORY. */
enum gs_status gs_cut_open(struct gs_cut *cut, const struct gs_codec *codec,
                           const struct gs_span *spans, size_t span_count, bool reverse,
                           uint64_t room, struct gs_error *err);
void gs_cut_close(struct gs_cut *cut);

/* Cut the next segment: all keys up to a common key. If the spans are in order, no two segments
 * share a key. In any case the parts are consecutive in each span, and a segment's floor is above
 * the last key of the one before: so if each segment's keys stay within its own floor and last key,
 * the whole output is in order. count is 0 only at the end, or if a span is out of order. */
void gs_cut_next(struct gs_cut *cut, struct gs_segment *segment);

/* Has every key been cut off? */
static inline bool gs_cut_done(const struct gs_cut *cut)
{
    return cut->actives == 0;
}

#endif

/* copy_ordered.h -- emit keys that are in order: ordered input, or keys that a GPU has sorted.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COPY_ORDERED_H
#define GS_COPY_ORDERED_H

#include "sort/run/stages.h"

struct gs_seam;

/* Keys of scratch in front of a piece, the last of which is for the key before it: a whole cache
 * line, so that the piece begins on a cache line, as its place in the output does. */
#define GS_ORDERED_LEAD 16

/* Keys in order, in any memory that fetch can copy from. */
struct gs_ordered {
    bool reversed; /* descending */
    bool scan;     /* check the order, and emit nothing */
    uint64_t count;
    /* Copy keys[first .. first + count) to host memory; called by several threads at once. */
    enum gs_status (*fetch)(void *context, unsigned thread, uint64_t first, uint64_t count,
                            gs_key *to, struct gs_error *err);
    void *context;
    const struct gs_error *disorder; /* the failure if they are not in order after all; NULL: not a
                                      * failure, `disordered` alone says so */
    enum gs_stage stage;             /* the row that fetching is booked in, */
    enum gs_device device;           /* and its device */
    uint64_t piece_keys;             /* keys fetched and written at a time */
    gs_key *scratch;                 /* [thread][scratch_keys], aligned to a cache line */
    size_t scratch_keys;             /* at least piece_keys + GS_ORDERED_LEAD */
    bool straight; /* fetch pieces straight to their places in the sink's memory: it must
                    * have memory, and all keys must be kept */
    unsigned threads;
    bool books_fetch;       /* book fetching as these threads' time; else fetch books it itself */
    struct gs_seam *seams;  /* gs_copy_ordered's own */
    uint64_t fingerprint;   /* out, of all keys fetched (options->verify) */
    atomic_bool disordered; /* out */
};

/* Copy the keys to the emitter, reversed if the output wants the other direction, and without
 * duplicates under options->unique. The order is checked on the very copy that is written. Fails
 * with ->disorder if keys are out of order, or if the key that two pieces share, which is fetched
 * for each of them, differs between the two. */
enum gs_status gs_copy_ordered(struct gs_run *run, struct gs_ordered *ordered,
                               struct gs_error *err);

#endif

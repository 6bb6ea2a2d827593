/* copy_ordered.h -- hand out keys that are in order: an input that was, or what a GPU has sorted.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COPY_ORDERED_H
#define GS_COPY_ORDERED_H

#include "sort/stages.h"

struct gs_seam;

/* Keys of scratch in front of a piece, the last of them the key before it: so a piece begins at a
 * cache line, as its place in the output does. */
#define GS_ORDERED_LEAD 16

/* n keys in order, somewhere. */
struct gs_ordered {
    bool reversed; /* descending */
    uint64_t count;
    uint64_t offset;      /* of the first in the output, unless duplicates are dropped */
    uint64_t first_piece; /* the number of its first piece among all of the output */
    /* Copy keys[first .. first + count) to host memory; called by several threads at once. */
    enum gs_status (*fetch)(void *context, unsigned thread, uint64_t first, uint64_t count,
                            gs_key *to, struct gs_error *err);
    void *context;
    const struct gs_error *disorder; /* the failure if they are not in order after all; NULL: that
                                      * is none, and `disordered` says it */
    enum gs_stage stage;             /* the row that fetching is booked in, */
    const char *device;              /* and its device */
    uint64_t piece_keys;             /* keys fetched and written at a time */
    gs_key *scratch;                 /* [thread][scratch_keys], at a cache line */
    size_t scratch_keys;             /* at least piece_keys + GS_ORDERED_LEAD */
    bool straight; /* pieces are fetched to their places in the sink's memory, which it
                    * must have, and all keys are kept */
    unsigned threads;
    bool books_fetch;       /* as the threads' own time; else who fetches books it */
    struct gs_seam *seams;  /* gs_copy_ordered's own */
    uint64_t fingerprint;   /* out, of all keys fetched (options->verify) */
    atomic_bool disordered; /* out */
};

/* The pieces that gs_copy_ordered makes. */
static inline uint64_t gs_ordered_pieces(const struct gs_ordered *ordered)
{
    return (ordered->count + ordered->piece_keys - 1) / ordered->piece_keys;
}

/* Copy the keys to the emitter: turned round where the output wants the other direction,
 * without duplicates under options->unique. What was fetched is checked and is what is written;
 * ->disorder where it is not in order, or where a key fetched twice, for two
 * pieces, was not the same. */
enum gs_status gs_copy_ordered(struct gs_run *run, struct gs_ordered *ordered,
                               struct gs_error *err);

/* The same for run's input itself, in host memory. disordered is NULL if it was in order when it
 * was scanned; else it is only thought to be, and *disordered is set if it is not: then the output
 * is still to be made. */
enum gs_status gs_copy_ordered_input(struct gs_run *run, bool reversed, bool *disordered,
                                     struct gs_error *err);

#endif

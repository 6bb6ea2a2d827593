/* external_source.h -- the input of an external sort, and the resources that it may use.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_SOURCE_H
#define GS_EXTERNAL_SOURCE_H

#include "sort/types/types.h"

#include "common/files/pace.h"

#include <sys/types.h>

struct gs_journal;
struct gs_spill_home;

/* How the sort will use keys of a span next. */
enum gs_use {
    GS_USE_RANDOM,   /* read a few of them, far from each other */
    GS_USE_LATER,    /* not soon: their pages may be dropped, their contents must stay */
    GS_USE_IN_ORDER, /* read all of them, in order */
    GS_USE_SOON,     /* read them next */
    GS_USE_DONE      /* never again: neither these nor the keys before them are needed */
};

/* Slots for each record that is combined. */
#define GS_COMBINING_SLOTS 3

/* How records of equal keys become one in temporary files. */
struct gs_combining {
    /* Those of `count` that are in input order, in place: returns how many remain, in the order of
     * the first of each key. slots: memory for GS_COMBINING_SLOTS each. From several threads. */
    uint64_t (*combine)(const void *context, void *records, uint64_t count, uint32_t *slots);
    const void *context;
    uint64_t keys; /* about so many will remain of the spans; UINT64_MAX: not known */
};

/* The input, and the resources that the sort may use. */
struct gs_external {
    const struct gs_span *spans; /* keys in memory: of mapped files, or read already */
    size_t span_count;
    /* Called to say how keys of one span will be used. May be NULL. */
    void (*advise)(void *context, enum gs_use use, const void *keys, uint64_t count);
    /* Read up to `room` keys that follow all spans; *got is 0 at the end only. NULL: none. */
    enum gs_status (*read)(void *context, void *to, uint64_t room, uint64_t *got,
                           struct gs_error *err);
    void *context;
    uint64_t memory_bytes;          /* buffers stay below this, mapped keys in use included */
    uint64_t held_bytes;            /* anonymous memory that the spans occupy: counts against
                                     * memory_bytes until GS_USE_DONE */
    const char *const *directories; /* for temporary files, used in turn */
    size_t directory_count;
    enum gs_direct direct;                /* write them past the page cache? */
    struct gs_journal *journal;           /* for another run to go on, or NULL; */
    const struct gs_spill_home *homes;    /* then the directories, open */
    const struct gs_combining *combining; /* or NULL: equal keys stay; not with a journal */
    dev_t output_device;                  /* the output's file system, */
    uint64_t output_bytes; /* and what is still to be written there: not for temporary files */
};

#endif

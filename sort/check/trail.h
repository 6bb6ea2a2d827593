/* trail.h -- what a stream was given: under --verify it is checked on the way, since it cannot be
 * read back.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TRAIL_H
#define GS_TRAIL_H

#include "sort/types/look.h"

struct gs_trail {
    const struct gs_options *options;
    gs_look_at *look;     /* NULL: nothing is checked */
    char *large;          /* the last record given, owned, if it is wider than an element, */
    char small[16];       /* else here */
    uint64_t fingerprint; /* of all that were given */
    struct gs_summary summary;
};

/* Open the trail of a sink; it checks only streams of records, under options->verify. It needs to
 * be closed, and may fail, only where records are wider than elements. */
enum gs_status gs_trail_open(struct gs_trail *trail, const struct gs_options *options,
                             gs_look_at *look, const struct gs_sink *sink, struct gs_error *err);
void gs_trail_close(struct gs_trail *trail);

/* Check the order of what the stream is about to get at `position`, and add it to the trail;
 * GS_ERR_VERIFY if it is out of order. Called in stream order, by one thread at a time. */
enum gs_status gs_trail_follow(struct gs_trail *trail, const void *records, uint64_t count,
                               uint64_t position, struct gs_error *err);

/* After the last write: GS_ERR_VERIFY unless the stream got records with this fingerprint. Makes
 * the summary of options->records, too. */
enum gs_status gs_trail_prove(const struct gs_trail *trail, uint64_t fingerprint,
                              struct gs_stats *stats, struct gs_error *err);

/* What messages call what is sorted. */
static inline const char *gs_noun(const struct gs_options *options)
{
    return options->records != NULL ? "record" : "key";
}

#endif

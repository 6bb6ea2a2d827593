/* trail.h -- what a stream of records was given: under --verify it is checked on the way.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TRAIL_H
#define GS_TRAIL_H

#include "sort/types/types.h"

struct gs_record_trail {
    const struct gs_options *options;
    char *last;           /* the last record given; owned. NULL: nothing is checked */
    uint64_t fingerprint; /* of all that were given */
    struct gs_summary summary;
};

/* Open the trail of a sink; it checks only streams, under options->verify, of records. */
enum gs_status gs_record_trail_open(struct gs_record_trail *trail, const struct gs_options *options,
                                    const struct gs_sink *sink, struct gs_error *err);
void gs_record_trail_close(struct gs_record_trail *trail);

/* Check the order of what the stream is about to get at `position`, and add it to the trail;
 * GS_ERR_VERIFY if it is out of order. Called in stream order, by one thread at a time. */
enum gs_status gs_record_trail_follow(struct gs_record_trail *trail, const char *records,
                                      uint64_t count, uint64_t position, struct gs_error *err);

/* After the last write: GS_ERR_VERIFY unless the stream got records with stats->fingerprint. Makes
 * the summary, too. */
enum gs_status gs_record_trail_prove(const struct gs_record_trail *trail, struct gs_stats *stats,
                                     struct gs_error *err);

#endif

/* trail.h -- --verify for records: what was read, and what a stream was given.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_TRAIL_H
#define GS_TRAIL_H

#include "sort/wide/wide.h"

/* The fingerprint of all input records. */
uint64_t gs_wide_fingerprint(struct gs_wide *wide);

/* Check the order of what the stream is about to get at `position`, and add it to the trail;
 * GS_ERR_VERIFY if it is out of order. Called in stream order, by one thread at a time. */
enum gs_status gs_wide_trail_follow(struct gs_wide *wide, const char *records, uint64_t count,
                                    uint64_t position, struct gs_error *err);

/* After the last write: GS_ERR_VERIFY unless the stream got the records that were read. */
enum gs_status gs_wide_prove(const struct gs_wide *wide, struct gs_error *err);

#endif

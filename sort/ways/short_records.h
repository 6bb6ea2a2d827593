/* short_records.h -- sort records of one or two bytes by counting how often each value occurs.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SHORT_RECORDS_H
#define GS_SHORT_RECORDS_H

#include "sort/run/run.h"

struct gs_tally;

/* Sort the input, if run->plan.counted; *sorted says whether. */
enum gs_status gs_sort_short_records(struct gs_run *run, bool *sorted, struct gs_error *err);

/* The same for records that come in parts, which need not stay: begin with a new tally (NULL: no
 * memory), count each part, and write all of them. */
struct gs_tally *gs_tally_new(void);
enum gs_status gs_tally_count(struct gs_run *run, struct gs_tally *tally, const void *records,
                              uint64_t count, struct gs_error *err);
enum gs_status gs_tally_write(struct gs_run *run, struct gs_tally *tally, struct gs_error *err);
void gs_tally_free(struct gs_tally *tally);

#endif

/* short_records.h -- sort records of one or two bytes by counting how often each value occurs.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SHORT_RECORDS_H
#define GS_SHORT_RECORDS_H

#include "sort/run/run.h"

/* Sort the input, if it has such records and more of them than one bin; *sorted says whether. */
enum gs_status gs_sort_short_records(struct gs_run *run, bool *sorted, struct gs_error *err);

#endif

/* records.h -- the table of calls for records that no element holds.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RECORDS_H
#define GS_RECORDS_H

#include "sort/types/calls.h"

/* For options->records, whose keys are ordered by gs_record_order. key_bytes is that of the tags.
 */
extern const struct gs_width gs_width_records;

#endif

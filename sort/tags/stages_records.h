/* stages_records.h -- the table of stages for records. Their run is that of a struct gs_wide.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STAGES_RECORDS_H
#define GS_STAGES_RECORDS_H

#include "sort/run/stages.h"
#include "sort/tags/wide.h"

extern const struct gs_stages gs_stages_records;

#endif

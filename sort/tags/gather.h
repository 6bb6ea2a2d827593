/* gather.h -- fetch the records of sorted tags.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GATHER_H
#define GS_GATHER_H

#include "sort/tags/wide.h"

/* Write what the sink gets for these tags, wide->output_bytes each: records, numbered ones, or
 * indices. */
void gs_gather(const struct gs_wide *wide, const gs_key *tags, uint64_t count, char *to);

#endif

/* gather.h -- fetch the records of sorted tags.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GATHER_H
#define GS_GATHER_H

#include "sort/tags/wide.h"

/* Write what the output has for these tags, gs_output_bytes() each: their records, or indices. */
void gs_gather(const struct gs_wide *wide, const gs_key *tags, uint64_t count, char *to);

#endif

/* gather.h -- fetch the records of sorted tags.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_GATHER_H
#define GS_GATHER_H

#include "sort/tags/wide.h"

/* Write what the sink gets for `count` tags of a bin, wide->output_bytes each: records, or
 * indices. What a record is after the one in front of `to`, with the tag in front of
 * `tags`, unless first. False: records are out of order, or in another bin: they have changed since
 * their tags were made. Indices were not read again. */
bool gs_gather(const struct gs_wide *wide, uint32_t bin, const gs_key *tags, uint64_t count,
               bool first, char *to);

#endif

/* sift_by.h -- records that may be among those wanted.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SIFT_BY_H
#define GS_SIFT_BY_H

#include "sort/types/types.h"

/* Which of `count` records, at most 2^32, may be in a part that is complete already, with `bound`
 * as its record next to the rest? They come later in the input than those of the part. Writes their
 * indices in ascending order to `kept`, which has room for all, and returns their number. A record
 * that is left out is not in the part; of those kept, some may not be either. */
typedef uint64_t gs_sift_by(const struct gs_options *options, enum gs_wanted_end end,
                            const void *bound, const void *records, uint64_t count, uint32_t *kept);

#endif

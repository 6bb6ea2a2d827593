/* look.h -- what records tell that come one after the other.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_LOOK_H
#define GS_LOOK_H

#include "sort/types/types.h"

struct gs_look {
    uint64_t bad;         /* the first that is out of order with its predecessor, or their number */
    uint64_t duplicates;  /* whose keys are those of the one before: of options->records only */
    uint64_t fingerprint; /* of all of them */
};

/* Look once at each of `count` records, by one thread. previous, if not NULL, is the one before the
 * first. options->reverse and ->unique define the order (unique: strict). Behind a disorder, the
 * rest of *look may be anything. */
typedef void gs_look_at(const struct gs_options *options, const void *records, uint64_t count,
                        const void *previous, struct gs_look *look);

#endif

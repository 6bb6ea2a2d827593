/* part.h -- a part of a larger sort of records.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PART_H
#define GS_PART_H

#include "sort/run/plan.h"

/* A part of a larger sort, all of which are planned once. */
struct gs_tag_part {
    bool takes_numbers; /* records have numbers (number.h), and the sink gets these as indices */
    uint64_t most;      /* records of any part */
    struct gs_plan plans[2]; /* of so many, by tags of 64 and of 128 bits; zeros: not made yet */
};

#endif

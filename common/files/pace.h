/* pace.h -- write a file through the page cache or past it, whichever is faster just now.
 * SPDX-License-Identifier: MIT
 *
 * The page cache is faster by far as long as its pages come at once. Not so where the host of a
 * virtual machine has taken them back, where a control group has none left, or where too many are
 * dirty and writers are made to wait. So each write is timed, and what has taken longer of late is
 * left alone for a while. Any number of threads may ask and book.
 */
#ifndef GS_PACE_H
#define GS_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Who chooses. */
enum gs_direct {
    GS_DIRECT_AUTO,   /* the pace of the writes */
    GS_DIRECT_ALWAYS, /* the user: past the page cache wherever that is possible */
    GS_DIRECT_NEVER
};

/* All zero: nothing is known yet, and writes go through the page cache. */
struct gs_pace {
    atomic_uint_fast64_t cached; /* picoseconds a byte of late, through the page cache */
    atomic_uint_fast64_t direct; /* past it; 0: not tried yet */
};

/* Should the next write go past the page cache, when it pays if it takes less than 1/gain of the
 * time? */
bool gs_pace_chooses_direct(struct gs_pace *pace, enum gs_direct direct, unsigned gain);

/* A write of `bytes` bytes took `ns`. */
void gs_pace_book(struct gs_pace *pace, bool direct, uint64_t bytes, uint64_t ns);

#endif

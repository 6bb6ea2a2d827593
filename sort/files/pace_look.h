/* pace_look.h -- how fast fresh memory and the inputs' disk are just now, by a short look.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PACE_LOOK_H
#define GS_PACE_LOOK_H

#include "common/files/input.h"

/* Seconds a byte. */
struct gs_pace_look {
    double fresh;        /* to touch memory that the process has not used before */
    double disk;         /* to read inputs that are not in the page cache; 0: all of them are */
    uint64_t cold_bytes; /* of those inputs */
};

/* Takes 64 MiB of memory for a moment, and reads at most 32 MiB. What cannot be measured is 0. */
struct gs_pace_look gs_pace_look(const struct gs_inputs *inputs);

#endif

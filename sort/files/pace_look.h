/* pace_look.h -- how fast fresh memory and the disks are just now, by a short look.
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
    double written;      /* to write until the disk has it; 0: nobody asked */
};

/* Takes up to 64 MiB of memory for a moment, reads at most 32 MiB, and where `output` is not NULL,
 * writes 32 MiB to a file beside it that has no name. What cannot be measured is 0. */
struct gs_pace_look gs_pace_look(const struct gs_inputs *inputs, const char *output);

#endif

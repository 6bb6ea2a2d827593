/* incoming_look.h -- judge keys of a pipe: which bins, and whether they are worth it.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_INCOMING_LOOK_H
#define GS_INCOMING_LOOK_H

#include "sort/types/types.h"
#include "sort/split/splitters.h"
#include "sort/keys/tiles.h"

#include <stdbool.h>
#include <stdint.h>

/* Bins for all keys, chosen by the keys that came first. */
struct gs_incoming_bins {
    struct gs_splitters splitters;
    uint32_t count;                     /* number of bins; 0: none are chosen */
    uint32_t samples;                   /* size of the sample that chose them */
    struct gs_stage_stats select, sort; /* time that took */
};

/* Choose bins by the first `count` records, which have arrived. false: distributing these is not
 * the way to sort them, or there is no memory. */
bool gs_incoming_look(struct gs_incoming_bins *bins, const struct gs_options *options,
                      const void *records, uint64_t count);

/* Do all keys in the tiles fall evenly into these bins, judging by a sample that `threads` threads
 * draw? *select gets the time that took. Also false if there is no memory. */
bool gs_incoming_even(const struct gs_incoming_bins *bins, const struct gs_tiles *tiles,
                      unsigned threads, struct gs_stage_stats *select);

#endif

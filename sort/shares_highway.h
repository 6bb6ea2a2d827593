/* shares_highway.h -- what vectors do for shares.h: count the keys of a share, and take them.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SHARES_HIGHWAY_H
#define GS_SHARES_HIGHWAY_H

#include "common/keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The keys in [low, last], in three parts: below `equal`, equal to it, above it. */
struct gs_share {
    gs_key low, equal, last;
};

/* Add to counts how many of the keys are below share->equal, at most that, at most share->last. */
void gs_share_count(const struct gs_share *share, const gs_key *keys, size_t count,
                    uint64_t counts[3]);

/* Where a share's keys go. Nothing at or behind an end is written. */
struct gs_share_room {
    gs_key *below, *below_end;
    gs_key *above, *above_end;
};

/* Append the share's keys, but those equal to share->equal, to the room, and move its beginnings
 * behind them. False if there are more than have room. */
bool gs_share_take(const struct gs_share *share, const gs_key *keys, size_t count,
                   struct gs_share_room *room);

#ifdef __cplusplus
}
#endif

#endif

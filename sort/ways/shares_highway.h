/* shares_highway.h -- vector loops for shares.h: count the keys of a share, and collect them.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SHARES_HIGHWAY_H
#define GS_SHARES_HIGHWAY_H

#include "common/formats/keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The keys in [low, last], in three parts: below, equal to and above `equal`. */
struct gs_share {
    gs_key low, equal, last;
};

/* Add to counts[0 .. 2] the keys below share->equal, up to it, and up to share->last. */
void gs_share_count(const struct gs_share *share, const gs_key *keys, size_t count,
                    uint64_t counts[3]);

/* Where a share's keys go. Nothing is written at an end or behind it. */
struct gs_share_room {
    gs_key *below, *below_end;
    gs_key *above, *above_end;
};

/* Append the share's keys, except those equal to share->equal, to the room, and advance `below` and
 * `above` past them. False if there are more keys than room. */
bool gs_share_take(const struct gs_share *share, const gs_key *keys, size_t count,
                   struct gs_share_room *room);

#ifdef __cplusplus
}
#endif

#endif

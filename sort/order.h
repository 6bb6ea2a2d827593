/* order.h -- plain loops over keys: are they in order, without duplicates, the other way round.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ORDER_H
#define GS_ORDER_H

#include "sort/gsort.h"
#include "sort/tiles.h"

enum gs_order { GS_ORDER_NONE, GS_ORDER_SORTED, GS_ORDER_REVERSED };

/* Is every key at least (at most) its predecessor? */
bool gs_order_ascending(const gs_key *keys, uint64_t count);
bool gs_order_descending(const gs_key *keys, uint64_t count);

/* Drop every key that equals its predecessor; returns how many are left. In place. */
uint64_t gs_order_unique(gs_key *keys, uint64_t count);

/* Turn the array round. In place. */
void gs_order_reverse(gs_key *keys, uint64_t count);

/* Is the whole input in order already, one way or the other? One read where it is, and a few keys
 * where the disorder is near its beginning. */
enum gs_order gs_order_scan(const struct gs_tiles *tiles, unsigned threads);

#endif

/* order.h -- plain loops over keys: check their order, drop duplicates, reverse them.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ORDER_H
#define GS_ORDER_H

#include "sort/keys/typed.h"
#include "sort/types/types.h"

/* Is every key at least (at most) its predecessor? */
bool gs_order_ascending(const gs_key *keys, uint64_t count);
bool gs_order_descending(const gs_key *keys, uint64_t count);

/* Drop every key that equals its predecessor, in place; returns how many are left. */
uint64_t gs_order_unique(gs_key *keys, uint64_t count);

/* The same, turned around first if `turn`, where keys are equal above their lowest payload bits. */
uint64_t gs_order_firsts(gs_key *keys, uint64_t count, unsigned payload_bits, bool turn);

/* Reverse the array, in place. */
void gs_order_reverse(gs_key *keys, uint64_t count);

/* The index of the first key that is out of order with its predecessor, or count if there is none.
 * previous, if not NULL, is the key before keys[0]. options->reverse and ->unique define the order
 * (unique: strict). Uses options->threads for large inputs. */
uint64_t gs_first_disorder(const struct gs_options *options, const gs_key *keys, uint64_t count,
                           const gs_key *previous);

/* The same for records, where options->codec says so. */
uint64_t gs_first_record_disorder(const struct gs_options *options, const void *records,
                                  uint64_t count, const void *previous);

#endif

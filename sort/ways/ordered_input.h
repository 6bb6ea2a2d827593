/* ordered_input.h -- copy an input that is in order already, ascending or descending.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ORDERED_INPUT_H
#define GS_ORDERED_INPUT_H

#include "sort/run/run.h"

enum gs_order { GS_ORDER_NONE, GS_ORDER_SORTED, GS_ORDER_REVERSED, GS_ORDER_EQUAL };

/* The order that the first keys have, and some that are spread evenly over the input. EQUAL: all of
 * them are equal, so the input is either of one value or not in order. */
enum gs_order gs_order_look(const struct gs_tiles *tiles, uint64_t count);

/* Copy the input if it is in this order, SORTED or REVERSED. Into memory it is copied for as long
 * as it is in order: one read, where a scan and a copy are two. *sorted: whether it is in order; if
 * not, nothing has been emitted. */
enum gs_status gs_sort_ordered_input(struct gs_run *run, enum gs_order order, bool *sorted,
                                     struct gs_error *err);

#endif

/* record_tree.h -- merge runs of sorted records by a tree of losers.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RECORD_TREE_H
#define GS_RECORD_TREE_H

#include "common/formats/keys.h"
#include "sort/types/record_order.h"

#include <stddef.h>

/* The record of a run that is next, and the beginning of its key string, inverted under reverse:
 * the greatest number if the run has ended. */
struct gs_record_head_of_run {
    gs_key head;
    size_t run;
};

struct gs_record_run {
    const char *next; /* NULL: the run has ended */
    const char *end;
};

struct gs_record_tree {
    const struct gs_record_order *order;
    bool reverse;
    size_t count;                         /* of runs */
    struct gs_record_run *runs;           /* the caller's, as the next */
    struct gs_record_head_of_run *losers; /* [count]: of each match; the winner of all is [0] */
};

/* Open a tree of the runs that it has; none is empty. */
void gs_record_tree_open(struct gs_record_tree *tree);

/* The first of all records that are left; NULL: none is. */
static inline const char *gs_record_tree_first(const struct gs_record_tree *tree)
{
    return tree->runs[tree->losers[0].run].next;
}

/* Go on behind that record. False: the next of its run should have come before it. */
bool gs_record_tree_next(struct gs_record_tree *tree);

#endif

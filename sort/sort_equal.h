/* sort_equal.h -- keys that are of one value, all or all but a few.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SORT_EQUAL_H
#define GS_SORT_EQUAL_H

#include "sort/stages.h"

/* More keys of other values than this are left to the other ways to sort. */
#define GS_OTHERS_MAX 1024

/* Sort an input that is thought to be so, by all threads, to the sink's memory: one read. *others
 * is how many keys are not `value`; if they are more than GS_OTHERS_MAX, the output is still to be
 * made. All keys are kept, so not under options->unique. */
enum gs_status gs_sort_equal_cpu(struct gs_run *run, gs_key value, uint64_t *others,
                                 struct gs_error *err);

#endif

/* sort_equal.h -- sort keys that all, or all but a few, have the same value.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SORT_EQUAL_H
#define GS_SORT_EQUAL_H

#include "sort/run/stages.h"

/* The most keys of other values; with more, the input is sorted in another way. */
#define GS_OTHERS_MAX 1024

/* Sort an input of which most keys are expected to equal `value`, by all threads, into the sink's
 * memory, reading it once. *others is the number of keys that differ from `value`; if it is more
 * than GS_OTHERS_MAX, the output is still to be made. Keeps all keys: not for options->unique. */
enum gs_status gs_sort_equal_cpu(struct gs_run *run, gs_key value, uint64_t *others,
                                 struct gs_error *err);

#endif

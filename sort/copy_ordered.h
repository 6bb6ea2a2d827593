/* copy_ordered.h -- hand out an input that is in order already.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COPY_ORDERED_H
#define GS_COPY_ORDERED_H

#include "sort/stages.h"

/* The input is sorted (or reversed): copy it to the emitter, turned round where the output wants
 * the other direction, without duplicates under options->unique. Fails if it is not in order after
 * all: then somebody changed it. */
enum gs_status gs_copy_ordered_cpu(struct gs_run *run, bool reversed, struct gs_error *err);

#endif

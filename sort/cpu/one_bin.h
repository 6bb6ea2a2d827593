/* one_bin.h -- sort an input that is one bin, without a distribution pass.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ONE_BIN_H
#define GS_ONE_BIN_H

#include "sort/run/run.h"

/* Sort run's whole input into its emitter, on one thread. */
enum gs_status gs_sort_one_bin(struct gs_run *run, struct gs_error *err);

#endif

/* sets.h -- --minus and --common: the file whose keys are left out of the output, or kept.
 * SPDX-License-Identifier: MIT
 *
 * It is the last of the task's files, opened and refused as any input is, and then set apart.
 */
#ifndef GS_SETS_H
#define GS_SETS_H

#include "sort/files/task.h"
#include "common/files/input.h"
#include "common/files/output.h"

/* All inputs are open, and it is known what their records are: read the last one, if it is a set,
 * to its end, and check its order. *inputs are then those that are sorted. */
enum gs_status gs_set_open(const struct gs_task *task, struct gs_inputs *inputs,
                           const struct gs_output *output, struct gs_error *err);

#endif

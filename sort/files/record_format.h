/* record_format.h -- what the files are arrays of: from options, or from the files' own headers.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_RECORD_FORMAT_H
#define GS_RECORD_FORMAT_H

#include "sort/files/task.h"
#include "common/files/input.h"

/* The most that --skip may be. */
#define GS_SKIP_MAX ((uint64_t)1 << 30)

/* Find the format in task->named, or in the header of the first file. If that is no regular file,
 * and nothing says what it is, its first bytes will, if the task waits for them:
 * task->found.undecided. */
enum gs_status gs_set_records(struct gs_task *task, bool waits, struct gs_error *err);

/* Open a task's inputs, as gs_inputs_open does. */
enum gs_status gs_open_records(const struct gs_task *task, struct gs_inputs *inputs,
                               struct gs_error *err);

/* Before anything is done with the inputs: if it is undecided what they are, wait for the first
 * bytes of the first one. Then inputs that have to be like it are. */
enum gs_status gs_decide_records(struct gs_task *task, struct gs_inputs *inputs,
                                 struct gs_error *err);

/* Check the options that depend on the format. */
enum gs_status gs_check_records(const struct gs_task *task, struct gs_error *err);

#endif

/* split_output.h -- --split: the output in several files of nearly the same length.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SPLIT_OUTPUT_H
#define GS_SPLIT_OUTPUT_H

#include "sort/files/task.h"
#include "common/files/output.h"

/* The most files: each is open until all appear. */
#define GS_SPLIT_MAX 512

/* Make the names of the files from task->output, which has %d or the like in it for the number of
 * each, from 0, and find the first one, found.output. That is task->output where it is not
 * split. Free them in any case. */
enum gs_status gs_split_names(struct gs_task *task, struct gs_error *err);
void gs_split_free(struct gs_task *task);

/* How the head of a file of `keys` records is written. */
typedef enum gs_status gs_split_head(struct gs_task *task, struct gs_output *output, uint64_t keys,
                                     struct gs_error *err);

/* All of the output, `keys` records, is in the first file, which may not be written elsewhere: copy
 * to each other file its share, and a head. Those files are *parts, task->split - 1 of them, to
 * be discarded and freed in any case. *first is the share of the first file, whose head says so. */
enum gs_status gs_split_copy(struct gs_task *task, struct gs_output *output, uint64_t keys,
                             gs_split_head *write_head, struct gs_output **parts, uint64_t *first,
                             struct gs_error *err);

/* Give all but the first file their names. */
enum gs_status gs_split_publish(const struct gs_task *task, struct gs_output *parts, uint64_t keys,
                                struct gs_error *err);
void gs_split_discard(const struct gs_task *task, struct gs_output *parts);

#endif

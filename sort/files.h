/* files.h -- sort, merge and check files as the command does, with its care for them.
 * SPDX-License-Identifier: MIT
 *
 * Inputs and output are opened, or refused, before any work; the output appears under its name
 * when it is complete, or not at all, and may be one of the inputs. How much memory that takes,
 * and what goes through temporary files, is decided here. Nothing is printed, and no process ended:
 * what goes wrong is in *err, and what else there is to say goes to the task's hooks. One call at a
 * time: the bound on dirty pages and the temporary name that a signal removes are the process's.
 */
#ifndef GS_FILES_H
#define GS_FILES_H

#include "sort/files/combine.h"
#include "sort/files/offsets.h"
#include "sort/files/each_record.h"
#include "sort/files/file_plan.h"
#include "sort/files/memory_limit.h"
#include "sort/files/npy_files.h"
#include "sort/files/record_format.h"
#include "sort/files/redirection.h"
#include "sort/files/sets.h"
#include "sort/files/split_output.h"
#include "sort/files/task.h"
#include "sort/files/work.h"

/* Before any of the calls below: find what the records are, by what is named and by the header of
 * the first file, check the options, and start no more threads than limits permit. waits: if that
 * file is a pipe, its first bytes may tell, in the call. The task must then stay where it is. Free
 * it in any case. */
enum gs_status gs_task_prepare(struct gs_task *task, bool waits, struct gs_error *err);

/* Sort all inputs into the output, or merge inputs that are in order already. Threads read
 * *progress meanwhile. task->found.done_ns is when the output got its name. */
enum gs_status gs_sort_files(struct gs_task *task, struct gs_progress *progress,
                             struct gs_stats *stats, struct gs_error *err);
enum gs_status gs_merge_files(struct gs_task *task, struct gs_progress *progress,
                              struct gs_stats *stats, struct gs_error *err);

/* The first record that is out of order with the one before it, be that in the file before. */
struct gs_disorder {
    bool found;
    const char *name;            /* of the file, */
    uint64_t index;              /* of the record in it, */
    char text[GS_DISORDER_TEXT]; /* and what both are */
};

/* Are the inputs in order, one after the other? */
enum gs_status gs_check_files(struct gs_task *task, struct gs_progress *progress,
                              struct gs_disorder *disorder, struct gs_error *err);

/* What gs_sort_files or gs_merge_files would do. Fails where they would, as far as that is known
 * without reading. */
enum gs_status gs_plan_files(struct gs_task *task, bool merges, struct gs_file_plan *plan,
                             struct gs_error *err);

/* Free what the library has found, and `combine`. */
void gs_task_free(struct gs_task *task);

#endif

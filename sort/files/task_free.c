/* task_free.c -- free what the library has found of a task's files.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files.h"

#include <stdlib.h>

void gs_task_free(struct gs_task *task)
{
    gs_split_free(task);
    free(task->found.files);
    free(task->found.skips);
    gs_npy_files_free(task->found.npy);
    free(task->combine);
    task->combine = NULL;
    free(task->offsets);
    task->offsets = NULL;
    task->found = (struct gs_found){.npy = NULL};
}

/* task.c -- what a task tells its caller, and what it owns.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void gs_task_watch(const struct gs_task *task, const struct gs_inputs *inputs,
                   struct gs_output *output, const char *done)
{
    if (task->hooks.watch != NULL)
        task->hooks.watch(task->hooks.context, inputs, output, done);
}

void gs_task_warn(const struct gs_task *task, const char *format, ...)
{
    char text[GS_ERROR_BYTES];
    va_list args;
    if (task->hooks.say == NULL)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    task->hooks.say(task->hooks.context, text);
}

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

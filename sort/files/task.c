/* task.c -- what a task tells its caller.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/task.h"

#include <stdarg.h>
#include <stdio.h>

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

/* command_free.c -- free what a command line owns.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options.h"

#include <stdlib.h>

void gs_command_free(struct gs_command *command)
{
    gs_task_free(&command->task);
    free(command->names);
    command->names = NULL;
    free(command->task.files);
    command->task.files = NULL;
    free(command->list_names);
    command->list_names = NULL;
    free(command->task.directories);
    command->task.directories = NULL;
}

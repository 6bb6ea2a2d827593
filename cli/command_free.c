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
    free(command->files);
    command->files = NULL;
    free(command->list_names);
    command->list_names = NULL;
    free(command->directories);
    command->directories = NULL;
}

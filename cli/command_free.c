/* command_free.c -- free what a command line owns.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options.h"

#include "cli/npy_files.h"
#include "cli/split_output.h"

#include <stdlib.h>

void gs_command_free(struct gs_command *command)
{
    gs_split_free(command);
    free(command->skips);
    command->skips = NULL;
    gs_npy_files_free(command->npy);
    command->npy = NULL;
    free(command->combine);
    command->combine = NULL;
    free(command->names);
    command->names = NULL;
    free(command->files);
    command->files = NULL;
    free(command->list_names);
    command->list_names = NULL;
    free(command->directories);
    command->directories = NULL;
}

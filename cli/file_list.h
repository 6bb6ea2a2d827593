/* file_list.h -- --files0-from: the names of the inputs, read from a file.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_FILE_LIST_H
#define GS_FILE_LIST_H

#include "cli/command.h"

/* Replace command->files by the names in command->file_list, each ended by a NUL; the last one
 * may lack it. Refused as sort(1) does: operands besides, no name at all, an empty one, and
 * standard input among those that come from there. The names are command's, in list_names. */
enum gs_status gs_file_list_read(struct gs_command *command, struct gs_error *err);

#endif

/* options.h -- the command line, read and checked.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OPTIONS_H
#define GS_OPTIONS_H

#include "cli/command.h"

/* Parse argv into *command, which keeps pointers to its strings; on success, free with
 * gs_command_free. Answers --help, --usage and --version, and exits. */
enum gs_status gs_command_parse(struct gs_command *command, int argc, char **argv,
                                struct gs_error *err);

void gs_command_free(struct gs_command *command);

#endif

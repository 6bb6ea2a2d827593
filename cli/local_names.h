/* local_names.h -- --local: names of files that each rank has for itself.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_LOCAL_NAMES_H
#define GS_LOCAL_NAMES_H

#include "cli/command.h"

/* Put the rank in place of %r and the host's name in place of %h, in the names of inputs and
 * output. Refused where a name has neither, for ranks would write to the same file, or read it
 * several times. */
enum gs_status gs_local_names(struct gs_command *command, int rank, struct gs_error *err);

#endif

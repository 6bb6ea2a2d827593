/* local_files.h -- --local: no two ranks have the same file, whatever its names.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_LOCAL_FILES_H
#define GS_LOCAL_FILES_H

#include "cli/command.h"
#include "sort/cluster.h"

/* Before anything is opened: no two ranks read the same file, or write to the same name in the same
 * directory. Collective. */
enum gs_status gs_local_files_check(const struct gs_cluster *cluster,
                                    const struct gs_command *command, struct gs_error *err);

#endif

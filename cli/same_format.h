/* same_format.h -- do all ranks take their files for arrays of the same?
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SAME_FORMAT_H
#define GS_SAME_FORMAT_H

#include "cli/command.h"
#include "sort/cluster.h"

/* The inputs are opened: compare what they are arrays of, and the headers of .npy files, with what
 * rank 0 has. Collective. */
enum gs_status gs_same_format(const struct gs_cluster *cluster, const struct gs_command *command,
                              struct gs_error *err);

#endif

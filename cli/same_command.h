/* same_command.h -- join the ranks of a job, and make sure that all have the same command line.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SAME_COMMAND_H
#define GS_SAME_COMMAND_H

#include "sort/cluster.h"

/* Before the command line is read: what it says to read, and which steps all take together, follows
 * from it. Collective. On failure, too, end it with gs_cluster_end. A process that this library
 * finds alone agrees with itself: cluster->size is 1. */
enum gs_status gs_same_command(struct gs_cluster *cluster, int argc, char **argv,
                               struct gs_error *err);

#endif

/* one_host.h -- ranks that are all on one host: the first sorts for all.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_ONE_HOST_H
#define GS_ONE_HOST_H

#include "cli/command.h"
#include "sort/cluster.h"

/* Are all ranks on one host, and is nothing asked for that one process cannot do? The same on all
 * ranks that were started with the same options. */
bool gs_is_one_host(const struct gs_cluster *cluster, const struct gs_command *command);

/* Collective: rank 0 sorts as one process with the processors and, under -S, the memory of all
 * ranks, which sleep meanwhile. command->task.sort is changed to that. All get its status. */
enum gs_status gs_one_host_sort(const struct gs_cluster *cluster, struct gs_command *command,
                                struct gs_progress *progress, uint64_t start_ns,
                                struct gs_error *err);

#endif

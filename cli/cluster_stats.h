/* cluster_stats.h -- --stats of a sort by several ranks: a row for each.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CLUSTER_STATS_H
#define GS_CLUSTER_STATS_H

#include "cli/command.h"
#include "sort/cluster.h"

/* Name the host of this process in its row. */
void gs_cluster_stats_host(struct gs_cluster_row *row);

/* Print the rows of `ranks` ranks, as gs_stats_print does. */
enum gs_status gs_cluster_stats_print(const struct gs_cluster_row *rows, int ranks,
                                      const struct gs_command *command, uint64_t wall_ns,
                                      struct gs_error *err);

#endif

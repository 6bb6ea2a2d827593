/* stats.h -- --stats: what a sort did and what each stage took.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STATS_H
#define GS_STATS_H

#include "cli/options.h"
#include "sort/gsort.h"

/* Print *stats on standard error, as command->stats says. start_ns is when the program started, by
 * gs_now_ns, and wall_ns the whole run, from then to the output in place. The man page describes
 * every field of both formats. */
enum gs_status gs_stats_print(const struct gs_stats *stats, const struct gs_command *command,
                              uint64_t start_ns, uint64_t wall_ns, struct gs_error *err);

#endif

/* stats.h -- --stats: what a sort did and how long each stage took.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STATS_H
#define GS_STATS_H

#include "cli/command.h"
#include "sort/sort.h"

#include <stdio.h>

/* Print *stats on standard error in the format of command->stats. start_ns is when the program
 * started (gs_now_ns), wall_ns the time from then until the output is in place. The man page
 * describes every field of both formats. */
enum gs_status gs_stats_print(const struct gs_stats *stats, const struct gs_command *command,
                              uint64_t start_ns, uint64_t wall_ns, struct gs_error *err);

/* The object that --stats=json prints. */
void gs_stats_print_json(FILE *out, const struct gs_stats *stats, const struct gs_options *options,
                         uint64_t start_ns, uint64_t wall_ns);

#endif

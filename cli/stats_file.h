/* stats_file.h -- --stats-file: one JSON object about a run, also about one that fails.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_STATS_FILE_H
#define GS_STATS_FILE_H

#include "cli/command.h"
#include "cli/exit_status.h"

/* Open command->stats_file, if it is not NULL, before any work: command->stats_fd. Refuses an input
 * or the output. */
enum gs_status gs_stats_file_open(struct gs_command *command, struct gs_error *err);

/* Write it, if it is open: status, the line of `failure` if that is one, and command->done. Close
 * it. start_ns is when the program started (gs_now_ns). */
enum gs_status gs_stats_file_write(struct gs_command *command, enum gs_exit status,
                                   const struct gs_error *failure, uint64_t start_ns,
                                   struct gs_error *err);

#endif

/* modes.h -- the modes of gsort: sort, merge, plan, check and print.
 * SPDX-License-Identifier: MIT
 *
 * Each ends the progress line before it prints anything, and updates *progress, if it has one.
 */
#ifndef GS_MODES_H
#define GS_MODES_H

#include "cli/command.h"
#include "sort/cluster.h"

/* Sort all inputs into the output. start_ns is the program's start (gs_now_ns), for --stats. */
enum gs_status gs_mode_sort(struct gs_command *command, struct gs_progress *progress,
                            uint64_t start_ns, struct gs_error *err);

/* Any of these modes by all ranks of a job, of which this process is one, and which have the same
 * command line; it ends what gs_cluster_start has begun. st: this rank has failed already if that
 * is not GS_OK, and tells the others, some of which may not have. Rank 0 reports errors. */
enum gs_status gs_mode_cluster(struct gs_command *command, const struct gs_cluster *cluster,
                               enum gs_status st, struct gs_progress *progress, uint64_t start_ns,
                               bool *ordered, struct gs_error *err);

/* Merge all inputs, which are in order already, into the output. */
enum gs_status gs_mode_merge(struct gs_command *command, struct gs_progress *progress,
                             uint64_t start_ns, struct gs_error *err);

/* Print what gs_mode_sort or gs_mode_merge would do. If standard output fails, that is reported
 * here and *err stays empty. */
enum gs_status gs_mode_plan(struct gs_command *command, struct gs_error *err);

/* Find and report the first disorder in the inputs, one after the other. *ordered tells whether
 * there was none. */
enum gs_status gs_mode_check(struct gs_command *command, struct gs_progress *progress,
                             bool *ordered, struct gs_error *err);

/* Print the records of the inputs as text, as many as command->print_most says. */
enum gs_status gs_mode_print(struct gs_command *command, struct gs_progress *progress,
                             struct gs_error *err);

#endif

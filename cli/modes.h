/* modes.h -- what gsort can be asked to do.
 * SPDX-License-Identifier: MIT
 *
 * All end the progress line before they print anything, and keep *progress, if they have it, up to
 * date.
 */
#ifndef GS_MODES_H
#define GS_MODES_H

#include "cli/options.h"

/* Sort all inputs into the output. start_ns is when the program started, for --stats. */
enum gs_status gs_mode_sort(const struct gs_command *command, struct gs_progress *progress,
                            uint64_t start_ns, struct gs_error *err);

/* Merge all inputs, which are in order already, into the output. */
enum gs_status gs_mode_merge(const struct gs_command *command, struct gs_progress *progress,
                             uint64_t start_ns, struct gs_error *err);

/* Print what gs_mode_sort or gs_mode_merge would do. Where standard output fails, that is reported
 * here and *err stays empty. */
enum gs_status gs_mode_plan(const struct gs_command *command, struct gs_error *err);

/* Find and report the first disorder in the one input. *ordered tells whether there was none. */
enum gs_status gs_mode_check(const struct gs_command *command, struct gs_progress *progress,
                             bool *ordered, struct gs_error *err);

#endif

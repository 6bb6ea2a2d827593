/* report.h -- words for the user on standard error: one line each, "gsort: what".
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_REPORT_H
#define GS_REPORT_H

#include "cli/exit.h"
#include "common/input.h"
#include "common/output.h"
#include "common/status.h"

/* The name in front of each line: that under which the program was started. */
void gs_report_name(const char *name);
const char *gs_report_program(void);

/* One line. Control characters in it (of a file's name) become '?'. */
void gs_report_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void gs_report_error(const struct gs_error *err);

/* Close standard output after something was printed there. The exit status: full disks count. */
enum gs_exit gs_report_close_stdout(void);

/* From now on a SIGBUS in one of these mapped inputs is reported as a file that shrank "while it
 * was being DONE" ("sorted"), one in the output as a failed write, and ends the program. NULL: no
 * longer, or no output. All must stay until then. */
void gs_report_watch(const struct gs_inputs *inputs, struct gs_output *output, const char *done);

/* The hooks for gs_signals_start; at the end a file that is written in place gets its length back.
 */
void gs_report_fault(const void *address);
void gs_report_end(void);

#endif

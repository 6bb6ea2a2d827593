/* report.h -- messages on standard error: one line each, "gsort: what".
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_REPORT_H
#define GS_REPORT_H

#include "cli/exit_status.h"
#include "common/files/input.h"
#include "common/files/output.h"
#include "common/status.h"

/* The name in front of each line, by which the program was started. The string must stay. */
void gs_report_name(const char *name);
const char *gs_report_program(void);

/* Call this before each line, from the thread or the signal handler that prints it: it makes room.
 */
void gs_report_after(void (*make_room)(void));

/* Print one line. Control characters in it (from a file's name) become '?'. */
void gs_report_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void gs_report_error(const struct gs_error *err);

/* Close standard output after printing to it. Returns the exit status; a failed write (full disk)
 * is reported here. */
enum gs_exit gs_report_close_stdout(void);

/* From now on, a SIGBUS in one of these mapped inputs is reported as a file that shrank "while it
 * was being DONE" ("sorted"), one in the output as a failed write; both end the program. NULL
 * inputs end this; output may be NULL if there is none. All must stay until then. */
void gs_report_watch(const struct gs_inputs *inputs, struct gs_output *output, const char *done);

/* Hooks for gs_signals_start; gs_report_end restores the length of a file written in place. */
void gs_report_fault(const void *address);
void gs_report_end(void);

#endif

/* slips.h -- command lines that can hardly be meant: a file lost, or keys in a wrong order.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SLIPS_H
#define GS_SLIPS_H

#include "cli/command.h"

/* An option's argument that begins with a '=' was meant for a long option. */
enum gs_status gs_slip_equals(int key, const char *arg, struct gs_error *err);

/* The operand was forgotten, or a file's name says another type than its keys would be taken for.
 */
enum gs_status gs_slip_command(const struct gs_command *command, struct gs_error *err);

/* On a terminal, unless in the background: say so if nothing has said what the files are, so that
 * they were sorted, or `verb`, as the default type. */
void gs_slip_note(const struct gs_command *command, const char *verb);

#endif

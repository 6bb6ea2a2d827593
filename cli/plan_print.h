/* plan_print.h -- --plan: print what a run would do, as text or JSON.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PLAN_PRINT_H
#define GS_PLAN_PRINT_H

#include "cli/command.h"

/* Print it on standard output, as command->planned says. */
void gs_plan_print(const struct gs_command *command, const struct gs_file_plan *plan);

#endif

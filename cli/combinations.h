/* combinations.h -- options that exclude each other.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COMBINATIONS_H
#define GS_COMBINATIONS_H

#include "cli/command.h"

/* The option that chose what to do, or NULL for sorting. */
const char *gs_mode_option(const struct gs_command *command);

/* Check the options against each other. */
enum gs_status gs_check_combinations(const struct gs_command *command, struct gs_error *err);

#endif

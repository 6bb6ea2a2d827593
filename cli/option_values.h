/* option_values.h -- what the values of options may be.
 * SPDX-License-Identifier: MIT
 *
 * Each puts the value of its option into the command; GS_ERR_USAGE where it is none. arg is argv's,
 * and stays in the command; NULL: the option came without.
 */
#ifndef GS_OPTION_VALUES_H
#define GS_OPTION_VALUES_H

#include "cli/options.h"

enum gs_status gs_set_engine(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_device(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_stats(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_progress(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_output(struct gs_command *command, const char *arg, struct gs_error *err);

/* --check: is it to be said with the exit status alone? */
enum gs_status gs_parse_check(const char *arg, bool *quiet, struct gs_error *err);

/* Several sizes: the largest counts, as in sort(1); but the last one for a GPU's. */
enum gs_status gs_set_memory(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_device_memory(struct gs_command *command, const char *arg,
                                    struct gs_error *err);

/* Nothing is put there before an input is larger than memory, but a wrong name is wrong now. */
enum gs_status gs_add_directory(struct gs_command *command, const char *arg, struct gs_error *err);

/* If none was named: where sort(1) looks, too. */
void gs_choose_directory(struct gs_command *command);

#endif

/* option_values.h -- parse and check the values of options.
 * SPDX-License-Identifier: MIT
 *
 * Each function stores the value of its option in the command, or returns GS_ERR_USAGE if it is not
 * valid. arg is a string of argv, to which the command may keep a pointer, or NULL if the option
 * came without a value.
 */
#ifndef GS_OPTION_VALUES_H
#define GS_OPTION_VALUES_H

#include "cli/command.h"

enum gs_status gs_set_wanted(struct gs_command *command, const char *option, enum gs_wanted_end end,
                             const char *arg, struct gs_error *err);

/* --offsets and --offsets-max, in any order. */
enum gs_status gs_set_offsets(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_offsets_max(struct gs_command *command, const char *arg,
                                  struct gs_error *err);

enum gs_status gs_set_engine(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_device(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_argsort(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_format(struct gs_command *command, const char *arg, struct gs_error *err);

enum gs_status gs_set_report(const char *option, const char *arg, enum gs_stats_format *format,
                             struct gs_error *err);
enum gs_status gs_set_progress(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_output(struct gs_command *command, const char *arg, struct gs_error *err);

/* What to do instead of sorting: modes exclude each other. */
enum gs_status gs_set_mode(struct gs_command *command, enum gs_mode mode, bool quiet,
                           struct gs_error *err);
enum gs_status gs_set_check(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_print(struct gs_command *command, const char *arg, struct gs_error *err);

/* Of several -S, the largest size counts, as in sort(1); of several --device-memory, the last. */
enum gs_status gs_set_memory(struct gs_command *command, const char *arg, struct gs_error *err);
enum gs_status gs_set_device_memory(struct gs_command *command, const char *arg,
                                    struct gs_error *err);

/* -T. Nothing is written there unless inputs exceed memory, but the name is checked now. */
enum gs_status gs_add_directory(struct gs_command *command, const char *arg, struct gs_error *err);

#endif

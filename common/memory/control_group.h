/* control_group.h -- the control groups of this process, from its own up to the root.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CONTROL_GROUP_H
#define GS_CONTROL_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Call visit with the directory of each group that may limit this process: in the version 2
 * hierarchy, and in the version 1 hierarchy that has the controller ("memory", "cpu", "pids").
 * Directories that a container cannot see are passed, too, but do not exist.
 * [proc(5), cgroups(7)] */
void gs_control_groups(const char *controller,
                       void (*visit)(const char *directory, bool version2, void *context),
                       void *context);

/* Open a file of a group's directory for reading; the caller closes it. NULL if it cannot. */
FILE *gs_control_group_open(const char *directory, const char *name);

/* Read the first `count` numbers of such a file; false if it has fewer, or says "max". */
bool gs_control_group_read(const char *directory, const char *name, int count, int64_t *numbers);

#endif

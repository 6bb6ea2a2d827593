/* control_group.h -- the control groups of this process, from its own up to the root.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_CONTROL_GROUP_H
#define GS_CONTROL_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Call visit with the directory of each group that bounds this process, of version 2 and of the
 * hierarchy of version 1 that has the controller ("memory", "cpu", "pids"). Where a container sees
 * no more than its own part, some are not there. [proc(5), cgroups(7)] */
void gs_control_groups(const char *controller,
                       void (*visit)(const char *directory, bool version2, void *context),
                       void *context);

/* A file of a group's directory, open for reading, or NULL. */
FILE *gs_control_group_open(const char *directory, const char *name);

/* The first numbers in such a file; false: it has fewer, or "max". */
bool gs_control_group_read(const char *directory, const char *name, int count, int64_t *numbers);

#endif

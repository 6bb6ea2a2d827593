/* control_group.c -- the control groups of this process, from its own up to the root.
 * SPDX-License-Identifier: MIT
 */
#include "common/control_group.h"

#include <stdio.h>
#include <string.h>

/* Is it one of the names between commas? */
static bool is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; *at != '\0'; at += *at == ',') {
        size_t here = strcspn(at, ",");
        if (here == length && strncmp(at, name, length) == 0)
            return true;
        at += here;
    }
    return false;
}

void gs_control_groups(const char *controller,
                       void (*visit)(const char *directory, bool version2, void *context),
                       void *context)
{
    char line[400];
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) { /* "0::/path" or "N:names:/path" */
        line[strcspn(line, "\n")] = '\0';
        char *names = strchr(line, ':');
        char *path = names != NULL ? strchr(names + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        bool version2 = strncmp(line, "0:", 2) == 0;
        if (!version2 && !is_listed(names + 1, controller))
            continue;
        char directory[480];
        const char *root = version2 ? "" : controller;
        int bytes = snprintf(directory, sizeof directory, "/sys/fs/cgroup%s%s%s",
                             *root != '\0' ? "/" : "", root, path);
        size_t least = (size_t)bytes - strlen(path);
        for (;;) {
            visit(directory, version2, context);
            char *slash = strrchr(directory, '/');
            if (slash == NULL || (size_t)(slash - directory) < least)
                break;
            *slash = '\0';
        }
    }
    fclose(file);
}

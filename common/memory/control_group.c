/* control_group.c -- the control groups of this process, from its own up to the root.
 * SPDX-License-Identifier: MIT
 */
#include "common/memory/control_group.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Is `name` in the comma-separated list `names`? */
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

/* Visit a group and its ancestors. One whose path exceeds PATH_MAX is missed. */
static void visit_upwards(const char *root, const char *path, bool version2,
                          void (*visit)(const char *directory, bool version2, void *context),
                          void *context)
{
    char directory[PATH_MAX];
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

void gs_control_groups(const char *controller,
                       void (*visit)(const char *directory, bool version2, void *context),
                       void *context)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (file == NULL)
        return;
    while (getline(&line, &room, file) >= 0) { /* "0::/path" or "N:names:/path" */
        line[strcspn(line, "\n")] = '\0';
        char *names = strchr(line, ':');
        char *path = names != NULL ? strchr(names + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        bool version2 = strncmp(line, "0:", 2) == 0;
        if (version2 || is_listed(names + 1, controller))
            visit_upwards(version2 ? "" : controller, path, version2, visit, context);
    }
    free(line);
    fclose(file);
}

FILE *gs_control_group_open(const char *directory, const char *name)
{
    char path[PATH_MAX];
    int bytes = snprintf(path, sizeof path, "%s/%s", directory, name);
    return bytes < (int)sizeof path ? fopen(path, "re") : NULL;
}

bool gs_control_group_read(const char *directory, const char *name, int count, int64_t *numbers)
{
    int found = 0;
    FILE *file = gs_control_group_open(directory, name);
    if (file == NULL)
        return false;
    while (found < count && fscanf(file, "%" SCNd64, &numbers[found]) == 1)
        found++;
    fclose(file);
    return found == count;
}

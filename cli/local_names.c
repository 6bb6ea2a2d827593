/* local_names.c -- --local: names of files that each rank has for itself.
 * SPDX-License-Identifier: MIT
 */
#include "cli/local_names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Append a name to *to, which it moves on, and make *name that. */
static enum gs_status expand(const char **name, const char *rank, const char *host, char **to,
                             struct gs_error *err)
{
    const char *from = *name;
    const char *end = *to + PATH_MAX;
    char *next = *to;
    bool told = false;
    for (; *from != '\0' && next < end - 1; from++) {
        const char *text = from[0] != '%'   ? NULL
                           : from[1] == 'r' ? rank
                           : from[1] == 'h' ? host
                                            : NULL;
        if (text == NULL) {
            *next++ = *from;
            continue;
        }
        int length = snprintf(next, (size_t)(end - next), "%s", text);
        next += length < end - next ? length : end - next - 1;
        told = true;
        from++;
    }
    *next = '\0';
    if (*from != '\0')
        return gs_fail(err, GS_ERR_USAGE, ENAMETOOLONG, "%s", *name);
    if (!told)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "%s: with --local, names have %%r for the rank or %%h for the host in them",
                       *name);
    *name = *to;
    *to = next + 1;
    return GS_OK;
}

enum gs_status gs_local_names(struct gs_command *command, int rank, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    char number[16];
    char host[HOST_NAME_MAX + 1] = "";
    if (command->file_count == 0 || command->task.output == NULL)
        return gs_fail(err, GS_ERR_USAGE, 0, "--local: takes names of inputs, and -o");
    command->names = malloc((command->file_count + 1) * PATH_MAX);
    if (command->names == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "--local");
    char *to = command->names;
    snprintf(number, sizeof number, "%d", rank);
    (void)gethostname(host, sizeof host - 1);
    GS_TRY(expand(&command->task.output, number, host, &to, err));
    for (size_t i = 0; i < command->file_count; i++)
        GS_TRY(expand(&command->files[i], number, host, &to, err));
cleanup:
    return st;
}

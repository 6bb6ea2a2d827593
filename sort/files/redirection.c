/* redirection.c -- an input that is also standard output, and would be lost.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/redirection.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The input that is standard output, too, if that is a file; or NULL. */
static const struct gs_input *find_same(const struct gs_inputs *inputs, int fd, struct stat *status)
{
    if (fstat(fd, status) != 0 || !S_ISREG(status->st_mode))
        return NULL;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->list[i].device == status->st_dev && inputs->list[i].inode == status->st_ino)
            return &inputs->list[i];
    return NULL;
}

static const char *became(const struct stat *status)
{
    return status->st_size > 0 ? "which would grow" : "and is empty by now";
}

enum gs_status gs_refuse_redirection(const struct gs_inputs *inputs, const struct gs_output *output,
                                     struct gs_error *err)
{
    struct stat status;
    const struct gs_input *input =
        output->kind == GS_OUTPUT_TEMPORARY ? NULL : find_same(inputs, output->fd, &status);
    /* A file with content that is not appended to is written in place: 1<> FILE. */
    if (input == NULL || (output->kind == GS_OUTPUT_POSITIONED && status.st_size > 0))
        return GS_OK;
    const char *name = strcmp(input->name, "-") == 0 ? "FILE" : input->name;
    return gs_fail(err, GS_ERR_USAGE, 0,
                   "%s: is input and standard output, %s: gsort %s -o %s sorts a file into itself",
                   input->name, became(&status), name, name);
}

enum gs_status gs_refuse_shown(const struct gs_inputs *inputs, struct gs_error *err)
{
    struct stat status;
    const struct gs_input *input = find_same(inputs, STDOUT_FILENO, &status);
    if (input == NULL)
        return GS_OK;
    return gs_fail(err, GS_ERR_USAGE, 0, "%s: is input and standard output, %s: no text goes there",
                   input->name, became(&status));
}

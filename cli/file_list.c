/* file_list.c -- --files0-from: the names of the inputs, read from a file.
 * SPDX-License-Identifier: MIT
 */
#include "cli/file_list.h"

#include "cli/launcher.h"
#include "common/files/file.h"
#include "sort/cluster.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for the first names; it is doubled as more come. */
#define FIRST_BYTES ((size_t)64 << 10)

static enum gs_status no_memory(const char *list, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "--files0-from=%s", list);
}

/* Read all of it to *names, and a NUL behind. */
static enum gs_status read_all(int fd, const char *list, char **names, size_t *size,
                               struct gs_error *err)
{
    enum gs_status st = GS_OK;
    size_t room = 0;
    *size = 0;
    for (size_t got = 1; got > 0; *size += got) {
        if (*size + 1 >= room) {
            room = room == 0 ? FIRST_BYTES : 2 * room;
            char *more = realloc(*names, room);
            if (more == NULL)
                return no_memory(list, err);
            *names = more;
        }
        GS_TRY(gs_file_read_some(fd, *names + *size, room - 1 - *size, &got, list, err));
    }
    (*names)[*size] = '\0';
cleanup:
    return st;
}

/* Make operands of the names. */
static enum gs_status take_names(struct gs_command *command, bool standard, size_t size,
                                 struct gs_error *err)
{
    const char *list = command->file_list;
    const char *end = command->list_names + size;
    size_t count = 0;
    for (const char *name = command->list_names; name < end; name += strlen(name) + 1) {
        count++;
        if (*name == '\0')
            return gs_fail(err, GS_ERR_USAGE, 0, "%s:%zu: invalid zero-length file name", list,
                           count);
        if (standard && strcmp(name, "-") == 0)
            return gs_fail(err, GS_ERR_USAGE, 0,
                           "%s:%zu: no file name of '-' is allowed where names come from standard "
                           "input",
                           list, count);
    }
    if (count == 0)
        return gs_fail(err, GS_ERR_USAGE, 0, "no input from '%s': it names no file", list);
    free(command->files);
    command->files = calloc(count, sizeof *command->files);
    if (command->files == NULL)
        return no_memory(list, err);
    for (const char *name = command->list_names; name < end; name += strlen(name) + 1)
        command->files[command->file_count++] = name;
    return GS_OK;
}

enum gs_status gs_file_list_read(struct gs_command *command, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const char *list = command->file_list;
    size_t size;
    if (list == NULL)
        return GS_OK;
    const bool standard = strcmp(list, "-") == 0;
    if (command->file_count > 0)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "extra operand '%s': files cannot be combined with --files0-from",
                       command->files[0]);
    if (standard && gs_launcher_variable() != NULL && gs_cluster_library() != NULL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "--files0-from=-: only one rank has standard input: name a file");
    const int fd = standard ? STDIN_FILENO : open(list, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return gs_fail(err, GS_ERR_INPUT, errno, "%s: cannot open it for --files0-from", list);
    GS_TRY(read_all(fd, list, &command->list_names, &size, err));
    st = take_names(command, standard, size, err);
cleanup:
    if (!standard)
        close(fd);
    return st;
}

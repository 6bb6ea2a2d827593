/* slips.c -- command lines that can hardly be meant: a file lost, or keys in a wrong order.
 * SPDX-License-Identifier: MIT
 *
 * What remains allowed, since scripts rely on it: inputs that are really empty give an empty
 * output, also over an old one, if they were named or come by a pipe or a redirection; of standard
 * input that nobody has redirected, /dev/null under cron, that is only so where no file would be
 * lost.
 */
#include "cli/slips.h"

#include "cli/launcher.h"
#include "cli/report.h"
#include "common/formats/type_hint.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum gs_status gs_slip_equals(int key, const char *arg, struct gs_error *err)
{
    if (arg == NULL || *arg != '=' || key >= 256 || key <= ' ')
        return GS_OK;
    return gs_fail(err, GS_ERR_USAGE, 0,
                   "-%c%s: the '=' belongs to long options: write -%c %s, or ./%s for a name", key,
                   arg, key, arg + 1, arg);
}

static bool is_null(int fd)
{
    struct stat status;
    const int flags = fcntl(fd, F_GETFL);
    return flags != -1 && (flags & O_ACCMODE) != O_WRONLY && fstat(fd, &status) == 0 &&
           S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

static bool is_missing(const char *name)
{
    struct stat status;
    return *name != '\0' && strcmp(name, "-") != 0 && stat(name, &status) != 0 && errno == ENOENT;
}

static bool has_content(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

/* As with cp: the last operand was meant for the output. Or neither operand nor redirection: nobody
 * would type keys. Of several ranks only the first has the
 * launcher's standard input. */
static enum gs_status check_operand(const struct gs_command *command, struct gs_error *err)
{
    const char *output = command->task.output;
    const bool typed = command->file_count > 1 && command->file_list == NULL;
    const char *last = typed ? command->files[command->file_count - 1] : NULL;
    if (last != NULL && output == NULL && command->mode == GS_MODE_SORT && is_missing(last))
        return gs_fail(err, GS_ERR_USAGE, 0, "%s: does not exist: -o %s would write it", last,
                       last);
    if (command->file_count == 1 && strcmp(command->files[0], "help") == 0 && is_missing("help"))
        return gs_fail(err, GS_ERR_USAGE, 0, "help: no such file; --help has all options");
    if (command->file_count > 0 || gs_launcher_rank() > 0)
        return GS_OK;
    if (isatty(STDIN_FILENO))
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "no FILE is named, and standard input is a terminal; - would read it");
    if (output != NULL && is_null(STDIN_FILENO) && has_content(output))
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "%s: would be emptied, for no FILE is named and standard input is "
                       "/dev/null: gsort %s -o %s sorts it; - reads standard input",
                       output, output, output);
    return GS_OK;
}

static bool is_untold(const struct gs_command *command)
{
    return command->task.named.type == NULL && command->task.named.record == NULL &&
           !command->task.raw && command->task.found.npy == NULL;
}

/* The type that a name ends in, in lower case, or in words as -t takes it, if it is not the default
 * one; or NULL. */
static const char *ends_in_type(const char *name, char text[GS_KEY_TYPE_TEXT])
{
    struct gs_key_type type;
    const char *dot = strrchr(name, '.');
    size_t length = 0;
    if (dot == NULL || strlen(dot + 1) >= GS_KEY_TYPE_TEXT)
        return NULL;
    for (const char *c = dot + 1; *c != '\0'; c++)
        text[length++] = (char)tolower((unsigned char)*c);
    text[length] = '\0';
    if (gs_key_type_parse("-t", text, &type, NULL) != GS_OK)
        return gs_type_in_words(text);
    const bool other = type.kind != GS_TYPE_UNSIGNED || type.bytes != 4 || type.big_endian;
    return type.kind != GS_TYPE_BYTES && other ? text : NULL;
}

static enum gs_status check_names(const struct gs_command *command, struct gs_error *err)
{
    char text[GS_KEY_TYPE_TEXT];
    for (size_t i = 0; is_untold(command) && i < command->task.found.file_count; i++) {
        const char *type = ends_in_type(command->task.found.files[i], text);
        if (type != NULL)
            return gs_fail(err, GS_ERR_USAGE, 0,
                           "%s: its name says %s, and without -t it is taken for u32: use -t %s; "
                           "-t u32 or --format=raw insists",
                           command->task.found.files[i], text, type);
    }
    return GS_OK;
}

enum gs_status gs_slip_command(const struct gs_command *command, struct gs_error *err)
{
    enum gs_status st = check_operand(command, err);
    return st == GS_OK ? check_names(command, err) : st;
}

void gs_slip_note(const struct gs_command *command, const char *verb)
{
    if (!is_untold(command) || isatty(STDERR_FILENO) == 0)
        return;
    const pid_t foreground = tcgetpgrp(STDERR_FILENO); /* -1: not our controlling terminal */
    if (foreground == -1 || foreground == getpgrp())
        gs_report_line("note: %s as u32, as neither -t nor -R says what the files are", verb);
}

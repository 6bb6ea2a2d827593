/* option_values.c -- parse and check the values of options.
 * SPDX-License-Identifier: MIT
 */
#include "cli/option_values.h"

#include "cli/combinations.h"
#include "cli/size_arg.h"
#include "common/files/file.h"
#include "common/memory/memory.h"
#include "common/nearest_word.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* The message about a word that is none of these lists them. */
static enum gs_status refuse_word(const char *option, const char *arg, const char *const *words,
                                  bool ambiguous, struct gs_error *err)
{
    char list[256] = "";
    size_t used = 0;
    const char *meant = ambiguous ? NULL : gs_nearest_word(arg, words);
    for (size_t i = 0; words[i] != NULL && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i == 0                 ? ""
                                 : words[i + 1] != NULL ? ", "
                                                        : " or ",
                                 words[i]);
    return gs_fail(err, GS_ERR_USAGE, 0, "%s %s argument '%s': it is %s%s%s%s",
                   ambiguous ? "ambiguous" : "invalid", option, arg, list,
                   meant != NULL ? " (did you mean " : "", meant != NULL ? meant : "",
                   meant != NULL ? "?)" : "");
}

/* Find the index of arg among `words`, ended by NULL. As in sort(1), a unique prefix is enough; in
 * capital letters, too. */
static enum gs_status find_word(const char *option, const char *arg, const char *const *words,
                                int *index, struct gs_error *err)
{
    const size_t length = strlen(arg);
    int begun = 0;
    for (int i = 0; words[i] != NULL; i++) {
        if (strncasecmp(words[i], arg, length) != 0)
            continue;
        *index = i;
        begun++;
        if (words[i][length] == '\0')
            return GS_OK;
    }
    return begun == 1 ? GS_OK : refuse_word(option, arg, words, begun > 1, err);
}

enum gs_status gs_set_engine(struct gs_command *command, const char *arg, struct gs_error *err)
{
    const char *words[GS_ENGINE_HYBRID + 2] = {NULL};
    int index = 0;
    for (int i = GS_ENGINE_AUTO; i <= GS_ENGINE_HYBRID; i++)
        words[i] = gs_engine_name((enum gs_engine)i);
    enum gs_status st = find_word("--engine", arg, words, &index, err);
    command->task.sort.engine = (enum gs_engine)index;
    return st;
}

enum gs_status gs_set_wanted(struct gs_command *command, const char *option, enum gs_wanted_end end,
                             const char *arg, struct gs_error *err)
{
    struct gs_wanted *wanted = &command->task.sort.wanted;
    if (wanted->end != GS_WANTED_ALL && wanted->end != end)
        return gs_fail(err, GS_ERR_USAGE, 0, "options '--head' and '--tail' are incompatible");
    wanted->end = end;
    return gs_bytes_arg_parse(option, arg, INT64_MAX, &wanted->count, err);
}

enum gs_status gs_set_offsets(struct gs_command *command, const char *arg, struct gs_error *err)
{
    const enum gs_status st = gs_offsets_new(&command->task.offsets, err);
    if (st == GS_OK && *arg == '\0')
        return gs_fail(err, GS_ERR_USAGE, 0, "invalid --offsets argument ''");
    return st == GS_OK ? gs_set_once("files for offsets", arg, &command->task.offsets->name, err)
                       : st;
}

enum gs_status gs_set_offsets_max(struct gs_command *command, const char *arg, struct gs_error *err)
{
    const enum gs_status st = gs_offsets_new(&command->task.offsets, err);
    if (st != GS_OK)
        return st;
    command->task.offsets->fixed = true;
    return gs_count_arg_parse("--offsets-max", arg, 0, INT64_MAX, &command->task.offsets->max, err);
}

enum gs_status gs_set_device(struct gs_command *command, const char *arg, struct gs_error *err)
{
    const char *words[GS_DEVICE_GPU + 2] = {NULL};
    int index = 0;
    for (int i = GS_DEVICE_AUTO; i <= GS_DEVICE_GPU; i++)
        words[i] = gs_device_name((enum gs_device)i);
    enum gs_status st = find_word("--device", arg, words, &index, err);
    command->task.sort.device = (enum gs_device)index;
    return st;
}

enum gs_status gs_set_format(struct gs_command *command, const char *arg, struct gs_error *err)
{
    static const char *const words[] = {"auto", "raw", NULL};
    int index = 0;
    enum gs_status st = find_word("--format", arg, words, &index, err);
    command->task.raw = index == 1;
    return st;
}

enum gs_status gs_set_argsort(struct gs_command *command, const char *arg, struct gs_error *err)
{
    static const char *const words[] = {"u32", "u64", NULL};
    int index = 0;
    enum gs_status st = find_word("--argsort", arg, words, &index, err);
    command->task.sort.index_bytes = index == 0 ? 4 : 8;
    return st;
}

enum gs_status gs_set_report(const char *option, const char *arg, enum gs_stats_format *format,
                             struct gs_error *err)
{
    static const char *const words[] = {"text", "json", NULL};
    int index = 0;
    enum gs_status st = arg == NULL ? GS_OK : find_word(option, arg, words, &index, err);
    *format = index == 0 ? GS_STATS_TEXT : GS_STATS_JSON;
    return st;
}

enum gs_status gs_set_progress(struct gs_command *command, const char *arg, struct gs_error *err)
{
    static const char *const words[] = {"auto", "always", "never", NULL};
    int index = GS_PROGRESS_ALWAYS;
    enum gs_status st = arg == NULL ? GS_OK : find_word("--progress", arg, words, &index, err);
    command->progress = (enum gs_progress_when)index;
    return st;
}

enum gs_status gs_set_mode(struct gs_command *command, enum gs_mode mode, bool quiet,
                           struct gs_error *err)
{
    const char *before = gs_mode_option(command);
    command->mode = mode;
    command->quiet = quiet;
    const char *now = gs_mode_option(command);
    if (before == NULL || strcmp(before, now) == 0)
        return GS_OK;
    return gs_fail(
        err, GS_ERR_USAGE, 0,
        "options '%s' and '%s' are incompatible: each says what to do instead of sorting", before,
        now);
}

enum gs_status gs_set_check(struct gs_command *command, const char *arg, struct gs_error *err)
{
    static const char *const words[] = {"diagnose-first", "quiet", "silent", NULL};
    int index = 0;
    enum gs_status st = arg == NULL ? GS_OK : find_word("--check", arg, words, &index, err);
    return st == GS_OK ? gs_set_mode(command, GS_MODE_CHECK, index != 0, err) : st;
}

enum gs_status gs_set_print(struct gs_command *command, const char *arg, struct gs_error *err)
{
    uint64_t *most = &command->print_most;
    *most = UINT64_MAX;
    const enum gs_status st =
        arg == NULL ? GS_OK : gs_count_arg_parse("--print", arg, 0, UINT64_MAX, most, err);
    return st == GS_OK ? gs_set_mode(command, GS_MODE_PRINT, false, err) : st;
}

enum gs_status gs_set_output(struct gs_command *command, const char *arg, struct gs_error *err)
{
    if (*arg == '\0')
        return gs_fail(err, GS_ERR_USAGE, 0, "invalid --output argument ''");
    if (command->task.output != NULL && strcmp(command->task.output, arg) != 0)
        return gs_fail(err, GS_ERR_USAGE, 0, "multiple output files specified: '%s' and '%s'",
                       command->task.output, arg);
    command->task.output = arg;
    return GS_OK;
}

enum gs_status gs_set_memory(struct gs_command *command, const char *arg, struct gs_error *err)
{
    uint64_t bytes = 0;
    enum gs_status st = gs_size_arg_parse("-S", arg, gs_memory_total(), &bytes, err);
    if (st == GS_OK && bytes == 0)
        bytes = 1; /* 0 stands for no limit */
    if (bytes > command->task.memory_limit)
        command->task.memory_limit = bytes;
    return st;
}

enum gs_status gs_set_device_memory(struct gs_command *command, const char *arg,
                                    struct gs_error *err)
{
    uint64_t bytes = 0;
    enum gs_status st = gs_size_arg_parse("--device-memory", arg, 0, &bytes, err);
    command->task.sort.device_memory_bytes = bytes > 0 ? bytes : 1;
    return st;
}

enum gs_status gs_add_directory(struct gs_command *command, const char *arg, struct gs_error *err)
{
    struct stat status;
    if (stat(arg, &status) != 0)
        return gs_fail(err, GS_ERR_USAGE, errno, "-T %s", *arg != '\0' ? arg : "''");
    if (!S_ISDIR(status.st_mode))
        return gs_fail(err, GS_ERR_USAGE, ENOTDIR, "-T %s", arg);
    if (gs_file_access(AT_FDCWD, arg, W_OK | X_OK, 0) != 0)
        return gs_fail(err, GS_ERR_USAGE, errno, "-T %s", arg);
    command->directories[command->directory_count++] = arg;
    return GS_OK;
}

/* combinations.c -- options that exclude each other.
 * SPDX-License-Identifier: MIT
 */
#include "cli/combinations.h"

#include "cli/launcher.h"

const char *gs_mode_option(const struct gs_command *command)
{
    switch (command->mode) {
    case GS_MODE_CHECK:
        return command->quiet ? "-C" : "-c";
    case GS_MODE_MERGE:
        return "-m";
    case GS_MODE_PRINT:
        return "--print";
    default:
        return NULL;
    }
}

/* Why a mode has no use for other options. */
static const char *explain(enum gs_mode mode)
{
    switch (mode) {
    case GS_MODE_CHECK:
        return "a check sorts and writes nothing";
    case GS_MODE_PRINT:
        return "it shows the records as they are, on standard output";
    default:
        return "merging keeps neither state nor positions";
    }
}

/* The option that says what is wanted. */
static const char *wanting(const struct gs_wanted *wanted)
{
    return wanted->end == GS_WANTED_TAIL ? "--tail" : "--head";
}

/* What --head and --tail do not go with. */
static enum gs_status check_wanted(const struct gs_command *command, struct gs_error *err)
{
    const struct gs_wanted *wanted = &command->task.sort.wanted;
    if (wanted->end == GS_WANTED_ALL)
        return GS_OK;
    if (command->task.resumes)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "options '%s' and '--resume' are incompatible: so few records need no "
                       "temporary files",
                       wanting(wanted));
    if (command->task.combine != NULL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "options '%s' and '%s' are incompatible: combine first, and pass that on to "
                       "gsort -m %s",
                       wanting(wanted), command->task.combine->option, wanting(wanted));
    if (command->mode == GS_MODE_MERGE && command->task.sort.unique &&
        wanted->end == GS_WANTED_TAIL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "options '-mu' and '--tail' are incompatible: without -m, they go together");
    return GS_OK;
}

/* What --split does not go with. */
static enum gs_status check_split(const struct gs_command *command, struct gs_error *err)
{
    const char *other = command->task.resumes ? "--resume"
                        : command->apart      ? "--apart"
                        : command->local      ? "--local"
                                              : NULL;
    if (command->task.split == 0 || other == NULL)
        return GS_OK;
    return gs_fail(err, GS_ERR_USAGE, 0, "options '--split' and '%s' are incompatible", other);
}

/* What a shuffle, which looks at no key, does not go with. */
static enum gs_status check_shuffle(const struct gs_command *command, struct gs_error *err)
{
    const struct gs_combine *combine = command->task.combine;
    const struct {
        bool given;
        const char *option;
    } others[] = {
        {command->mode != GS_MODE_SORT, gs_mode_option(command)},
        {command->task.sort.reverse, "-r"},
        {command->task.sort.unique, "-u"},
        {command->task.stable, "-s"},
        {command->task.named.key_count > 0, "-k"},
        {combine != NULL, combine != NULL ? combine->option : ""},
        {command->task.sort.index_bytes != 0, "--argsort"},
    };
    for (size_t i = 0; command->task.sort.shuffled && i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return gs_fail(err, GS_ERR_USAGE, 0,
                           "options '--shuffle' and '%s' are incompatible: a random order knows no "
                           "keys",
                           others[i].option);
    return GS_OK;
}

/* What --offsets, which counts upwards, does not go with. */
static enum gs_status check_offsets(const struct gs_command *command, struct gs_error *err)
{
    const struct gs_task *task = &command->task;
    if (task->offsets == NULL)
        return GS_OK;
    if (task->offsets->name == NULL)
        return gs_fail(err, GS_ERR_USAGE, 0, "--offsets-max is for --offsets=FILE");
    const char *other = task->sort.reverse            ? "-r"
                        : task->sort.index_bytes != 0 ? "--argsort"
                        : task->sort.shuffled         ? "--shuffle"
                                                      : NULL;
    return other == NULL ? GS_OK
                         : gs_fail(err, GS_ERR_USAGE, 0,
                                   "options '--offsets' and '%s' are incompatible: its values are "
                                   "those of records in ascending order",
                                   other);
}

/* Options that only some modes have a use for. */
static enum gs_status check_mode(const struct gs_command *command, struct gs_error *err)
{
    const bool prints = command->mode == GS_MODE_PRINT;
    const bool looks = prints || command->mode == GS_MODE_CHECK;
    const bool sorts = command->mode == GS_MODE_SORT;
    const struct gs_combine *combine = command->task.combine;
    const struct {
        bool given, useless;
        const char *option;
    } others[] = {
        {command->task.output != NULL, looks, "-o"},
        {command->task.sort.reverse, prints, "-r"},
        {command->task.sort.unique, prints, "-u"},
        {combine != NULL, looks, combine != NULL ? combine->option : ""},
        {command->task.stable, prints, "-s"},
        {command->task.sort.wanted.end != GS_WANTED_ALL, looks,
         wanting(&command->task.sort.wanted)},
        {command->task.split > 0, looks, "--split"},
        {command->task.offsets != NULL, looks, "--offsets"},
        {command->task.sort.verify, looks, "--verify"},
        {command->stats != GS_STATS_NONE, looks, "--stats"},
        {command->stats_file != NULL, looks, "--stats-file"},
        {command->planned != GS_STATS_NONE, looks, "--plan"},
        {command->task.resumes, !sorts, "--resume"},
        {command->task.sort.index_bytes != 0, !sorts, "--argsort"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given && others[i].useless)
            return gs_fail(err, GS_ERR_USAGE, 0, "options '%s' and '%s' are incompatible: %s",
                           gs_mode_option(command), others[i].option, explain(command->mode));
    return GS_OK;
}

enum gs_status gs_check_combinations(const struct gs_command *command, struct gs_error *err)
{
    if (command->task.resumes && gs_launcher_variable() != NULL)
        return gs_fail(err, GS_ERR_USAGE, 0, "--resume: under mpirun, nothing is kept");
    if (command->task.sort.index_bytes != 0 && command->task.sort.verify)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "options '--argsort' and '--verify' are incompatible: positions do not show "
                       "what was read");
    if (command->task.sort.index_bytes != 0 && command->task.combine != NULL)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "options '--argsort' and '%s' are incompatible: positions are not combined",
                       command->task.combine->option);
    if (command->mode == GS_MODE_SORT && command->task.sort.lists != 0 &&
        (command->task.sort.engine == GS_ENGINE_AUTO ||
         command->task.sort.engine == GS_ENGINE_SAMPLESORT))
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "--lists is for the engines atomicmin, reduction and hybrid: -e names one");
    enum gs_status st = check_shuffle(command, err);
    if (st == GS_OK)
        st = check_offsets(command, err);
    if (st == GS_OK)
        st = check_wanted(command, err);
    if (st == GS_OK)
        st = check_split(command, err);
    return st == GS_OK ? check_mode(command, err) : st;
}

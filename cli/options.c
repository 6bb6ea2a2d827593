/* options.c -- the command line, read and checked.
 * SPDX-License-Identifier: MIT
 *
 * argp's errors take two lines, so err_stream is NULL, which leaves only getopt's line. It contains
 * the argument unfiltered, so it is captured and reported by us.
 */
#include "cli/options.h"

#include "cli/combinations.h"
#include "cli/exit.h"
#include "cli/file_list.h"
#include "cli/help.h"
#include "cli/launcher.h"
#include "cli/local_names.h"
#include "cli/option_list.h"
#include "cli/option_values.h"
#include "cli/report.h"
#include "cli/size_arg.h"
#include "cli/slips.h"
#include "cli/suggest.h"
#include "cli/version.h"
#include "sort/cluster.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Sort binary files of numbers or records, all FILEs together.\n"
    "With no FILE, or where FILE is -, read standard input."
    "\v"
    "Exit status: 0 if all went well, 1 if -c or -C found disorder, 2 on any trouble.\n"
    "SIGUSR1 makes a running sort say how far it is.\n"
    "-h has examples, the manual page all the rest.";

/* The state of the parser. */
struct parse {
    struct gs_command *command;
    bool is_answered; /* --help or the like was given and answered: nothing else to do */
    uint64_t threads;
    struct gs_error err;
};

static error_t parse_option(int key, char *arg, struct argp_state *state);

/* Drop argp's note about arguments of long and short options: it is long, and wrong for -c. */
static char *filter_help(int key, const char *text, void *unused)
{
    (void)unused;
    return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)(uintptr_t)text;
}

static const struct argp parser = {.options = gs_option_list,
                                   .parser = parse_option,
                                   .args_doc = "[FILE...]",
                                   .doc = doc,
                                   .help_filter = filter_help};

/* One rank of several answers for all. */
static void answer(struct argp_state *state, int key)
{
    if (gs_cluster_library() != NULL && gs_launcher_rank() > 0)
        return;
    if (key == 'h')
        gs_help_short();
    else if (key == 'V')
        gs_version_print();
    else
        argp_state_help(state, stdout,
                        key == OPT_USAGE ? ARGP_HELP_USAGE
                                         : ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC);
}

static enum gs_status take_option(struct parse *parse, int key, char *arg)
{
    struct gs_command *command = parse->command;
    struct gs_error *err = &parse->err;
    switch (key) {
    case 'o':
        return gs_set_output(command, arg, err);
    case 'r':
        command->task.sort.reverse = true;
        return GS_OK;
    case 'u':
        command->task.sort.unique = true;
        return GS_OK;
    case 'c':
        return gs_set_check(command, NULL, err);
    case 'C':
        return gs_set_check(command, "quiet", err);
    case 'm':
        return gs_set_mode(command, GS_MODE_MERGE, false, err);
    case OPT_CHECK:
        return gs_set_check(command, arg, err);
    case OPT_PRINT:
        return gs_set_print(command, arg, err);
    case 't':
        return gs_set_once("types", arg, &command->task.named.type, err);
    case 'R':
        return gs_set_once("record sizes", arg, &command->task.named.record, err);
    case 'k':
        return gs_format_add_key(&command->task.named, arg, err);
    case OPT_SKIP:
        return gs_bytes_arg_parse("--skip", arg, GS_SKIP_MAX, &command->task.skip, err);
    case OPT_SHUFFLE:
        command->task.sort.shuffled = true;
        return gs_count_arg_parse("--shuffle", arg, 0, UINT64_MAX, &command->task.sort.seed, err);
    case OPT_OFFSETS:
        return gs_set_offsets(command, arg, err);
    case OPT_OFFSETS_MAX:
        return gs_set_offsets_max(command, arg, err);
    case OPT_SPLIT:
        return gs_count_arg_parse("--split", arg, 1, GS_SPLIT_MAX, &command->task.split, err);
    case OPT_HEAD:
        return gs_set_wanted(command, "--head", GS_WANTED_HEAD, arg, err);
    case OPT_TAIL:
        return gs_set_wanted(command, "--tail", GS_WANTED_TAIL, arg, err);
    case OPT_FILES0_FROM:
        return gs_set_once("lists of files", arg, &command->file_list, err);
    case 's':
        command->task.stable = true;
        return GS_OK;
    case OPT_ARGSORT:
        return gs_set_argsort(command, arg, err);
    case 'e':
        return gs_set_engine(command, arg, err);
    case OPT_DEVICE:
        return gs_set_device(command, arg, err);
    case OPT_SAMPLES:
        return gs_count_arg_parse("--samples", arg, 1, GS_OPTION_SAMPLES_MAX,
                                  &command->task.sort.samples, err);
    case OPT_BINS:
        return gs_count_arg_parse("--bins", arg, 1, GS_OPTION_BINS_MAX, &command->task.sort.bins,
                                  err);
    case OPT_LISTS:
        return gs_count_arg_parse("--lists", arg, 1, GS_OPTION_LISTS_MAX, &command->task.sort.lists,
                                  err);
    case 'S':
        return gs_set_memory(command, arg, err);
    case OPT_DEVICE_MEMORY:
        return gs_set_device_memory(command, arg, err);
    case 'T':
        return gs_add_directory(command, arg, err);
    case OPT_RESUME:
        command->task.resumes = true;
        return GS_OK;
    case 'j':
        return gs_count_arg_parse("--parallel", arg, 1, GS_OPTION_THREADS_MAX, &parse->threads,
                                  err);
    case OPT_FORMAT:
        return gs_set_format(command, arg, err);
    case OPT_DIRECT:
        command->task.direct = GS_DIRECT_ALWAYS;
        return GS_OK;
    case OPT_NO_DIRECT:
        command->task.direct = GS_DIRECT_NEVER;
        return GS_OK;
    case OPT_FSYNC:
        command->task.synced = true;
        return GS_OK;
    case OPT_LOCAL:
        command->local = true;
        return GS_OK;
    case OPT_APART:
        command->apart = true;
        return GS_OK;
    case OPT_PLAN:
        return gs_set_report("--plan", arg, &command->planned, err);
    case OPT_STATS:
        return gs_set_report("--stats", arg, &command->stats, err);
    case OPT_STATS_FILE:
        return gs_set_once("files for statistics", arg, &command->stats_file, err);
    case OPT_VERIFY:
        command->task.sort.verify = true;
        return GS_OK;
    case OPT_PROGRESS:
        return gs_set_progress(command, arg, err);
    case ARGP_KEY_ARG:
        command->files[command->file_count++] = arg;
        return GS_OK;
    default:
        if (key >= OPT_COMBINE && key <= OPT_COMBINE_LAST)
            return gs_combine_add(&command->task.combine,
                                  (enum gs_combine_option)(key - OPT_COMBINE), arg, err);
        return gs_fail(err, GS_ERR_INTERNAL, 0, "option %d is in no case", key);
    }
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct parse *parse = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = NULL;
        return 0;
    case OPT_HELP:
    case OPT_USAGE:
    case 'h':
    case 'V':
        answer(state, key);
        parse->is_answered = true;
        return ECANCELED;
    case ARGP_KEY_NO_ARGS:
    case ARGP_KEY_END:
    case ARGP_KEY_SUCCESS:
    case ARGP_KEY_ERROR:
    case ARGP_KEY_FINI:
    case ARGP_KEY_ARGS:
        return ARGP_ERR_UNKNOWN;
    default:
        if (gs_slip_equals(key, arg, &parse->err) != GS_OK)
            return EINVAL;
        return take_option(parse, key, arg) == GS_OK ? 0 : EINVAL;
    }
}

/* Run argp_parse; getopt's message goes to parse->err, without the program's name in front. */
static error_t parse_arguments(struct parse *parse, int argc, char **argv)
{
    char *said = NULL;
    size_t size = 0;
    FILE *own = stderr;
    FILE *kept = open_memstream(&said, &size);
    if (kept == NULL)
        return ENOMEM;
    stderr = kept;             /* in the GNU C library, it is a variable */
    unsetenv("ARGP_HELP_FMT"); /* some column numbers make argp crash, or print forever */
    error_t failed = argp_parse(&parser, argc, argv, ARGP_NO_HELP, NULL, parse);
    stderr = own;
    if (fclose(kept) != 0)
        failed = ENOMEM;
    size_t name = strlen(argv[0]) + strlen(": ");
    if (failed != ENOMEM && size > name) {
        said[size - 1] = '\0'; /* the newline */
        gs_fail(&parse->err, GS_ERR_USAGE, 0, "%s", said + name);
        gs_suggest_option(gs_option_list, parse->err.text, sizeof parse->err.text);
    }
    free(said);
    return failed;
}

enum gs_status gs_command_parse(struct gs_command *command, int argc, char **argv,
                                struct gs_error *err)
{
    *command = (struct gs_command){.mode = GS_MODE_SORT, .stats_fd = -1};
    struct parse parse = {.command = command};
    command->files = calloc((size_t)argc, sizeof *command->files);
    enum gs_status st = GS_OK;
    command->directories = calloc((size_t)argc + 1, sizeof *command->directories);
    error_t failed = command->files == NULL || command->directories == NULL
                         ? ENOMEM
                         : parse_arguments(&parse, argc, argv);
    if (parse.is_answered) {
        const enum gs_exit status = gs_report_close_stdout();
        gs_cluster_end();
        exit(gs_exit_status(status));
    }
    if (failed == ENOMEM)
        st = gs_fail(&parse.err, GS_ERR_MEMORY, ENOMEM, "command line");
    else if (failed != 0)
        st = GS_ERR_USAGE; /* parse.err has the message */
    command->task.sort.threads = (unsigned)parse.threads;
    if (st == GS_OK)
        st = gs_file_list_read(command, &parse.err);
    if (st == GS_OK && command->local)
        st = gs_local_names(command, gs_launcher_rank(), &parse.err);
    if (st == GS_OK)
        st = gs_check_combinations(command, &parse.err);
    command->task.named.shown = command->mode == GS_MODE_PRINT;
    if (command->mode != GS_MODE_SORT)
        command->task.sort.device = GS_DEVICE_AUTO; /* without effect: these modes use the CPU */
    command->task.files = command->files;
    command->task.file_count = command->file_count;
    command->task.directories = command->directories;
    command->task.directory_count = command->directory_count;
    if (st == GS_OK)
        st = gs_task_prepare(&command->task, command->planned == GS_STATS_NONE, &parse.err);
    if (st == GS_OK)
        st = gs_slip_command(command, &parse.err);
    *err = parse.err;
    if (st != GS_OK)
        gs_command_free(command);
    return st;
}

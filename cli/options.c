/* options.c -- the command line, read and checked.
 * SPDX-License-Identifier: MIT
 *
 * The argp table is the only list of options. argp's own --help would exit 0 on a full disk, its
 * hidden --program-name and --HANG would make abbreviations ambiguous, and its errors take two
 * lines. So --help, --usage and --version are in our table, and err_stream is NULL, which leaves
 * only getopt's line. It contains the argument unfiltered, so it is captured and reported by us.
 */
#include "cli/options.h"

#include "cli/combinations.h"
#include "cli/exit.h"
#include "cli/file_list.h"
#include "cli/help.h"
#include "cli/launcher.h"
#include "cli/local_names.h"
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

enum {
    OPT_CHECK = 256,
    OPT_ARGSORT,
    OPT_FILES0_FROM,
    OPT_HEAD,
    OPT_TAIL,
    OPT_SPLIT,
    OPT_SHUFFLE,
    OPT_OFFSETS,
    OPT_OFFSETS_MAX,
    OPT_SKIP,
    OPT_COMBINE,
    OPT_COMBINE_LAST = OPT_COMBINE + GS_COMBINE_LAST,
    OPT_DEVICE,
    OPT_SAMPLES,
    OPT_BINS,
    OPT_LISTS,
    OPT_DEVICE_MEMORY,
    OPT_RESUME,
    OPT_FORMAT,
    OPT_FSYNC,
    OPT_DIRECT,
    OPT_NO_DIRECT,
    OPT_LOCAL,
    OPT_APART,
    OPT_PLAN,
    OPT_PRINT,
    OPT_STATS,
    OPT_STATS_FILE,
    OPT_VERIFY,
    OPT_PROGRESS,
    OPT_HELP,
    OPT_USAGE
};

enum {
    GROUP_MAIN = 1,
    GROUP_COMBINE,
    GROUP_FORMATS,
    GROUP_RESOURCES,
    GROUP_REPORTS,
    GROUP_RANKS,
    GROUP_TUNING,
    GROUP_HELP
};

static const struct argp_option table[] = {
    {NULL, 0, NULL, 0, "What to do:", GROUP_MAIN},
    {"output", 'o', "FILE", 0, "write to FILE instead of standard output; FILE may be an input", 0},
    {"type", 't', "TYPE", 0,
     "the files are arrays of TYPE: u8 to u128, i8 to i128, f16 bf16 f32 f64 (default: u32), "
     "numpy's M8[ns] and m8[ns]; little-endian, or big-endian with 'be' behind, as in f64be; bN: N "
     "bytes compared as memcmp does. TYPE,TYPEr and so on: records of such fields, each a key, "
     "with r in descending order",
     0},
    {"record", 'R', "SIZE", 0, "the files are arrays of records of SIZE bytes, up to 65536", 0},
    {"key", 'k', "KEY", 0,
     "with -R: OFFSET:TYPE, a key at byte OFFSET of each record, or OFFSET:TYPEr to sort it in "
     "descending order; with several -k, the first that differs decides (default: all bytes); "
     "zorder(KEY,KEY) weaves two to four into one. Of a .npy file: FIELD, or FIELD:r; of rows, a "
     "column's number",
     0},
    {"reverse", 'r', NULL, 0, "descending order", 0},
    {"unique", 'u', NULL, 0, "write one of each key; with -c, check for strict order", 0},
    {"stable", 's', NULL, 0, "leave records of equal keys in the order of the input", 0},
    {"head", OPT_HEAD, "N", 0,
     "write only the first N records of the output; only what these need is sorted; N may have a "
     "suffix, as 10k or 2M",
     0},
    {"tail", OPT_TAIL, "N", 0, "write only the last N records of the output", 0},
    {"shuffle", OPT_SHUFFLE, "SEED", 0,
     "do not sort: put the records in a random order, which depends on their number and on SEED, a "
     "number, alone",
     0},
    {"offsets", OPT_OFFSETS, "FILE", 0,
     "write to FILE, as u64, at which record of the output each value from 0 on of the first key, "
     "an unsigned integer, begins, and where the last one ends",
     0},
    {"offsets-max", OPT_OFFSETS_MAX, "N", 0,
     "the greatest value for --offsets, also if it does not come (default: that which comes, up to "
     "268435455)",
     0},
    {"split", OPT_SPLIT, "N", 0,
     "write the output in N files, as -o part-%d.bin says, each with as many records", 0},
    {"-c, --check[=WORD]", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
     "do not sort: check the order, of several FILEs as if they were one, and report the first key "
     "that breaks it; WORD is diagnose-first (default) or, for -C, quiet or silent",
     0},
    {NULL, 'c', NULL, OPTION_HIDDEN, NULL, 0},
    {"check", OPT_CHECK, "WORD", OPTION_ARG_OPTIONAL | OPTION_HIDDEN, NULL, 0},
    {NULL, 'C', NULL, 0, "like -c, but the exit status alone tells", 0},
    {"merge", 'm', NULL, 0,
     "do not sort: merge FILEs that are in order already; options of engine and device are "
     "without effect",
     0},
    {"print", OPT_PRINT, "N", OPTION_ARG_OPTIONAL,
     "do not sort: show the records as text, one a line, in their order in the files; at most N",
     0},
    {"files0-from", OPT_FILES0_FROM, "FILE", 0,
     "read the FILEs whose names FILE has, each ended by a NUL byte; -: standard input has them",
     0},

    {"minus", OPT_COMBINE + GS_COMBINE_MINUS, "FILE", 0,
     "leave out what FILE has, which is in order: each record once, with -u all of its keys", 0},
    {"common", OPT_COMBINE + GS_COMBINE_COMMON, "FILE", 0, "leave out what FILE has not", 0},

    {NULL, 0, NULL, 0, "One record of each key, as -u writes:", GROUP_COMBINE},
    {"count", OPT_COMBINE + GS_COMBINE_COUNT, "TYPE", 0,
     "behind each record, how many of its keys there were, as TYPE: u8, u16, u32, u64", 0},
    {"repeated", OPT_COMBINE + GS_COMBINE_REPEATED, NULL, 0, "only keys that come more than once",
     0},
    {"single", OPT_COMBINE + GS_COMBINE_SINGLE, NULL, 0, "only keys that come once", 0},
    {"sum", OPT_COMBINE + GS_COMBINE_SUM, "FIELD", 0,
     "OFFSET:TYPE, a field that is no key, or a name in a .npy file: its sum over the records of "
     "the key; may be given several times, as the next two",
     0},
    {"min", OPT_COMBINE + GS_COMBINE_MIN, "FIELD", 0, "the least value of a field", 0},
    {"max", OPT_COMBINE + GS_COMBINE_MAX, "FIELD", 0, "the greatest value of a field", 0},

    {NULL, 0, NULL, 0, "Formats:", GROUP_FORMATS},
    {"skip", OPT_SKIP, "N", 0,
     "each file has N bytes in front of its records; those of the first are copied", 0},
    {"argsort", OPT_ARGSORT, "TYPE", 0,
     "write the positions of the records in the input instead of the records, as u32 or u64, to a "
     "name in .npy as such a file; those of equal keys ascend",
     0},
    {"format", OPT_FORMAT, "NAME", 0,
     "auto (default): refuse an input that is plainly something else, and sort a NumPy array as "
     "what its header says; raw: take any bytes for keys",
     0},

    {NULL, 0, NULL, 0, "Resources:", GROUP_RESOURCES},
    {"buffer-size", 'S', "SIZE", 0,
     "memory to use (default: three quarters of what is available); SIZE is in KiB, or has a "
     "suffix: B KiB MiB GiB TiB, K M G T for short, kB MB GB TB, or % of physical memory",
     0},
    {"temporary-directory", 'T', "DIR", 0,
     "directory for temporary files, instead of $TMPDIR or /tmp; several are used in turn", 0},
    {"parallel", 'j', "N", 0,
     "CPU threads, up to 1024 (default: one for each processor to run on, up to 32)", 0},
    {"threads", 0, NULL, OPTION_ALIAS, NULL, 0},
    {"device", OPT_DEVICE, "NAME", 0, "auto (default), cpu or gpu", 0},
    {"device-memory", OPT_DEVICE_MEMORY, "SIZE", 0,
     "GPU memory to use (default: what is free there); no %", 0},
    {"resume", OPT_RESUME, NULL, 0,
     "keep temporary files in a directory under -T until the output is complete: the same command "
     "then goes on where it was killed",
     0},
    {"fsync", OPT_FSYNC, NULL, 0,
     "wait until the disk has the output under its name: it survives a power failure then", 0},

    {NULL, 0, NULL, 0, "Reports:", GROUP_REPORTS},
    {"plan", OPT_PLAN, "FORMAT", OPTION_ARG_OPTIONAL,
     "do not sort or merge: say how it would be done, with what memory, space and time, as text "
     "(default) or json; fail if there is no room for it",
     0},
    {"dry-run", 0, NULL, OPTION_ALIAS, NULL, 0},
    {"stats", OPT_STATS, "FORMAT", OPTION_ARG_OPTIONAL,
     "say on standard error what each stage took, as text (default) or json", 0},
    {"stats-file", OPT_STATS_FILE, "FILE", 0,
     "write to FILE, as JSON, what was done, or why it failed", 0},
    {"verify", OPT_VERIFY, NULL, 0,
     "prove the output before it is published: in order, and the same keys as were read", 0},
    {"progress", OPT_PROGRESS, "WHEN", OPTION_ARG_OPTIONAL,
     "a line that says how far the run is: auto (default: on a terminal, when it takes long), "
     "always (default with --progress alone) or never",
     0},

    {NULL, 0, NULL, 0, "Several processes, under mpirun:", GROUP_RANKS},
    {"local", OPT_LOCAL, NULL, 0,
     "under mpirun: every rank reads files and writes a file of its own, which together are in "
     "order; in their names, %r is the rank, from 0, and %h the host",
     0},
    {"apart", OPT_APART, NULL, 0,
     "under mpirun on one machine: every rank sorts a range of the keys, as on several machines "
     "(default: rank 0 sorts all, with the processors and memory of all ranks)",
     0},

    {NULL, 0, NULL, 0, "Tuning:", GROUP_TUNING},
    {"engine", 'e', "NAME", 0,
     "auto (default), samplesort, atomicmin, reduction or hybrid; the last three are for inputs "
     "that fit one GPU block's shared memory, 38656 keys at most",
     0},
    {"samples", OPT_SAMPLES, "N", 0,
     "keys in the sample, up to 16777216 (default: from the number of bins)", 0},
    {"bins", OPT_BINS, "N", 0, "bins to aim at, up to 4096 (default: from the number of keys)", 0},
    {"lists", OPT_LISTS, "N", 0,
     "lists of a shared-memory engine, a power of two up to 256 (default: from the number of keys)",
     0},
    {"direct", OPT_DIRECT, NULL, 0,
     "write output and temporary files past the page cache, where the file system can", 0},
    {"no-direct", OPT_NO_DIRECT, NULL, 0,
     "write through the page cache only (default: what is faster, if temporary files are needed)",
     0},

    {NULL, 0, NULL, 0, "Help:", GROUP_HELP},
    {NULL, 'h', NULL, 0, "give the common options and examples, and exit", 0},
    {"help", OPT_HELP, NULL, 0, "give this list and exit", 0},
    {"usage", OPT_USAGE, NULL, 0, "give a short list and exit", 0},
    {"version", 'V', NULL, 0, "say which version this is, and exit", 0},
    {0}};

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

static const struct argp parser = {.options = table,
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
        gs_suggest_option(table, parse->err.text, sizeof parse->err.text);
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

/* option_list.c -- the only list of options, as argp's --help shows them.
 * SPDX-License-Identifier: MIT
 *
 * --help, --usage and --version are here, not argp's: its --help would exit 0 on a full disk, and
 * its hidden --program-name and --HANG would make abbreviations ambiguous.
 */
#include "cli/option_list.h"

#include <stddef.h>

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

const struct argp_option gs_option_list[] = {
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
     "zorder(KEY,KEY) weaves two to four into one. Of a .npy, FITS or LAS file: FIELD, or FIELD:r; "
     "of rows, a column's number",
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

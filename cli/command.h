/* command.h -- what the command line asks for.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COMMAND_H
#define GS_COMMAND_H

#include "common/formats/format.h"
#include "common/files/pace.h"
#include "sort/sort.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gs_mode { GS_MODE_SORT, GS_MODE_CHECK, GS_MODE_MERGE, GS_MODE_PRINT };

enum gs_stats_format { GS_STATS_NONE, GS_STATS_TEXT, GS_STATS_JSON };

enum gs_progress_when { GS_PROGRESS_AUTO, GS_PROGRESS_ALWAYS, GS_PROGRESS_NEVER };

struct gs_npy_files;
struct gs_journal;
struct gs_spill_home;

struct gs_command {
    enum gs_mode mode;
    bool quiet;                     /* -C: only the exit status tells */
    uint64_t print_most;            /* --print: so many records, at most */
    struct gs_format_options named; /* -t, -R and -k as given */
    bool stable;                    /* -s */
    struct gs_format format;        /* of the records */
    struct gs_codec codec;          /* of that format, */
    struct gs_record_order order;   /* or that, of records that no element holds */
    struct gs_combine *combine;     /* --count, --sum and the like, or NULL; owned */
    struct gs_options sort;         /* memory_bytes is left 0 here: see memory_limit */
    uint64_t memory_limit;          /* -S, in bytes; 0: not given */
    enum gs_stats_format stats;
    const char *stats_file; /* --stats-file, or NULL */
    int stats_fd;           /* open, or -1 */
    struct gs_stats done;   /* for that file: what a run did that ended well, */
    uint64_t done_ns;       /* and the time that it took */
    enum gs_progress_when progress;
    const char *output;       /* NULL: standard output */
    uint64_t split;           /* --split: so many files, or 0; */
    char **part_names;        /* their names, of which output is the first; owned */
    const char **files;       /* file_count strings of argv, */
    size_t file_count;        /* 0: standard input; */
    const char *file_list;    /* or of this file, --files0-from, or NULL */
    char *list_names;         /* that then has all of them; owned */
    uint64_t *skips;          /* bytes in front of each file's records, or NULL */
    struct gs_npy_files *npy; /* the files are .npy files, or NULL */
    bool undecided;           /* whether they are, the first bytes of a pipe will tell */
    bool raw;                 /* --format=raw: plain keys, whatever an input's first bytes say */
    bool synced;              /* --fsync */
    enum gs_direct direct;    /* --direct, --no-direct */
    bool local;               /* --local: every rank has its own files */
    char *names;              /* their names, or NULL; owned */
    bool apart;               /* --apart: ranks of one host exchange records, too */
    /* Called before the output gets its name, if not NULL: only if this succeeds, it does. */
    enum gs_status (*consent)(const void *context, struct gs_error *err);
    const void *consent_context;
    enum gs_stats_format planned; /* --plan: print what the mode would do */
    /* For temporary files: -T, or TMPDIR, or /tmp; at least one. */
    const char **directories;
    size_t directory_count;
    bool resumes;                      /* --resume: the directories keep what is complete, */
    struct gs_journal *journal;        /* and this tells what, or NULL; */
    const struct gs_spill_home *homes; /* then they are open */
};

#endif

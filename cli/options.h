/* options.h -- the command line, read and checked.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_OPTIONS_H
#define GS_OPTIONS_H

#include "sort/gsort.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gs_mode { GS_MODE_SORT, GS_MODE_CHECK, GS_MODE_MERGE };

enum gs_stats_format { GS_STATS_NONE, GS_STATS_TEXT, GS_STATS_JSON };

enum gs_progress_when { GS_PROGRESS_AUTO, GS_PROGRESS_ALWAYS, GS_PROGRESS_NEVER };

struct gs_command {
    enum gs_mode mode;
    bool quiet;             /* -C: the exit status says it all */
    struct gs_options sort; /* memory_bytes is left 0 here: see memory_limit */
    uint64_t memory_limit;  /* of -S; 0: not given */
    enum gs_stats_format stats;
    enum gs_progress_when progress;
    const char *output; /* NULL: standard output */
    const char **files; /* file_count names out of argv */
    size_t file_count;  /* 0: standard input */
    bool synced;        /* --fsync */
    bool direct;        /* --direct */
    bool planned;       /* --plan: say what the mode would do */
    /* -T, or TMPDIR, or /tmp: at least one, for temporary files. */
    const char **directories;
    size_t directory_count;
};

/* Read argv into *command. --help, --usage and --version are answered here and exit. An error is
 * reported here too, in one line: anything but GS_OK is for the exit status only. */
enum gs_status gs_command_parse(struct gs_command *command, int argc, char **argv);

void gs_command_free(struct gs_command *command);

#endif

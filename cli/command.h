/* command.h -- what the command line asks for.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_COMMAND_H
#define GS_COMMAND_H

#include "sort/files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gs_mode { GS_MODE_SORT, GS_MODE_CHECK, GS_MODE_MERGE, GS_MODE_PRINT };

enum gs_stats_format { GS_STATS_NONE, GS_STATS_TEXT, GS_STATS_JSON };

enum gs_progress_when { GS_PROGRESS_AUTO, GS_PROGRESS_ALWAYS, GS_PROGRESS_NEVER };

struct gs_command {
    enum gs_mode mode;
    struct gs_task task; /* the files, and what to do with them */
    const char **files;  /* their names, owned */
    size_t file_count;
    const char **directories; /* -T; owned */
    size_t directory_count;
    bool quiet;            /* -C: only the exit status tells */
    uint64_t print_most;   /* --print: so many records, at most */
    const char *file_list; /* the files are of this list, --files0-from, or NULL */
    char *list_names;      /* that then has all of them; owned */
    enum gs_stats_format stats;
    const char *stats_file; /* --stats-file, or NULL */
    int stats_fd;           /* open, or -1 */
    struct gs_stats done;   /* for that file: what a run did that ended well, */
    uint64_t done_ns;       /* and the time that it took */
    enum gs_progress_when progress;
    bool local;                   /* --local: every rank has its own files */
    char *names;                  /* their names, or NULL; owned */
    bool apart;                   /* --apart: ranks of one host exchange records, too */
    enum gs_stats_format planned; /* --plan: print what the mode would do */
};

#endif

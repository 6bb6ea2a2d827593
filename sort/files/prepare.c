/* prepare.c -- what is known of a task before its files are opened.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* List what is opened: the files, and a set behind them. */
static enum gs_status list_files(struct gs_task *task, struct gs_error *err)
{
    struct gs_found *found = &task->found;
    const struct gs_set *set = task->combine != NULL ? &task->combine->set : NULL;
    found->files = calloc(task->file_count + 2, sizeof *found->files);
    if (found->files == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%zu inputs", task->file_count);
    for (; found->file_count < task->file_count; found->file_count++)
        found->files[found->file_count] = task->files[found->file_count];
    if (set == NULL || set->name == NULL)
        return GS_OK;
    if (found->file_count == 0)
        found->files[found->file_count++] = "-";
    for (size_t i = 0; i < found->file_count; i++)
        if (found->files[i] != NULL && strcmp(found->files[i], "-") == 0 &&
            strcmp(set->name, "-") == 0)
            return gs_fail(err, GS_ERR_USAGE, 0,
                           "%s=-: standard input is sorted already: name a file", set->option);
    found->files[found->file_count++] = set->name;
    return GS_OK;
}

const char *gs_usual_directory(void)
{
    const char *usual = getenv("TMPDIR");
    return usual != NULL && *usual != '\0' ? usual : "/tmp";
}

static void choose_directories(struct gs_task *task)
{
    task->found.usual_directory = gs_usual_directory();
    task->found.directories = task->directories;
    task->found.directory_count = task->directory_count;
    if (task->directory_count == 0) {
        task->found.directories = &task->found.usual_directory;
        task->found.directory_count = 1;
    }
}

enum gs_status gs_task_prepare(struct gs_task *task, bool waits, struct gs_error *err)
{
    enum gs_status st;
    choose_directories(task);
    GS_TRY(list_files(task, err));
    GS_TRY(gs_split_names(task, err));
    GS_TRY(gs_set_records(task, waits, err));
    GS_TRY(gs_check_records(task, err));
    gs_limit_threads(task);
cleanup:
    return st;
}

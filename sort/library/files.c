/* files.c -- sort, merge and check files, as the command does.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files.h"
#include "sort/library/job.h"
#include "sort/library/library.h"
#include "common/files/dirty.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a structure of the first version had. */
#define FILES_LEAST (offsetof(struct gsort_files, skip) + sizeof(uint64_t))

enum call { SORT, MERGE, CHECK };

/* A call, and the words of its format. */
struct filing {
    enum call call;
    struct gs_task task;
    struct gs_stats stats;
    struct gs_disorder disorder;
    char words[GS_FORMAT_WORDS];
};

/* Standard input and output are the caller's, and have no names here. */
static enum gs_status check_names(const struct gsort_files *files, bool writes,
                                  struct gs_error *err)
{
    if (files == NULL || files->size < FILES_LEAST)
        return gs_fail(err, GS_ERR_USAGE, 0, "struct gsort_files: begin with GSORT_FILES_INIT");
    if (gs_asks_more(files, FILES_LEAST, files->size))
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "struct gsort_files: it asks for what only a newer library can do");
    if (files->input_count == 0 || (writes && files->output == NULL))
        return gs_fail(err, GS_ERR_USAGE, 0, "name the inputs, and the output");
    for (size_t i = 0; i < files->input_count; i++)
        if (strcmp(files->inputs[i], "-") == 0)
            return gs_fail(err, GS_ERR_USAGE, 0, "-: standard input is no file here");
    return GS_OK;
}

static void fill_task(struct filing *filing, const struct gsort_format *format,
                      const struct gsort_files *files, const struct gsort_options *options)
{
    struct gs_task *task = &filing->task;
    struct gs_format flags = {.key_count = 0};
    task->files = files->inputs;
    task->file_count = files->input_count;
    task->output = files->output;
    task->skip = files->skip;
    task->directories = files->directories;
    task->directory_count = files->directory_count;
    task->memory_limit = options->memory_bytes;
    task->sort.device = GS_DEVICE_CPU;
    task->reads = (options->flags & GSORT_READ) != 0;
    task->sort.unique = (options->flags & GSORT_UNIQUE) != 0;
    task->sort.threads = options->threads;
    /* Without a format, a .npy file says itself what it has. */
    if (format == NULL)
        return;
    gs_format_words(&format->records.format, filing->words);
    (void)gs_format_split_words(filing->words, &task->named, &flags, NULL);
    task->stable = flags.stable;
    task->sort.reverse = flags.reverse;
}

/* gs_job_work */
static enum gs_status do_call(void *context, struct gs_progress *progress, struct gs_error *err)
{
    struct filing *filing = context;
    struct gs_task *task = &filing->task;
    enum gs_status st;
    gs_dirty_enter();
    GS_TRY(gs_task_prepare(task, true, err));
    switch (filing->call) {
    case SORT:
        st = gs_sort_files(task, progress, &filing->stats, err);
        break;
    case MERGE:
        st = gs_merge_files(task, progress, &filing->stats, err);
        break;
    default:
        st = gs_check_files(task, progress, &filing->disorder, err);
        break;
    }
cleanup:
    gs_dirty_leave();
    return st;
}

static enum gs_status run_call(struct filing *filing, const struct gsort_format *format,
                               const struct gsort_files *files, const struct gsort_options *given,
                               struct gs_error *err)
{
    enum gs_status st;
    struct gsort_options options;
    GS_TRY(gs_take_options(given, &options, err));
    GS_TRY(check_names(files, filing->call != CHECK, err));
    fill_task(filing, format, files, &options);
    st = gs_job_run(&options, false, do_call, filing, err);
cleanup:
    return st;
}

/* A call, which is too large for a small stack; *result is what it found. */
static enum gs_status call(enum call which, const struct gsort_format *format,
                           const struct gsort_files *files, const struct gsort_options *options,
                           uint64_t *kept, struct gs_disorder *disorder, struct gs_error *err)
{
    struct filing *filing = calloc(1, sizeof *filing);
    if (filing == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu files",
                       files->input_count);
    filing->call = which;
    const enum gs_status st = run_call(filing, format, files, options, err);
    if (st == GS_OK && kept != NULL)
        *kept = filing->stats.keys_out;
    if (disorder != NULL)
        *disorder = filing->disorder;
    gs_task_free(&filing->task);
    free(filing);
    return st;
}

enum gsort_status gsort_sort_files(const struct gsort_format *format,
                                   const struct gsort_files *files,
                                   const struct gsort_options *options, uint64_t *kept,
                                   struct gsort_error *error)
{
    struct gs_error err = {.status = GS_OK};
    const enum gs_status st = call(SORT, format, files, options, kept, NULL, &err);
    return gs_tell_error(error, st, &err);
}

enum gsort_status gsort_merge_files(const struct gsort_format *format,
                                    const struct gsort_files *files,
                                    const struct gsort_options *options, uint64_t *kept,
                                    struct gsort_error *error)
{
    struct gs_error err = {.status = GS_OK};
    const enum gs_status st = call(MERGE, format, files, options, kept, NULL, &err);
    return gs_tell_error(error, st, &err);
}

enum gsort_status gsort_check_files(const struct gsort_format *format,
                                    const struct gsort_files *files,
                                    const struct gsort_options *options, int *ordered,
                                    struct gsort_error *error)
{
    struct gs_error err = {.status = GS_OK};
    struct gs_disorder disorder = {.found = false};
    const enum gs_status st = call(CHECK, format, files, options, NULL, &disorder, &err);
    *ordered = st == GS_OK && !disorder.found;
    gs_tell_error(error, st, &err);
    if (st == GS_OK && disorder.found)
        gs_tell_line(error, "%s:%" PRIu64 ": disorder: %s", disorder.name, disorder.index,
                     disorder.text);
    return (enum gsort_status)st;
}

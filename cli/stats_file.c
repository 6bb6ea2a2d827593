/* stats_file.c -- --stats-file: one JSON object about a run, also about one that fails.
 * SPDX-License-Identifier: MIT
 *
 * The meaning of the fields changes only with the version.
 */
#include "cli/stats_file.h"

#include "cli/json.h"
#include "cli/stats.h"
#include "cli/version.h"
#include "common/clock.h"
#include "common/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define GS_STATS_FILE_VERSION 1

static bool is_same_file(const struct stat *own, const char *name)
{
    struct stat other;
    return name != NULL && stat(name, &other) == 0 && own->st_dev == other.st_dev &&
           own->st_ino == other.st_ino;
}

/* A device may be all of them: /dev/null. */
static enum gs_status check_apart(const struct gs_command *command, struct gs_error *err)
{
    struct stat own;
    if (fstat(command->stats_fd, &own) != 0 || !S_ISREG(own.st_mode))
        return GS_OK;
    if (is_same_file(&own, command->task.found.output))
        return gs_fail(err, GS_ERR_USAGE, 0, "--stats-file %s: is the output", command->stats_file);
    for (size_t i = 0; i < command->task.found.file_count; i++)
        if (is_same_file(&own, command->task.found.files[i]))
            return gs_fail(err, GS_ERR_USAGE, 0, "--stats-file %s: is an input",
                           command->stats_file);
    return GS_OK;
}

enum gs_status gs_stats_file_open(struct gs_command *command, struct gs_error *err)
{
    command->stats_fd = -1;
    if (command->stats_file == NULL)
        return GS_OK;
    command->stats_fd = open(command->stats_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (command->stats_fd < 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "--stats-file %s: cannot open for writing",
                       command->stats_file);
    enum gs_status st = check_apart(command, err);
    if (st != GS_OK) {
        close(command->stats_fd);
        command->stats_fd = -1;
    }
    return st;
}

static const char *mode_name(const struct gs_command *command)
{
    return command->planned ? "plan" : command->mode == GS_MODE_MERGE ? "merge" : "sort";
}

static void print_run(FILE *out, const struct gs_command *command, enum gs_exit status,
                      const struct gs_error *failure, uint64_t start_ns)
{
    const uint64_t wall_ns = gs_now_ns() - start_ns;
    const bool failed = status != GS_EXIT_DONE;
    struct rusage usage = {.ru_maxrss = 0};
    (void)getrusage(RUSAGE_SELF, &usage);
    fprintf(out,
            "{\n\"version\": %d,\n\"gsort\": \"%s\",\n\"commit\": \"%s\",\n\"mode\": \"%s\",\n",
            GS_STATS_FILE_VERSION, gs_version, gs_commit, mode_name(command));
    fprintf(out,
            "\"status\": \"%s\",\n\"exit_status\": %d,\n\"error\": ", failed ? "failed" : "done",
            (int)status);
    gs_json_string(out, failed ? failure->text : NULL);
    fputs(",\n\"inputs\": ", out);
    gs_json_strings(out, command->task.found.files, command->task.found.file_count);
    fputs(",\n\"output\": ", out);
    gs_json_string(out, command->task.found.output);
    fprintf(out, ",\n\"peak_memory_bytes\": %" PRIu64 ",\n\"elapsed_ms\": %.6f,\n\"stats\": ",
            (uint64_t)usage.ru_maxrss * 1024, (double)wall_ns / 1e6);
    if (command->done.engine != NULL && !failed)
        gs_stats_print_json(out, &command->done, &command->task.sort, start_ns, command->done_ns);
    else
        fputs("null\n", out);
    fputs("}\n", out);
}

enum gs_status gs_stats_file_write(struct gs_command *command, enum gs_exit status,
                                   const struct gs_error *failure, uint64_t start_ns,
                                   struct gs_error *err)
{
    char *text = NULL;
    size_t size = 0;
    struct stat own;
    enum gs_status st = GS_OK;
    if (command->stats_fd < 0)
        return GS_OK;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL)
        print_run(out, command, status, failure, start_ns);
    if (out == NULL || fclose(out) != 0)
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "statistics");
    else if (fstat(command->stats_fd, &own) == 0 && S_ISREG(own.st_mode) &&
             ftruncate(command->stats_fd, 0) != 0)
        st = gs_fail(err, GS_ERR_OUTPUT, errno, "--stats-file %s: cannot be truncated",
                     command->stats_file);
    else
        st = gs_file_write_full(command->stats_fd, text, size, command->stats_file, err);
    close(command->stats_fd);
    command->stats_fd = -1;
    free(text);
    return st;
}

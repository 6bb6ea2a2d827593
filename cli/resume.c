/* resume.c -- --resume: the directories in which a killed sort left what it had done.
 * SPDX-License-Identifier: MIT
 *
 * Their name is drawn from the paths of inputs and output, so that the same command finds them
 * again. Whether what they hold is still of use, the journal's first entry tells: inputs, as they
 * were, and all options that change what is sorted. Memory, threads and the like may change.
 */
#include "cli/resume.h"

#include "cli/report.h"
#include "common/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Print the absolute path of a file. */
static enum gs_status print_path(FILE *to, const char *name, struct gs_error *err)
{
    char *path = realpath(name, NULL);
    if (path == NULL)
        return gs_fail(err, GS_ERR_INPUT, errno, "%s", name);
    fprintf(to, "%s\n", path);
    free(path);
    return GS_OK;
}

/* Print which file a standard stream is. */
static void print_stream(FILE *to, int fd)
{
    struct stat status;
    bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    fprintf(to, "%ju\n", is_file ? (uintmax_t)status.st_ino : 0);
}

/* Print the path of the output, whether it is there yet or not. */
static enum gs_status print_output(FILE *to, const char *name, struct gs_error *err)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL ? slash + 1 : name;
    char *folder = slash != NULL ? strndup(name, (size_t)(base - name)) : strdup(".");
    if (folder == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "--resume");
    enum gs_status st = print_path(to, folder, err);
    fprintf(to, "%s\n", base);
    free(folder);
    return st;
}

/* Print an input: its path to `paths`, and how it is now to `facts`. */
static enum gs_status print_input(FILE *paths, FILE *facts, const char *name, struct gs_error *err)
{
    struct stat status;
    const bool is_stdin = strcmp(name, "-") == 0;
    if ((is_stdin ? fstat(STDIN_FILENO, &status) : stat(name, &status)) != 0)
        return gs_fail(err, GS_ERR_INPUT, errno, "%s", name);
    if (!S_ISREG(status.st_mode))
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: not a regular file, as --resume takes", name);
    fprintf(facts, "%ju %jd %jd.%09ld %jd\n", (uintmax_t)status.st_ino, (intmax_t)status.st_size,
            (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            is_stdin ? (intmax_t)lseek(STDIN_FILENO, 0, SEEK_CUR) : 0);
    if (!is_stdin)
        return print_path(paths, name, err);
    print_stream(paths, STDIN_FILENO);
    return GS_OK;
}

/* Print the options that change what is sorted, or how. */
static void print_options(FILE *facts, const struct gs_command *command)
{
    const struct gs_format_options *named = &command->named;
    fprintf(facts, "gsort %s\ntype %s record %s\n", GS_VERSION,
            named->type != NULL ? named->type : "-", named->record != NULL ? named->record : "-");
    for (uint32_t i = 0; i < named->key_count; i++)
        fprintf(facts, "key %s\n", named->keys[i]);
    fprintf(facts, "skip %" PRIu64 " reverse %d unique %d stable %d argsort %u raw %d verify %d\n",
            command->skips != NULL ? command->skips[0] : 0, command->sort.reverse,
            command->sort.unique, command->stable, command->sort.index_bytes, command->raw,
            command->sort.verify);
}

/* Describe the command: its paths, and what has to be the same for its parts to be of use. */
static enum gs_status describe(const struct gs_command *command, char **paths, char **facts,
                               struct gs_error *err)
{
    static const char *const standard_input[] = {"-"};
    const bool has_files = command->file_count > 0;
    const char *const *files = has_files ? command->files : standard_input;
    size_t sizes[2];
    char **const texts[] = {paths, facts};
    FILE *to[2] = {open_memstream(paths, &sizes[0]), open_memstream(facts, &sizes[1])};
    enum gs_status st = GS_OK;
    if (to[0] == NULL || to[1] == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, errno, "--resume");
        goto cleanup;
    }
    if (command->output != NULL)
        GS_TRY(print_output(to[0], command->output, err));
    else
        print_stream(to[0], STDOUT_FILENO);
    print_options(to[1], command);
    for (size_t i = 0; i < (has_files ? command->file_count : 1); i++)
        GS_TRY(print_input(to[0], to[1], files[i], err));
cleanup:
    for (int i = 0; i < 2; i++) {
        bool failed = to[i] == NULL || ferror(to[i]) != 0;
        failed = (to[i] != NULL && fclose(to[i]) != 0) || failed;
        if ((failed || *texts[i] == NULL) && st == GS_OK)
            st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "--resume");
    }
    return st;
}

/* Make a directory, or take the one that is there if it is this user's. */
static enum gs_status make_directory(const char *name, struct gs_error *err)
{
    struct stat status;
    if (mkdir(name, 0700) != 0 && errno != EEXIST)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot be created", name);
    if (lstat(name, &status) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s", name);
    if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 022) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, 0,
                       "%s: not a directory that you own and others cannot write to", name);
    return GS_OK;
}

static enum gs_status make_directories(struct gs_resume *resume, const struct gs_command *command,
                                       uint64_t hash, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    resume->names = calloc(command->directory_count, sizeof *resume->names);
    for (size_t i = 0; i < command->directory_count && resume->names != NULL; i++) {
        if (asprintf(&resume->names[i], "%s/.gsort-resume-%016" PRIx64, command->directories[i],
                     hash) < 0)
            break;
        resume->name_count++;
        GS_TRY(make_directory(resume->names[i], err));
    }
    if (resume->names == NULL || resume->name_count < command->directory_count ||
        asprintf(&resume->manifest, "%s/manifest", resume->names[0]) < 0) {
        resume->manifest = NULL; /* asprintf leaves anything there */
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "--resume");
    }
cleanup:
    return st;
}

/* Compare the journal's first entry with the facts, or put them there. */
static enum gs_status compare_facts(struct gs_resume *resume, const char *facts,
                                    struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_journal *journal = &resume->journal;
    size_t bytes = 0;
    char *old = gs_journal_read(journal, &bytes);
    resume->is_new = old == NULL || bytes != strlen(facts) || memcmp(old, facts, bytes) != 0;
    if (resume->is_new) {
        if (old != NULL)
            gs_report_line("warning: %s: from other inputs or options; starting afresh",
                           resume->names[0]);
        journal->next = 0;
        st = gs_journal_write(journal, facts, strlen(facts), err);
    }
    journal->begin = journal->next;
    free(old);
    return st;
}

enum gs_status gs_resume_open(struct gs_resume *resume, struct gs_command *command,
                              struct gs_error *err)
{
    enum gs_status st = GS_OK;
    char *paths = NULL, *facts = NULL;
    *resume = (struct gs_resume){.journal.fd = -1};
    if (!command->resumes)
        return GS_OK;
    GS_TRY(describe(command, &paths, &facts, err));
    GS_TRY(make_directories(resume, command, gs_checksum(paths, strlen(paths), 0), err));
    GS_TRY(gs_journal_open(&resume->journal, resume->manifest, err));
    GS_TRY(compare_facts(resume, facts, err));
    for (size_t i = 0; i < resume->name_count; i++)
        command->directories[i] = resume->names[i];
    command->journal = &resume->journal;
cleanup:
    if (st != GS_OK)
        gs_resume_close(resume, false);
    free(paths);
    free(facts);
    return st;
}

void gs_resume_close(struct gs_resume *resume, bool done)
{
    struct gs_journal *journal = &resume->journal;
    const bool is_empty = resume->is_new && journal->next == journal->begin;
    if (journal->fd >= 0 && (done || is_empty)) {
        for (size_t i = resume->name_count; i-- > 0;) {
            gs_spill_remove(resume->names[i]);
            if (i == 0)
                (void)unlink(resume->manifest);
            (void)rmdir(resume->names[i]);
        }
    }
    gs_journal_close(journal); /* only now may another process take them */
    for (size_t i = 0; i < resume->name_count; i++)
        free(resume->names[i]);
    free(resume->names);
    free(resume->manifest);
    resume->names = NULL;
    resume->manifest = NULL;
    resume->name_count = 0;
}

/* resume.c -- --resume: the directories in which a killed sort left what it had done.
 * SPDX-License-Identifier: MIT
 *
 * Their name is drawn from the facts: the paths of inputs and output, what records are, and all
 * options that change what is sorted; so the same command finds them again, and no other one does.
 * Whether what they hold is still of use, the input's content tells, not its size, time or inode
 * (external_manifest.h). Memory, threads and the like may change.
 *
 * In each directory is a manifest: a journal, whose first entry is the directory's identity, a
 * random number and the facts. One of them goes on with what is complete. A directory that is named
 * twice, by whatever paths, shows at the second time the number that it was given at the first.
 */
#include "sort/files/resume.h"

#include "common/clock.h"
#include "common/random.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Goes up with each change of what a manifest or the files beside it say. */
#define MANIFEST_VERSION 4

/* The description of a task: text that grows. */
struct facts {
    char *text;
    size_t bytes;
    bool failed; /* there was no memory */
};

__attribute__((format(printf, 2, 3))) static void add(struct facts *to, const char *format, ...)
{
    char *line = NULL;
    va_list args;
    va_start(args, format);
    const int bytes = vasprintf(&line, format, args);
    va_end(args);
    char *text = bytes >= 0 ? realloc(to->text, to->bytes + (size_t)bytes + 1) : NULL;
    to->failed = to->failed || text == NULL;
    if (text != NULL) {
        to->text = text;
        memcpy(text + to->bytes, line, (size_t)bytes + 1);
        to->bytes += (size_t)bytes;
    }
    if (bytes >= 0)
        free(line);
}

/* Add the absolute path of a file. */
static enum gs_status add_path(struct facts *to, const char *name, struct gs_error *err)
{
    char *path = realpath(name, NULL);
    if (path == NULL)
        return gs_fail(err, GS_ERR_INPUT, errno, "%s", name);
    add(to, "%s\n", path);
    free(path);
    return GS_OK;
}

/* Add which file a standard stream is, and where in it. */
static void add_stream(struct facts *to, int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        status = (struct stat){.st_ino = 0};
    add(to, "%ju:%ju:%jd\n", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino,
        status.st_ino != 0 ? (intmax_t)lseek(fd, 0, SEEK_CUR) : 0);
}

/* Add the path of the output, whether it is there yet or not. */
static enum gs_status add_output(struct facts *to, const char *name, struct gs_error *err)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL ? slash + 1 : name;
    char *folder = slash != NULL ? strndup(name, (size_t)(base - name)) : strdup(".");
    if (folder == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "--resume");
    enum gs_status st = add_path(to, folder, err);
    add(to, "%s\n", base);
    free(folder);
    return st;
}

static enum gs_status add_input(struct facts *to, const char *name, struct gs_error *err)
{
    struct stat status;
    const bool is_stdin = strcmp(name, "-") == 0;
    if ((is_stdin ? fstat(STDIN_FILENO, &status) : stat(name, &status)) != 0)
        return gs_fail(err, GS_ERR_INPUT, errno, "%s", name);
    if (!S_ISREG(status.st_mode))
        return gs_fail(err, GS_ERR_INPUT, 0, "%s: not a regular file, as --resume takes", name);
    if (!is_stdin)
        return add_path(to, name, err);
    add_stream(to, STDIN_FILENO);
    return GS_OK;
}

/* Add what records are, and the options that change what is sorted. */
static void add_options(struct facts *to, const struct gs_task *task)
{
    const struct gs_format *format = &task->found.format;
    add(to, "gsort manifest %d\nrecord %" PRIu32 "\n", MANIFEST_VERSION, format->record_bytes);
    for (uint32_t i = 0; i < format->key_count; i++) {
        const struct gs_key_field *key = &format->keys[i];
        add(to, "key %" PRIu32 " %d %" PRIu32 " %d %d %u\n", key->offset, (int)key->type.kind,
            key->type.bytes, key->type.big_endian, key->descending, (unsigned)key->woven);
    }
    add(to, "skip %" PRIu64 " reverse %d unique %d stable %d argsort %u\n",
        task->found.skips != NULL ? task->found.skips[0] : 0, task->sort.reverse, task->sort.unique,
        format->stable, task->sort.index_bytes);
    if (task->sort.shuffled)
        add(to, "shuffle %" PRIu64 "\n", task->sort.seed);
}

/* Describe the task: all that has to be the same for what is kept to be of use. */
static enum gs_status describe(const struct gs_task *task, struct facts *facts,
                               struct gs_error *err)
{
    static const char *const standard_input[] = {"-"};
    const bool has_files = task->found.file_count > 0;
    const char *const *files = has_files ? task->found.files : standard_input;
    enum gs_status st = GS_OK;
    add_options(facts, task);
    if (task->found.output != NULL)
        GS_TRY(add_output(facts, task->found.output, err));
    else
        add_stream(facts, STDOUT_FILENO);
    for (size_t i = 0; i < (has_files ? task->found.file_count : 1); i++)
        GS_TRY(add_input(facts, files[i], err));
    if (facts->failed)
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "--resume");
cleanup:
    return st;
}

/* Make a directory, or take the one that is there if it is this user's; from now on it is known by
 * its descriptor, whatever happens to the name. */
static enum gs_status open_directory(const char *name, int *fd, bool *is_new, struct gs_error *err)
{
    struct stat status;
    *is_new = mkdir(name, 0700) == 0;
    if (!*is_new && errno != EEXIST)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot be created", name);
    *fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*fd < 0 && errno != ELOOP && errno != ENOTDIR && errno != EACCES)
        return gs_fail(err, GS_ERR_OUTPUT, errno, "%s", name);
    if (*fd < 0 || fstat(*fd, &status) != 0 || status.st_uid != geteuid() ||
        (status.st_mode & 022) != 0)
        return gs_fail(err, GS_ERR_OUTPUT, 0,
                       "%s: not a directory that you own and others cannot write to", name);
    return GS_OK;
}

/* Read a directory's identity: 0 if there is none yet. */
static enum gs_status read_identity(struct gs_journal *journal, const char *facts, uint64_t *id,
                                    struct gs_error *err)
{
    enum gs_status st = GS_OK;
    size_t bytes = 0;
    journal->next = 0;
    char *entry = gs_journal_read(journal, &bytes);
    *id = 0;
    if (entry != NULL && bytes == sizeof *id + strlen(facts) &&
        memcmp(entry + sizeof *id, facts, strlen(facts)) == 0)
        memcpy(id, entry, sizeof *id);
    else if (entry != NULL)
        st = gs_fail(err, GS_ERR_OUTPUT, 0,
                     "%s: of another version of gsort, which alone can go on from it: remove %.*s",
                     journal->name, (int)(strrchr(journal->name, '/') - journal->name),
                     journal->name);
    free(entry);
    return st;
}

static enum gs_status write_identity(struct gs_journal *journal, const char *facts, uint64_t *id,
                                     struct gs_error *err)
{
    const size_t bytes = strlen(facts);
    char *entry = malloc(sizeof *id + bytes + 1);
    if (entry == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "--resume");
    /* A sandbox may refuse randomness. */
    if (getrandom(id, sizeof *id, 0) != (ssize_t)sizeof *id || *id == 0)
        *id = gs_random(gs_now_ns(), (uint64_t)getpid()) | 1;
    memcpy(entry, id, sizeof *id);
    memcpy(entry + sizeof *id, facts, bytes + 1);
    journal->refused = gs_journal_bytes(journal) > 0;
    journal->next = 0;
    enum gs_status st = gs_journal_write(journal, entry, sizeof *id + bytes, err);
    free(entry);
    return st;
}

/* Is this the number of a directory before the last one? */
static bool is_known(const struct gs_resume *resume, uint64_t id)
{
    for (size_t i = 0; i + 1 < resume->count; i++)
        if (resume->homes[i].id == id)
            return true;
    return false;
}

/* Close the last directory. */
static void drop_place(struct gs_resume *resume)
{
    struct gs_resume_place *place = &resume->places[--resume->count];
    gs_journal_close(&place->journal);
    if (resume->homes[resume->count].fd >= 0)
        close(resume->homes[resume->count].fd);
    free(place->manifest);
    free(place->name);
}

/* Open the directory under `parent`, unless it is open already by another path. */
static enum gs_status open_place(struct gs_resume *resume, const char *parent, const char *facts,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    bool made;
    struct gs_spill_home *home = &resume->homes[resume->count];
    struct gs_resume_place *place = &resume->places[resume->count++];
    const uint64_t hash = gs_checksum(facts, strlen(facts), 0);
    *home = (struct gs_spill_home){.fd = -1};
    *place = (struct gs_resume_place){.journal.fd = -1};
    if (asprintf(&place->name, "%s/.gsort-resume-%016" PRIx64, parent, hash) < 0 ||
        asprintf(&place->manifest, "%s/manifest", place->name) < 0)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "--resume");
    GS_TRY(open_directory(place->name, &home->fd, &made, err));
    GS_TRY(gs_journal_open(&place->journal, home->fd, place->manifest, err));
    GS_TRY(read_identity(&place->journal, facts, &home->id, err));
    if (home->id != 0 && is_known(resume, home->id)) {
        drop_place(resume);
        return GS_OK;
    }
    GS_TRY(gs_journal_lock(&place->journal, err));
    place->is_new = made; /* not before it is locked: another process may have been faster */
    GS_TRY(read_identity(&place->journal, facts, &home->id, err)); /* now nobody changes it */
    if (home->id == 0) {
        place->is_new = true;
        GS_TRY(write_identity(&place->journal, facts, &home->id, err));
    }
    place->journal.begin = place->journal.next;
cleanup:
    return st;
}

/* Of the journals, go on with the first that tells of anything; what others tell of is written
 * over. */
static void choose_journal(struct gs_resume *resume)
{
    for (size_t i = 0; i < resume->count; i++) {
        struct gs_journal *journal = &resume->places[i].journal;
        if (gs_journal_bytes(journal) <= journal->begin)
            continue;
        if (resume->journal == NULL)
            resume->journal = journal;
        else if (ftruncate(journal->fd, (off_t)journal->begin) != 0)
            continue; /* then its entries will prove wrong */
    }
    if (resume->journal == NULL)
        resume->journal = &resume->places[0].journal;
}

enum gs_status gs_resume_open(struct gs_resume *resume, struct gs_task *task, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct facts facts = {.text = NULL};
    *resume = (struct gs_resume){.count = 0};
    if (!task->resumes)
        return GS_OK;
    GS_TRY(describe(task, &facts, err));
    resume->places = calloc(task->found.directory_count, sizeof *resume->places);
    resume->homes = calloc(task->found.directory_count, sizeof *resume->homes);
    resume->directories = calloc(task->found.directory_count, sizeof *resume->directories);
    if (resume->places == NULL || resume->homes == NULL || resume->directories == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, ENOMEM, "--resume");
        goto cleanup;
    }
    for (size_t i = 0; i < task->found.directory_count; i++)
        GS_TRY(open_place(resume, task->found.directories[i], facts.text, err));
    choose_journal(resume);
    for (size_t i = 0; i < resume->count; i++)
        resume->directories[i] = resume->places[i].name;
    resume->before = task->found.directories;
    resume->before_count = task->found.directory_count;
    task->found.directories = resume->directories;
    task->found.directory_count = resume->count;
    task->found.journal = resume->journal;
    task->found.homes = resume->homes;
cleanup:
    if (st != GS_OK)
        gs_resume_close(resume, task, false);
    free(facts.text);
    return st;
}

/* Is something complete? Then it is in directories that are not new, too. */
static bool has_more(const struct gs_resume *resume)
{
    return resume->journal != NULL && gs_journal_bytes(resume->journal) > resume->journal->begin;
}

void gs_resume_close(struct gs_resume *resume, struct gs_task *task, bool done)
{
    const bool keeps = !done && has_more(resume);
    if (resume->places == NULL || resume->homes == NULL)
        resume->count = 0; /* there is none without the other */
    if (done && resume->journal != NULL && resume->journal->refused)
        gs_task_warn(task,
                     "%s: in part damaged, or of an input that has changed; that part "
                     "was done again",
                     resume->places[0].name);
    for (size_t i = 0; i < resume->count; i++) {
        if (keeps || !(done || resume->places[i].is_new))
            continue;
        gs_spill_remove(resume->homes[i].fd);
        (void)unlinkat(resume->homes[i].fd, "manifest", 0);
        (void)rmdir(resume->places[i].name);
    }
    while (resume->count > 0) /* only now may another process take them */
        drop_place(resume);
    free(resume->places);
    free(resume->homes);
    free(resume->directories);
    if (resume->before != NULL) {
        task->found.directories = resume->before;
        task->found.directory_count = resume->before_count;
    }
    task->found.journal = NULL;
    task->found.homes = NULL;
    *resume = (struct gs_resume){.count = 0};
}

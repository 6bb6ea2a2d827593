/* test_files.c -- a program sorts, merges and checks files by calls, as the command does.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT 100000

static char directory[] = "/tmp/gsort-unit.XXXXXX";
static const char *const here[] = {"."};

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* `count` numbers, the same for the same seed. */
static void write_numbers(const char *name, uint64_t seed, uint64_t count)
{
    uint64_t *numbers = malloc(count * sizeof *numbers);
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    write_file(name, numbers, count * sizeof *numbers);
    free(numbers);
}

static bool exists(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0;
}

/* Is the file in order, with `count` numbers? */
static bool is_sorted(const char *name, uint64_t count)
{
    uint64_t last = 0;
    uint64_t number;
    uint64_t got = 0;
    FILE *file = fopen(name, "rb");
    while (file != NULL && fread(&number, sizeof number, 1, file) == 1 && number >= last) {
        last = number;
        got++;
    }
    const bool at_end = file != NULL && fgetc(file) == EOF;
    if (file != NULL)
        (void)fclose(file);
    return at_end && got == count;
}

typedef enum gs_status call_for_files(struct gs_task *task, struct gs_progress *progress,
                                      struct gs_stats *stats, struct gs_error *err);

/* Prepare, call and free. */
static enum gs_status do_task(call_for_files *call, struct gs_task task, struct gs_stats *stats,
                              struct gs_error *err)
{
    struct gs_progress progress = {.done = 0};
    *err = (struct gs_error){.status = GS_OK};
    enum gs_status st = gs_task_prepare(&task, true, err);
    if (st == GS_OK)
        st = call(&task, &progress, stats, err);
    gs_task_free(&task);
    return st;
}

static struct gs_task numbers(const char *const *files, size_t count, const char *output)
{
    return (struct gs_task){.files = files,
                            .file_count = count,
                            .output = output,
                            .named.type = "u64",
                            .sort.threads = 2,
                            .directories = here,
                            .directory_count = 1};
}

/* In memory and through temporary files; the output may be an input. */
static void test_sort(void)
{
    static const char *const files[] = {"a", "b"};
    struct gs_stats stats = {.keys_out = 0};
    struct gs_error err;
    for (uint64_t limit = 0; limit <= (uint64_t)1 << 20; limit += (uint64_t)1 << 20) {
        write_numbers("a", 1, COUNT);
        write_numbers("b", 2, COUNT / 2);
        struct gs_task task = numbers(files, 2, "a");
        task.memory_limit = limit;
        CHECK_EQUAL(do_task(gs_sort_files, task, &stats, &err), GS_OK);
        CHECK_EQUAL(stats.keys_out, COUNT + COUNT / 2);
        CHECK(is_sorted("a", COUNT + COUNT / 2));
        CHECK(!is_sorted("b", COUNT / 2));
        CHECK((stats.temporary_bytes > 0) == (limit > 0));
    }
}

static void test_merge(void)
{
    static const char *const files[] = {"c", "d"};
    struct gs_stats stats;
    struct gs_error err;
    for (int i = 0; i < 2; i++) {
        write_numbers(files[i], (uint64_t)i + 3, COUNT);
        CHECK_EQUAL(do_task(gs_sort_files, numbers(&files[i], 1, files[i]), &stats, &err), GS_OK);
    }
    CHECK_EQUAL(do_task(gs_merge_files, numbers(files, 2, "e"), &stats, &err), GS_OK);
    CHECK(is_sorted("e", 2 * COUNT));
    write_numbers("d", 5, COUNT);
    CHECK_EQUAL(do_task(gs_merge_files, numbers(files, 2, "f"), &stats, &err), GS_ERR_INPUT);
    CHECK(strstr(err.text, "d:") == err.text && strstr(err.text, "disorder") != NULL);
    CHECK(!exists("f"));
}

static void test_check(void)
{
    static const uint64_t some[] = {1, 2, 2, 9, 4};
    static const char *const files[] = {"g", "h"};
    struct gs_progress progress = {.done = 0};
    struct gs_disorder disorder;
    struct gs_error err = {.status = GS_OK};
    write_file("g", some, 4 * sizeof *some);
    write_file("h", some + 4, sizeof *some);
    for (size_t count = 1; count <= 2; count++) {
        struct gs_task task = numbers(files, count, NULL);
        CHECK_EQUAL(gs_task_prepare(&task, true, &err), GS_OK);
        CHECK_EQUAL(gs_check_files(&task, &progress, &disorder, &err), GS_OK);
        CHECK(disorder.found == (count == 2));
        gs_task_free(&task);
    }
    CHECK(strcmp(disorder.name, "h") == 0 && disorder.index == 0);
    CHECK(strstr(disorder.text, "4") != NULL && strstr(disorder.text, "9") != NULL);
}

/* The caller says no, or the input is something else: the old output stays. */
static enum gs_status refuse(const void *context, struct gs_error *err)
{
    return gs_fail(err, GS_ERR_INPUT, 0, "%s", (const char *)context);
}

static void test_refused(void)
{
    static const char *const files[] = {"i"};
    struct gs_stats stats;
    struct gs_error err;
    write_numbers("i", 6, COUNT);
    write_file("old", "old", 3);
    struct gs_task task = numbers(files, 1, "old");
    task.hooks.consent = refuse;
    task.hooks.consent_context = "not now";
    CHECK_EQUAL(do_task(gs_sort_files, task, &stats, &err), GS_ERR_INPUT);
    CHECK(strcmp(err.text, "not now") == 0);
    write_file("i", "\x1f\x8b\x08\0\0\0\0\0\0\x03 and so on....", 24);
    CHECK_EQUAL(do_task(gs_sort_files, numbers(files, 1, "old"), &stats, &err), GS_ERR_INPUT);
    CHECK(strstr(err.text, "i: ") == err.text);
    task = numbers(files, 1, "old");
    task.named.type = "u65";
    CHECK_EQUAL(do_task(gs_sort_files, task, &stats, &err), GS_ERR_USAGE);
    struct stat status;
    CHECK(stat("old", &status) == 0 && status.st_size == 3);
}

int main(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    struct sigaction before[SIGRTMIN];
    memset(before, 0, sizeof before);
    for (int signal = 1; signal < SIGRTMIN; signal++)
        (void)sigaction(signal, NULL, &before[signal]);
    if (!CHECK(mkdtemp(directory) != NULL && chdir(directory) == 0))
        return check_failures();
    /* What is printed goes to a file, where nothing may be but failed checks. */
    const int own = dup(STDERR_FILENO);
    const int said = open("said", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(own >= 0 && dup2(said, STDOUT_FILENO) >= 0 && dup2(said, STDERR_FILENO) >= 0);
    test_sort();
    test_merge();
    test_check();
    test_refused();
    char text[4096];
    const ssize_t bytes = pread(said, text, sizeof text, 0);
    CHECK(dup2(own, STDERR_FILENO) >= 0);
    if (!CHECK(bytes == 0) && bytes > 0)
        fprintf(stderr, "%.*s", (int)bytes, text);
    for (int signal = 1; signal < SIGRTMIN; signal++)
        CHECK(sigaction(signal, NULL, &action) != 0 ||
              action.sa_handler == before[signal].sa_handler);
    for (char name[2] = "a"; *name <= 'i'; ++*name)
        (void)unlink(name);
    (void)unlink("old");
    (void)unlink("said");
    CHECK(chdir("/") == 0 && rmdir(directory) == 0);
    return check_failures();
}

/* test_library_files.c -- sort, merge and check files by the library: in memory and through disk.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gsort.h"

#include "common/random.h"
#include "tests/unit/check.h"
#include "tests/unit/files_here.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COUNT = 3000000 };

static uint64_t keys[COUNT], sorted[COUNT], got[COUNT + 1];
static char directory[] = "/tmp/gsort-test-XXXXXX";

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "w");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static size_t read_file(const char *name)
{
    FILE *file = fopen(name, "r");
    const size_t bytes = file == NULL ? 0 : fread(got, 1, sizeof got, file);
    if (file != NULL)
        fclose(file);
    return bytes;
}

static int cancel(void *context, const struct gsort_progress *progress)
{
    (void)progress;
    ++*(unsigned *)context;
    return 1;
}

/* With this much memory; 0: all there is. */
static void check_sort(uint64_t memory_bytes)
{
    static const char *const inputs[] = {"a.bin", "b.bin"}, *const here[] = {"."};
    struct gsort_format *format = gsort_format_parse("u64", NULL);
    struct gsort_files files = GSORT_FILES_INIT;
    struct gsort_options options = GSORT_OPTIONS_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    uint64_t kept = 0;
    unsigned calls = 0;
    files.inputs = inputs;
    files.input_count = 2;
    files.output = "out.bin";
    files.directories = here;
    files.directory_count = 1;
    options.memory_bytes = memory_bytes;
    options.threads = 2;
    CHECK_EQUAL(gsort_sort_files(format, &files, &options, &kept, &error), GSORT_OK);
    CHECK_EQUAL(kept, COUNT);
    CHECK_EQUAL(read_file("out.bin"), sizeof keys);
    CHECK(memcmp(got, sorted, sizeof sorted) == 0);
    unlink("out.bin");
    options.progress = cancel;
    options.context = &calls;
    CHECK_EQUAL(gsort_sort_files(format, &files, &options, &kept, &error), GSORT_CANCELLED);
    CHECK_EQUAL(calls, 1);
    CHECK_EQUAL(files_here(), 2);
    gsort_format_free(format);
}

static void test_merge_and_check(void)
{
    static const char *const inputs[] = {"c.bin", "d.bin"};
    struct gsort_format *format = gsort_format_parse("u64", NULL);
    struct gsort_files files = GSORT_FILES_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    int ordered = 0;
    write_file("c.bin", sorted, 1000 * sizeof *sorted);
    write_file("d.bin", sorted + 500, 1000 * sizeof *sorted);
    files.inputs = inputs;
    files.input_count = 1;
    CHECK_EQUAL(gsort_check_files(format, &files, NULL, &ordered, &error), GSORT_OK);
    CHECK_EQUAL((unsigned)ordered, 1);
    files.input_count = 2;
    CHECK_EQUAL(gsort_check_files(format, &files, NULL, &ordered, &error), GSORT_OK);
    CHECK_EQUAL((unsigned)ordered, 0);
    CHECK(strncmp(error.line, "d.bin:0: disorder: ", 19) == 0);
    files.output = "c.bin"; /* which is an input */
    CHECK_EQUAL(gsort_merge_files(format, &files, NULL, NULL, &error), GSORT_OK);
    CHECK_EQUAL(read_file("c.bin"), 2000 * sizeof *sorted);
    files.input_count = 1;
    CHECK_EQUAL(gsort_check_files(format, &files, NULL, &ordered, &error), GSORT_OK);
    CHECK_EQUAL((unsigned)ordered, 1);
    unlink("c.bin");
    unlink("d.bin");
    gsort_format_free(format);
}

static void test_refusals(void)
{
    static const char *const inputs[] = {"a.bin", "none.bin", "-"};
    struct gsort_format *format = gsort_format_parse("R8 k0:u32", NULL);
    struct gsort_files files = GSORT_FILES_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    CHECK_EQUAL(gsort_sort_files(format, NULL, NULL, NULL, &error), GSORT_USAGE);
    CHECK_EQUAL(gsort_sort_files(format, &files, NULL, NULL, &error), GSORT_USAGE);
    files.inputs = inputs;
    files.input_count = 2;
    files.output = "out.bin";
    CHECK_EQUAL(gsort_sort_files(format, &files, NULL, NULL, &error), GSORT_INPUT);
    CHECK(strstr(error.line, "none.bin: ") == error.line);
    files.input_count = 3;
    CHECK_EQUAL(gsort_sort_files(format, &files, NULL, NULL, &error), GSORT_USAGE);
    files.input_count = 1;
    write_file("e.bin", keys, 13);
    files.inputs = &(const char *){"e.bin"};
    CHECK_EQUAL(gsort_sort_files(format, &files, NULL, NULL, &error), GSORT_INPUT);
    unlink("e.bin");
    CHECK_EQUAL(files_here(), 2);
    gsort_format_free(format);
}

/* Sort what comes through a pipe. */
static void *sort_pipe(void *context)
{
    struct gsort_format *format = gsort_format_parse("u64", NULL);
    struct gsort_files files = GSORT_FILES_INIT;
    (void)context;
    files.inputs = &(const char *){"pipe"};
    files.input_count = 1;
    files.output = "piped.bin";
    CHECK_EQUAL(gsort_sort_files(format, &files, NULL, NULL, NULL), GSORT_OK);
    gsort_format_free(format);
    return NULL;
}

/* A call that waits for its input holds up no other one. */
static void test_two_at_once(void)
{
    pthread_t thread;
    CHECK(mkfifo("pipe", 0600) == 0);
    alarm(60);
    CHECK(pthread_create(&thread, NULL, sort_pipe, NULL) == 0);
    const int fd = open("pipe", O_WRONLY); /* it has begun */
    test_merge_and_check();
    CHECK(write(fd, keys, 1000 * sizeof *keys) == 1000 * sizeof *keys);
    close(fd);
    pthread_join(thread, NULL);
    alarm(0);
    CHECK_EQUAL(read_file("piped.bin"), 1000 * sizeof *keys);
    CHECK(unlink("pipe") == 0 && unlink("piped.bin") == 0);
}

int main(void)
{
    struct gsort_format *format = gsort_format_parse("u64", NULL);
    if (mkdtemp(directory) == NULL || chdir(directory) != 0)
        abort();
    for (uint64_t i = 0; i < COUNT; i++)
        keys[i] = gs_random(1, i);
    write_file("a.bin", keys, 1000 * sizeof *keys);
    write_file("b.bin", keys + 1000, sizeof keys - 1000 * sizeof *keys);
    CHECK_EQUAL(gsort_sort(format, keys, sorted, COUNT, NULL, NULL, NULL), GSORT_OK);
    check_sort(0);
    check_sort(8 << 20);
    test_merge_and_check();
    test_refusals();
    test_two_at_once();
    gsort_format_free(format);
    unlink("a.bin");
    unlink("b.bin");
    CHECK_EQUAL(files_here(), 0);
    CHECK(chdir("/") == 0 && rmdir(directory) == 0);
    return check_failures();
}

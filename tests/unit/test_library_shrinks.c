/* test_library_shrinks.c -- a file is shortened during a call of the library, under GSORT_READ
 * SPDX-License-Identifier: MIT
 *
 * A named pipe holds the call up: when it is its turn to be read, the callback shortens the file.
 */
#include "sort/gsort.h"

#include "common/random.h"
#include "tests/unit/check.h"
#include "tests/unit/files_here.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COUNT = 1000000, FILES = 2 };

static uint64_t keys[COUNT], sorted[COUNT + 1], got[COUNT + 2];
static char directory[] = "/tmp/gsort-test-XXXXXX";

static void write_file(const void *bytes)
{
    FILE *file = fopen("a.bin", "w");
    if (file == NULL || fwrite(bytes, 1, sizeof keys, file) != sizeof keys || fclose(file) != 0)
        abort();
}

struct shortening {
    uint64_t key; /* that comes through the pipe */
    unsigned times;
};

/* Shorten the file once the pipe has a reader, and give that a key. */
static int shorten(void *context, const struct gsort_progress *progress)
{
    struct shortening *shortening = context;
    const int fd = open("pipe", O_WRONLY | O_NONBLOCK);
    (void)progress;
    if (fd < 0)
        return 0;
    shortening->times++;
    CHECK(truncate("a.bin", 4096) == 0);
    CHECK(write(fd, &shortening->key, sizeof shortening->key) == sizeof shortening->key);
    close(fd);
    return 0;
}

enum call { SORT, MERGE, CHECK_ORDER };

/* The file before the pipe, whole when it is read; or behind it, and shorter by then. */
static void check_call(enum call call, bool before, uint64_t memory_bytes)
{
    const char *const inputs[] = {before ? "a.bin" : "pipe", before ? "pipe" : "a.bin"};
    static const char *const here[] = {"."};
    const enum gsort_status expected = before ? GSORT_OK : GSORT_INPUT;
    struct gsort_format *format = gsort_format_parse("u64", NULL);
    struct gsort_files files = GSORT_FILES_INIT;
    struct gsort_options options = GSORT_OPTIONS_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    struct shortening shortening = {.key = before ? UINT64_MAX : 0};
    int ordered = 0;
    write_file(call == SORT ? keys : sorted);
    files.inputs = inputs;
    files.input_count = FILES;
    files.output = call == CHECK_ORDER ? NULL : "out.bin";
    files.directories = here;
    files.directory_count = 1;
    options.flags = GSORT_READ;
    options.memory_bytes = memory_bytes;
    options.threads = 2;
    options.progress = shorten;
    options.context = &shortening;
    if (call == CHECK_ORDER)
        CHECK_EQUAL(gsort_check_files(format, &files, &options, &ordered, &error), expected);
    else
        CHECK_EQUAL((call == SORT ? gsort_sort_files : gsort_merge_files)(format, &files, &options,
                                                                          NULL, &error),
                    expected);
    CHECK_EQUAL(shortening.times, 1);
    CHECK_EQUAL((unsigned)ordered, before && call == CHECK_ORDER ? 1 : 0);
    if (!before)
        CHECK(strcmp(error.line, "a.bin: file shrank before it was read") == 0);
    if (before && call != CHECK_ORDER) {
        FILE *file = fopen("out.bin", "r");
        CHECK(file != NULL && fread(got, 1, sizeof got, file) == sizeof sorted);
        CHECK(memcmp(got, sorted, sizeof sorted) == 0);
        fclose(file);
        unlink("out.bin");
    }
    CHECK_EQUAL(files_here(), FILES);
    gsort_format_free(format);
}

int main(void)
{
    struct gsort_format *format = gsort_format_parse("u64", NULL);
    if (mkdtemp(directory) == NULL || chdir(directory) != 0 || mkfifo("pipe", 0600) != 0)
        abort();
    for (uint64_t i = 0; i < COUNT; i++)
        keys[i] = gs_random(1, i);
    CHECK_EQUAL(gsort_sort(format, keys, sorted, COUNT, NULL, NULL, NULL), GSORT_OK);
    sorted[COUNT] = UINT64_MAX;
    gsort_format_free(format);
    for (int before = 0; before < 2; before++) {
        check_call(SORT, before != 0, 0);
        check_call(SORT, before != 0, 1 << 20);
        check_call(MERGE, before != 0, 0);
        check_call(MERGE, before != 0, 1 << 20);
        check_call(CHECK_ORDER, before != 0, 0);
    }
    unlink("a.bin");
    unlink("pipe");
    CHECK(chdir("/") == 0 && rmdir(directory) == 0);
    return check_failures();
}

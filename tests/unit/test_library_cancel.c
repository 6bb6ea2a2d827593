/* test_library_cancel.c -- records that go through temporary files, cancelled at any moment.
 * SPDX-License-Identifier: MIT
 *
 * Cancelled later and later, until it is done before that. A sorter of several orders calls first
 * when it begins to write a chunk of records.
 */
#include "sort/gsort.h"

#include "common/random.h"
#include "tests/unit/check.h"
#include "tests/unit/files_here.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 800000, BYTES = 24, BATCH = 50000 };

static unsigned char records[COUNT * BYTES];
static char directory[] = "/tmp/gsort-test-XXXXXX";
static const char *const here[] = {"."};

struct cancelling {
    unsigned calls, at; /* says no at that call */
    struct timespec said;
};

static int cancel(void *context, const struct gsort_progress *progress)
{
    struct cancelling *cancelling = context;
    (void)progress;
    if (++cancelling->calls != cancelling->at)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &cancelling->said);
    return 1;
}

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

typedef enum gsort_status use(const struct gsort_format *format,
                              const struct gsort_options *options, struct gsort_error *error);

static enum gsort_status use_files(const struct gsort_format *format,
                                   const struct gsort_options *options, struct gsort_error *error)
{
    struct gsort_files files = GSORT_FILES_INIT;
    files.inputs = &(const char *){"in.bin"};
    files.input_count = 1;
    files.output = "out.bin";
    files.directories = here;
    files.directory_count = 1;
    const enum gsort_status status = gsort_sort_files(format, &files, options, NULL, error);
    if (status == GSORT_OK)
        CHECK(unlink("out.bin") == 0);
    return status;
}

static enum gsort_status use_sorter(const struct gsort_format *format,
                                    const struct gsort_options *options, struct gsort_error *error)
{
    const struct gsort_format *const orders[] = {format, format};
    const void *batch;
    enum gsort_status status = GSORT_OK;
    struct gsort_sorter *sorter = gsort_sorter_open(orders, 2, here, 1, options, error);
    for (size_t i = 0; i < COUNT && status == GSORT_OK; i += BATCH)
        status = gsort_sorter_push(sorter, records + i * BYTES, BATCH, error);
    if (status == GSORT_OK)
        status = gsort_sorter_finish(sorter, error);
    for (size_t order = 0; order < 2; order++)
        for (uint64_t count = 1; count > 0 && status == GSORT_OK;)
            status = gsort_sorter_pull(sorter, order, &batch, &count, error);
    gsort_sorter_free(sorter);
    return status;
}

/* heard: how many of the first calls come before work that cannot end without hearing that. */
static void check_cancelled(const char *text, use *with, unsigned heard)
{
    struct gsort_format *format = gsort_format_parse(text, NULL);
    struct gsort_options options = GSORT_OPTIONS_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    struct cancelling cancelling = {.at = 0};
    enum gsort_status status = GSORT_CANCELLED;
    options.memory_bytes = 4 << 20;
    options.threads = 2;
    options.progress = cancel;
    options.context = &cancelling;
    for (unsigned at = 1; status != GSORT_OK; at++) {
        cancelling = (struct cancelling){.at = at};
        status = with(format, &options, &error);
        CHECK(status == GSORT_OK ? at > heard : status == GSORT_CANCELLED);
        CHECK(status == GSORT_OK || strcmp(error.line, "cancelled") == 0);
        CHECK(status == GSORT_OK || seconds_since(&cancelling.said) < 1);
        CHECK_EQUAL(files_here(), 1);
        if (check_failures() != 0)
            break;
    }
    gsort_format_free(format);
}

int main(void)
{
    if (mkdtemp(directory) == NULL || chdir(directory) != 0)
        abort();
    for (size_t i = 0; i < sizeof records; i++)
        records[i] = (unsigned char)gs_random(1, i);
    FILE *file = fopen("in.bin", "w");
    CHECK(file != NULL && fwrite(records, BYTES, COUNT, file) == COUNT && fclose(file) == 0);
    check_cancelled("R24 k8:u64r k0:u64 s", use_files, 1);
    check_cancelled("R24 k0:u64", use_sorter, 3);
    CHECK(unlink("in.bin") == 0 && chdir("/") == 0 && rmdir(directory) == 0);
    return check_failures();
}

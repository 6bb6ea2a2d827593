/* every_call.c -- makes every call of libgsort once, for tests of faults and of threads.
 * SPDX-License-Identifier: MIT
 *
 * usage: every_call [THREADS]      in an empty directory; all of it in so many threads at once,
 *                                  and some calls cancelled
 *
 * A call may fail only by GSORT_MEMORY or, with files, GSORT_INPUT or GSORT_OUTPUT, and with a
 * line. Exit status: 0, or 1 with what was wrong on standard output.
 */
#include <gsort.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* COUNT: in several bins, and more than a sorter of the least memory holds. */
enum { COUNT = 70000, SOME = 5000 };

/* Say what is wrong, and end. */
static void complain(const char *call, const char *what)
{
    printf("%s: %s\n", call, what);
    exit(1);
}

/* Was it done, or refused as it may be? */
static int done(const char *call, enum gsort_status status, const struct gsort_error *error)
{
    if (status == GSORT_OK)
        return 1;
    if (status != error->status || error->line[0] == '\0')
        complain(call, "the error is not filled in");
    if (status != GSORT_MEMORY && status != GSORT_INPUT && status != GSORT_OUTPUT)
        complain(call, error->line);
    return 0;
}

/* Arrays of one format. */
struct work {
    struct gsort_format *format;
    struct gsort_options options;
    size_t bytes, count;
    char *in, *out;
    uint64_t *indices;
    struct gsort_error error;
};

static void check_order(struct work *work, const char *records)
{
    uint64_t disorder = 0;
    if (done("gsort_check",
             gsort_check(work->format, records, work->count, &work->options, &disorder,
                         &work->error),
             &work->error) &&
        disorder != work->count)
        complain("gsort_sort", "not in order");
}

static void sort_arrays(struct work *work)
{
    const size_t half = work->count / 2;
    const struct gsort_array parts[] = {{work->out, half},
                                        {work->out + half * work->bytes, work->count - half}};
    if (done("gsort_argsort",
             gsort_argsort(work->format, work->in, work->indices, 8, work->count, &work->options,
                           &work->error),
             &work->error) &&
        work->indices[0] >= work->count)
        complain("gsort_argsort", "no position");
    if (!done("gsort_sort",
              gsort_sort(work->format, work->in, work->out, work->count, &work->options, NULL,
                         &work->error),
              &work->error))
        return;
    check_order(work, work->out);
    if (done("gsort_merge",
             gsort_merge(work->format, parts, 2, work->in, &work->options, NULL, &work->error),
             &work->error) &&
        memcmp(work->in, work->out, work->count * work->bytes) != 0)
        complain("gsort_merge", "other records");
}

static void sort_in_place(struct work *work)
{
    if (done("gsort_sort",
             gsort_sort(work->format, work->in, work->in, work->count, &work->options, NULL,
                        &work->error),
             &work->error))
        check_order(work, work->in);
}

static void use_format(const char *text, size_t count)
{
    struct work work = {.options = GSORT_OPTIONS_INIT, .count = count, .error = GSORT_ERROR_INIT};
    char words[64];
    work.options.threads = 2;
    work.format = gsort_format_parse(text, &work.error);
    if (!done("gsort_format_parse", work.error.status, &work.error))
        return;
    work.bytes = gsort_format_record_bytes(work.format);
    if (gsort_format_describe(work.format, words, sizeof words) == 0)
        complain("gsort_format_describe", "nothing");
    work.in = malloc(count * work.bytes);
    work.out = malloc(count * work.bytes);
    work.indices = malloc(count * sizeof *work.indices);
    if (work.in != NULL && work.out != NULL && work.indices != NULL) {
        uint64_t state = count;
        for (size_t i = 0; i < count * work.bytes; i++)
            work.in[i] =
                (char)((state = state * 6364136223846793005U + 1442695040888963407U) >> 56);
        sort_arrays(&work);
        for (size_t i = 0; i < count * work.bytes; i++)
            work.in[i] =
                (char)((state = state * 6364136223846793005U + 1442695040888963407U) >> 56);
        sort_in_place(&work);
    }
    free(work.in);
    free(work.out);
    free(work.indices);
    gsort_format_free(work.format);
}

static void use_files(int thread)
{
    char in[32], out[32];
    const char *const inputs[] = {in, out};
    static const char *const here[] = {"."};
    struct gsort_files files = GSORT_FILES_INIT;
    struct gsort_options options = GSORT_OPTIONS_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    int ordered = 1;
    snprintf(in, sizeof in, "in-%d", thread);
    snprintf(out, sizeof out, "out-%d", thread);
    FILE *file = fopen(in, "w");
    for (unsigned i = 0; file != NULL && i < SOME; i++)
        fprintf(file, "%08x", i * 2654435761U);
    struct gsort_format *format = gsort_format_parse("R8 k0:b8", &error);
    if (file == NULL || fclose(file) != 0 || format == NULL) {
        unlink(in);
        gsort_format_free(format);
        return;
    }
    files.inputs = inputs;
    files.input_count = 1;
    files.output = out;
    files.directories = here;
    files.directory_count = 1;
    options.threads = 2;
    if (done("gsort_sort_files", gsort_sort_files(format, &files, &options, NULL, &error),
             &error)) {
        files.input_count = 2;
        files.inputs = (const char *const[]){out, out};
        done("gsort_merge_files", gsort_merge_files(format, &files, &options, NULL, &error),
             &error);
        files.input_count = 1;
        if (done("gsort_check_files", gsort_check_files(format, &files, &options, &ordered, &error),
                 &error) &&
            !ordered)
            complain("gsort_check_files", error.line);
        unlink(out);
    }
    unlink(in);
    gsort_format_free(format);
}

/* The second half of what is pushed has no room in memory. */
static void pull_orders(struct gsort_sorter *sorter, size_t order_count)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    const void *batch;
    for (size_t i = 0; i < order_count; i++) {
        uint64_t count = 1, all = 0, last = 0;
        while (count > 0) {
            if (!done("gsort_sorter_pull", gsort_sorter_pull(sorter, i, &batch, &count, &error),
                      &error))
                return;
            const uint64_t *rows = batch;
            for (uint64_t k = 0; k < count; k++, last = rows[3 * (k - 1)])
                if (rows[3 * k] < last)
                    complain("gsort_sorter_pull", "not in order");
            all += count;
        }
        if (all != COUNT)
            complain("gsort_sorter_pull", "other records");
    }
}

static void use_sorter(size_t order_count, uint64_t memory)
{
    static const char *const here[] = {"."};
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_options options = GSORT_OPTIONS_INIT;
    struct gsort_format *format = gsort_format_parse("R24 k0:u64", &error);
    const struct gsort_format *const orders[] = {format, format};
    if (format == NULL)
        return;
    options.memory_bytes = memory;
    options.threads = 2;
    struct gsort_sorter *sorter = gsort_sorter_open(orders, order_count, here, 1, &options, &error);
    if (sorter == NULL) {
        done("gsort_sorter_open", error.status, &error);
        gsort_format_free(format);
        return;
    }
    int all = 1;
    for (uint64_t i = 0; all && i < COUNT; i++) {
        const uint64_t row[] = {i * 11400714819323198485U, i, i};
        all = done("gsort_sorter_push", gsort_sorter_push(sorter, row, 1, &error), &error);
    }
    if (all && done("gsort_sorter_finish", gsort_sorter_finish(sorter, &error), &error))
        pull_orders(sorter, order_count);
    gsort_sorter_free(sorter);
    gsort_format_free(format);
}

/* Say no at the call that the context counts down to. */
static int say_no(void *context, const struct gsort_progress *progress)
{
    (void)progress;
    return --*(int *)context == 0;
}

static void check_cancelled(const char *call, enum gsort_status status, int left,
                            const struct gsort_error *error)
{
    if (left <= 0 ? status != GSORT_CANCELLED && status != GSORT_OK : status != GSORT_OK)
        complain(call, error->line);
}

/* Cancel what goes through temporary files: soon, and later. */
static void cancel_files(int thread)
{
    static const char *const here[] = {"."};
    char in[32], out[32];
    const char *const inputs[] = {in};
    struct gsort_files files = GSORT_FILES_INIT;
    struct gsort_options options = GSORT_OPTIONS_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse("R24 k0:u64 s", NULL);
    snprintf(in, sizeof in, "cancelled-in-%d", thread);
    snprintf(out, sizeof out, "cancelled-out-%d", thread);
    FILE *file = fopen(in, "w");
    for (uint64_t i = 0; i < COUNT; i++)
        fwrite((const uint64_t[]){i * 11400714819323198485U, i, i}, 24, 1, file);
    fclose(file);
    files.inputs = inputs;
    files.input_count = 1;
    files.output = out;
    files.directories = here;
    files.directory_count = 1;
    options.memory_bytes = 1;
    options.threads = 2;
    options.progress = say_no;
    for (int at = 1; at <= 8; at *= 2) {
        int left = at;
        options.context = &left;
        const enum gsort_status status = gsort_sort_files(format, &files, &options, NULL, &error);
        check_cancelled("gsort_sort_files", status, left, &error);
    }
    unlink(in);
    unlink(out);
    gsort_format_free(format);
}

static void cancel_sorter(void)
{
    static const char *const here[] = {"."};
    struct gsort_options options = GSORT_OPTIONS_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse("R24 k0:u64", NULL);
    const struct gsort_format *const orders[] = {format};
    options.memory_bytes = 1;
    options.threads = 2;
    options.progress = say_no;
    for (int at = 1; at <= 8; at *= 2) {
        int left = at;
        const void *batch;
        uint64_t count = 1;
        enum gsort_status status = GSORT_OK;
        options.context = &left;
        struct gsort_sorter *sorter = gsort_sorter_open(orders, 1, here, 1, &options, &error);
        for (uint64_t i = 0; status == GSORT_OK && i < COUNT; i++) {
            const uint64_t row[] = {i * 11400714819323198485U, i, i};
            status = gsort_sorter_push(sorter, row, 1, &error);
        }
        if (status == GSORT_OK)
            status = gsort_sorter_finish(sorter, &error);
        while (status == GSORT_OK && count > 0)
            status = gsort_sorter_pull(sorter, 0, &batch, &count, &error);
        check_cancelled("gsort_sorter_pull", status, left, &error);
        gsort_sorter_free(sorter);
    }
    gsort_format_free(format);
}

static void *make_calls(void *thread)
{
    static const char *const formats[] = {"u32", "f64", "R12 k4:u64r", "R20 k0:b4 s", "u8 r"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        use_format(formats[i], 1000);
        use_format(formats[i], COUNT);
    }
    use_files(*(const int *)thread);
    use_sorter(1, 0);
    use_sorter(1, 1);
    use_sorter(2, 1);
    return NULL;
}

static void *make_and_cancel_calls(void *thread)
{
    make_calls(thread);
    cancel_files(*(const int *)thread);
    cancel_sorter();
    return NULL;
}

int main(int argc, char **argv)
{
    static const int numbers[] = {0, 1, 2, 3};
    pthread_t threads[4];
    const int count = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 1; i < count && i < 4; i++)
        if (pthread_create(&threads[i], NULL, make_and_cancel_calls, (void *)(size_t)&numbers[i]) !=
            0)
            complain("pthread_create", "failed");
    (argc > 1 ? make_and_cancel_calls : make_calls)((void *)(size_t)&numbers[0]);
    for (int i = 1; i < count && i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/* test_library_calls.c -- merge, check, progress and cancelling, and what a call leaves behind.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gsort.h"

#include "common/random.h"
#include "tests/unit/check.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __clang__
#define CLANG true
#else
#define CLANG false
#endif

enum { MANY = 1500000 };

static const char *const formats[] = {"u32", "u64 r", "f32", "R12 k4:u64", "R20 k0:b20"};
enum { FORMATS = sizeof formats / sizeof *formats };

/* An array of random bytes. */
static unsigned char *make(uint64_t count, size_t bytes, uint64_t seed)
{
    unsigned char *records = malloc(count * bytes + 1);
    if (records == NULL)
        abort();
    for (uint64_t i = 0; i < count * bytes; i++)
        records[i] = (unsigned char)gs_random(seed, i);
    return records;
}

/* Merging sorted parts is sorting the whole. */
static void check_merge(const char *text, uint64_t count)
{
    struct gsort_format *format = gsort_format_parse(text, NULL);
    const size_t bytes = gsort_format_record_bytes(format);
    unsigned char *records = make(count, bytes, 1);
    unsigned char *merged = malloc(count * bytes + 1);
    const uint64_t cut = count / 3;
    const struct gsort_array arrays[] = {
        {records, cut}, {records + cut * bytes, 0}, {records + cut * bytes, count - cut}};
    uint64_t kept = 0, disorder = 0;
    struct gsort_error error = GSORT_ERROR_INIT;
    gsort_sort(format, records, records, cut, NULL, NULL, NULL);
    gsort_sort(format, records + cut * bytes, records + cut * bytes, count - cut, NULL, NULL, NULL);
    CHECK_EQUAL(gsort_merge(format, arrays, 3, merged, NULL, &kept, &error), GSORT_OK);
    CHECK_EQUAL(kept, count);
    CHECK_EQUAL(gsort_check(format, merged, count, NULL, &disorder, &error), GSORT_OK);
    CHECK_EQUAL(disorder, count);
    CHECK_EQUAL(gsort_merge(format, arrays, 3, records, NULL, &kept, &error), GSORT_USAGE);
    CHECK(strcmp(error.line, "array 0 overlaps the output: merge into another array") == 0);
    gsort_sort(format, records, records, count, NULL, NULL, NULL);
    CHECK(memcmp(records, merged, count * bytes) == 0);
    free(records);
    free(merged);
    gsort_format_free(format);
}

/* Disorder is found, by index, and named where it is merged. */
static void test_disorder(void)
{
    struct gsort_format *format = gsort_format_parse("u32", NULL);
    uint32_t keys[] = {1, 2, 2, 5, 4}, merged[10];
    const struct gsort_array arrays[] = {{keys, 4}, {keys, 5}};
    struct gsort_options unique = GSORT_OPTIONS_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    uint64_t at;
    unique.flags = GSORT_UNIQUE;
    CHECK_EQUAL(gsort_check(format, keys, 5, NULL, &at, NULL), GSORT_OK);
    CHECK_EQUAL(at, 4);
    CHECK_EQUAL(gsort_check(format, keys, 5, &unique, &at, NULL), GSORT_OK);
    CHECK_EQUAL(at, 2);
    CHECK_EQUAL(gsort_check(format, keys, 0, NULL, &at, NULL), GSORT_OK);
    CHECK_EQUAL(at, 0);
    CHECK_EQUAL(gsort_merge(format, arrays, 2, merged, NULL, NULL, &error), GSORT_INPUT);
    CHECK(strcmp(error.line, "array 1:4: disorder: 4 after 5") == 0);
    gsort_format_free(format);
}

struct watch {
    unsigned calls, cancel_at;
    pthread_t thread;
};

static int look(void *context, const struct gsort_progress *progress)
{
    struct watch *watch = context;
    watch->calls++;
    CHECK(progress->size == sizeof *progress && pthread_equal(pthread_self(), watch->thread));
    return watch->calls == watch->cancel_at;
}

/* A callback in the caller's own thread; its word ends a sort or a merge of any kind. */
static void check_cancel(const char *text, uint64_t count, bool merges)
{
    struct gsort_format *format = gsort_format_parse(text, NULL);
    const size_t bytes = gsort_format_record_bytes(format);
    unsigned char *records = make(count, bytes, 2);
    unsigned char *sorted = malloc(count * bytes + 1);
    const struct gsort_array array = {sorted, count};
    struct watch watch = {.cancel_at = 1, .thread = pthread_self()};
    struct gsort_options options = GSORT_OPTIONS_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    if (merges)
        gsort_sort(format, records, sorted, count, NULL, NULL, NULL);
    options.progress = look;
    options.context = &watch;
    CHECK_EQUAL(merges ? gsort_merge(format, &array, 1, records, &options, NULL, &error)
                       : gsort_sort(format, records, sorted, count, &options, NULL, &error),
                GSORT_CANCELLED);
    CHECK_EQUAL(watch.calls, 1);
    CHECK(strcmp(error.line, "cancelled") == 0);
    watch = (struct watch){.thread = pthread_self()};
    CHECK_EQUAL(gsort_sort(format, records, sorted, count, &options, NULL, &error), GSORT_OK);
    CHECK(watch.calls >= 1);
    free(records);
    free(sorted);
    gsort_format_free(format);
}

static void sort_some(uint64_t count, uint64_t seed)
{
    struct gsort_format *format = gsort_format_parse("u64", NULL);
    struct gsort_options options = GSORT_OPTIONS_INIT;
    uint64_t disorder = 0;
    unsigned char *keys = make(count, 8, seed);
    options.threads = 3;
    CHECK_EQUAL(gsort_sort(format, keys, keys, count, &options, NULL, NULL), GSORT_OK);
    CHECK_EQUAL(gsort_check(format, keys, count, NULL, &disorder, NULL), GSORT_OK);
    CHECK_EQUAL(disorder, count);
    free(keys);
    gsort_format_free(format);
}

static void *sort_in_thread(void *seed)
{
    sort_some(1000, *(const uint64_t *)seed);
    sort_some(MANY, *(const uint64_t *)seed);
    return NULL;
}

/* Two sorts at once, from threads with stacks of 64 KiB. */
static void test_threads(void)
{
    static const uint64_t seeds[] = {3, 4};
    pthread_t threads[2];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, 64 << 10) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], &attributes, sort_in_thread, (void *)&seeds[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
}

/* A child sorts after its parent has. */
static void test_fork(void)
{
    sort_some(MANY, 5);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        sort_some(1000, 6);
        sort_some(MANY, 6);
        _exit(check_failures());
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The number of this process's threads. */
static unsigned count_threads(void)
{
    char line[256];
    unsigned count = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Threads: %u", &count) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return count;
}

/* No thread is left; mask, affinity and handlers are as they were. */
static void test_leaves_nothing(void)
{
    cpu_set_t processors, processors_after;
    sigset_t mask, mask_after;
    static struct sigaction actions[NSIG];
    struct sigaction action;
    for (int i = 1; i < NSIG; i++)
        (void)sigaction(i, NULL, &actions[i]);
    sched_getaffinity(0, sizeof processors, &processors);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    sort_some(MANY, 7);
    /* Clang's runtime keeps its threads; the library's own serves what GCC makes. */
    CHECK(count_threads() == 1 || CLANG);
    sched_getaffinity(0, sizeof processors_after, &processors_after);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    CHECK(CPU_EQUAL(&processors, &processors_after));
    for (int i = 1; i < NSIG; i++) {
        CHECK(sigismember(&mask, i) == sigismember(&mask_after, i));
        if (sigaction(i, NULL, &action) == 0)
            CHECK(action.sa_handler == actions[i].sa_handler);
    }
}

int main(void)
{
    test_leaves_nothing();
    for (int i = 0; i < FORMATS; i++) {
        check_merge(formats[i], 2000);
        check_merge(formats[i], 100000);
        check_cancel(formats[i], 500, false);
        check_cancel(formats[i], 200000, false);
        check_cancel(formats[i], 200000, true);
    }
    test_disorder();
    test_threads();
    test_fork();
    return check_failures();
}

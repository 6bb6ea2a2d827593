/* test_library_sorter.c -- the library's sorter: pushed, pulled in several orders, given up.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gsort.h"

#include "common/random.h"
#include "tests/unit/check.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Too little, so that it is the least: then some MiB of records go to temporary files. */
#define LITTLE UINT64_C(1)

static char directory[] = "/tmp/gsort-sorter-XXXXXX";
static const char *const directories[] = {directory};

static bool is_empty(void)
{
    int entries = 0;
    DIR *open_directory = opendir(directory);
    while (readdir(open_directory) != NULL)
        entries++;
    closedir(open_directory);
    return entries == 2;
}

/* Descriptors, and threads. */
static int count_entries(const char *name)
{
    int entries = 0;
    DIR *open_directory = opendir(name);
    while (readdir(open_directory) != NULL)
        entries++;
    closedir(open_directory);
    return entries;
}

static uint64_t number(const unsigned char *bytes, unsigned width)
{
    uint64_t value = 0;
    memcpy(&value, bytes, width);
    return value;
}

static int compare_numbers(const unsigned char *a, const unsigned char *b, unsigned width)
{
    const uint64_t x = number(a, width);
    const uint64_t y = number(b, width);
    return (x > y) - (x < y);
}

static int compare_u8(const void *a, const void *b)
{
    return compare_numbers(a, b, 1);
}

static int compare_u32(const void *a, const void *b)
{
    return compare_numbers(a, b, 4);
}

static int compare_u64_reversed(const void *a, const void *b)
{
    return compare_numbers(b, a, 8);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_16(const void *a, const void *b)
{
    return memcmp(a, b, 16);
}

/* Of equal keys, the number behind them ascends in the input. */
static int compare_rows(const void *a, const void *b)
{
    const unsigned char *x = a, *y = b;
    const int first = compare_numbers(y + 8, x + 8, 8);
    const int second = compare_numbers(x, y, 8);
    return first != 0 ? first : second != 0 ? second : compare_numbers(x + 16, y + 16, 8);
}

static int compare_last(const void *a, const void *b)
{
    const unsigned char *x = a, *y = b;
    const int first = compare_numbers(x + 16, y + 16, 8);
    return first != 0 ? first : compare_numbers(x, y, 8);
}

struct kind {
    const char *text;
    size_t bytes;
    int (*compare)(const void *a, const void *b);
    uint64_t many; /* records for which LITTLE has no room */
};

static const struct kind kinds[] = {
    {"u8", 1, compare_u8, 3000000},
    {"u32", 4, compare_u32, 1500000},
    {"u64 r", 8, compare_u64_reversed, 1000000},
    {"f64", 8, compare_doubles, 1000000},
    {"b16", 16, compare_16, 500000},
    {"R24 k8:u64r k0:u64 s", 24, compare_rows, 300000},
    {"R65536 k0:u32", 65536, compare_u32, 700},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Random records; those of 24 bytes have keys that repeat, and their number. Doubles are no NaNs.
 */
static unsigned char *make(const struct kind *kind, uint64_t count)
{
    unsigned char *records = calloc(count + 1, kind->bytes);
    if (records == NULL)
        abort();
    for (uint64_t i = 0; i < count; i++) {
        unsigned char *record = records + i * kind->bytes;
        if (kind->compare == compare_rows) {
            const uint64_t row[] = {gs_random(1, i) % 7, gs_random(2, i) % 1000, i};
            memcpy(record, row, sizeof row);
        } else if (kind->compare == compare_doubles) {
            const double value = (double)gs_random(3, i) - 1e19;
            memcpy(record, &value, sizeof value);
        } else {
            for (size_t k = 0; k < kind->bytes; k += k < 24 ? 1 : 4096)
                record[k] = (unsigned char)gs_random(4 + k, i);
        }
    }
    return records;
}

static struct gsort_sorter *open_sorter(const struct gsort_format *format, uint64_t memory,
                                        struct gsort_error *error)
{
    struct gsort_options options = GSORT_OPTIONS_INIT;
    options.memory_bytes = memory;
    options.threads = 2;
    return gsort_sorter_open(&format, 1, directories, 1, &options, error);
}

/* All that is pulled, in an array to be freed. */
static unsigned char *pull_all(struct gsort_sorter *sorter, size_t order, size_t bytes,
                               uint64_t most, uint64_t *pulled)
{
    unsigned char *all = malloc(most * bytes + 1);
    const void *batch;
    uint64_t count;
    struct gsort_error error = GSORT_ERROR_INIT;
    *pulled = 0;
    if (all == NULL)
        abort();
    do {
        if (!CHECK_EQUAL(gsort_sorter_pull(sorter, order, &batch, &count, &error), GSORT_OK))
            fprintf(stderr, "%s\n", error.line);
        if (!CHECK(count <= most - *pulled))
            break;
        if (count > 0)
            memcpy(all + *pulled * bytes, batch, count * bytes);
        *pulled += count;
    } while (count > 0);
    return all;
}

/* The kind's many records, which are made once. */
static const unsigned char *many(const struct kind *kind)
{
    static unsigned char *made[KINDS];
    unsigned char **records = &made[kind - kinds];
    if (*records == NULL)
        *records = make(kind, kind->many);
    return *records;
}

/* Push in batches of about so many records, and pull what is `sorted`. */
static void check_sorter(const struct kind *kind, const unsigned char *sorted, uint64_t count,
                         uint64_t batch, uint64_t memory)
{
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_format *format = gsort_format_parse(kind->text, &error);
    struct gsort_sorter *sorter = open_sorter(format, memory, &error);
    const unsigned char *records = many(kind);
    uint64_t pulled;
    for (uint64_t i = 0, here; i < count; i += here) {
        here = batch + gs_random(5, i) % batch;
        here = here < count - i ? here : count - i;
        CHECK_EQUAL(gsort_sorter_push(sorter, records + i * kind->bytes, here, &error), GSORT_OK);
    }
    CHECK_EQUAL(gsort_sorter_finish(sorter, &error), GSORT_OK);
    unsigned char *got = pull_all(sorter, 0, kind->bytes, count, &pulled);
    CHECK_EQUAL(pulled, count);
    if (!CHECK(memcmp(got, sorted, count * kind->bytes) == 0))
        fprintf(stderr, "%s: %" PRIu64 " records by %" PRIu64 "\n", kind->text, count, batch);
    gsort_sorter_free(sorter);
    CHECK(is_empty());
    free(got);
    gsort_format_free(format);
}

static void test_sizes(const struct kind *kind)
{
    static const uint64_t counts[] = {0, 1, 2, 1000, 65535, 65536, 65537};
    unsigned char *sorted = malloc(kind->many * kind->bytes);
    if (sorted == NULL)
        abort();
    for (size_t i = 0; i <= sizeof counts / sizeof *counts; i++) {
        const uint64_t count = i < sizeof counts / sizeof *counts ? counts[i] : kind->many;
        if (count > kind->many)
            continue;
        memcpy(sorted, many(kind), count * kind->bytes);
        qsort(sorted, count, kind->bytes, kind->compare);
        if (count < kind->many)
            check_sorter(kind, sorted, count, 300, 0);
    }
    check_sorter(kind, sorted, kind->many, 3000, 0);
    check_sorter(kind, sorted, kind->many, 3000, LITTLE);
    check_sorter(kind, sorted, kind->many, kind->many, LITTLE);
    free(sorted);
}

/* Three orders of one copy, in memory and in temporary files, pulled in any sequence. */
static void check_orders(uint64_t count, uint64_t memory)
{
    static const char *const texts[] = {"R24 k8:u64r k0:u64 s", "R24 k0:u32 s",
                                        "R24 k16:u64 k0:u64"};
    static int (*const compare[])(const void *, const void *) = {compare_rows, NULL, compare_last};
    static const size_t turns[] = {2, 0};
    struct gsort_format *formats[3];
    const struct gsort_format *orders[3];
    struct gsort_options options = GSORT_OPTIONS_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    unsigned char *records = make(&kinds[5], count);
    const void *batch;
    uint64_t pulled;
    options.memory_bytes = memory;
    for (int i = 0; i < 3; i++)
        orders[i] = formats[i] = gsort_format_parse(texts[i], NULL);
    struct gsort_sorter *sorter = gsort_sorter_open(orders, 3, directories, 1, &options, &error);
    for (uint64_t i = 0; i < count; i += 1000)
        CHECK_EQUAL(gsort_sorter_push(sorter, records + i * 24, count - i < 1000 ? count - i : 1000,
                                      &error),
                    GSORT_OK);
    CHECK_EQUAL(gsort_sorter_finish(sorter, &error), GSORT_OK);
    CHECK_EQUAL(gsort_sorter_pull(sorter, 1, &batch, &pulled, &error), GSORT_OK);
    CHECK(pulled > 0);
    for (int i = 0; i < 2; i++) {
        unsigned char *got = pull_all(sorter, turns[i], 24, count, &pulled);
        qsort(records, count, 24, compare[turns[i]]);
        CHECK_EQUAL(pulled, count);
        CHECK(memcmp(got, records, count * 24) == 0);
        free(got);
    }
    CHECK_EQUAL(gsort_sorter_pull(sorter, 1, &batch, &pulled, &error), GSORT_USAGE);
    CHECK(strcmp(error.line, "order 1 has been pulled before: once is all") == 0);
    gsort_sorter_free(sorter);
    CHECK(is_empty());
    for (int i = 0; i < 3; i++)
        gsort_format_free(formats[i]);
    free(records);
}

enum { PUSHERS = 3, PUSHES = 200, BATCH = 500 };

struct pusher {
    struct gsort_sorter *sorter;
    uint64_t number;
};

static void *push_many(void *context)
{
    const struct pusher *pusher = context;
    static _Thread_local uint64_t rows[BATCH][3];
    for (uint64_t i = 0; i < PUSHES; i++) {
        for (uint64_t k = 0; k < BATCH; k++) {
            rows[k][0] = 5;
            rows[k][1] = (i * BATCH + k) % 11;
            rows[k][2] = pusher->number << 32 | (i * BATCH + k);
        }
        CHECK_EQUAL(gsort_sorter_push(pusher->sorter, rows, BATCH, NULL), GSORT_OK);
    }
    return NULL;
}

/* Several threads push, with small stacks: equal records of each are in its order, and those of one
 * push next to each other. */
static void check_pushers(uint64_t memory)
{
    struct gsort_format *format = gsort_format_parse("R24 k8:u64r k0:u64 s", NULL);
    struct gsort_sorter *sorter = open_sorter(format, memory, NULL);
    struct pusher pushers[PUSHERS];
    pthread_t threads[PUSHERS];
    pthread_attr_t small;
    uint64_t next[PUSHERS][11] = {0}, pulled;
    bool ordered = true;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (uint64_t i = 0; i < PUSHERS; i++) {
        pushers[i] = (struct pusher){sorter, i};
        pthread_create(&threads[i], &small, push_many, &pushers[i]);
    }
    for (int i = 0; i < PUSHERS; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&small);
    CHECK_EQUAL(gsort_sorter_finish(sorter, NULL), GSORT_OK);
    unsigned char *got = pull_all(sorter, 0, 24, PUSHERS * PUSHES * BATCH, &pulled);
    CHECK_EQUAL(pulled, PUSHERS * PUSHES * BATCH);
    for (uint64_t i = 0; i < pulled && ordered; i++) {
        uint64_t row[3], before[3];
        memcpy(row, got + i * 24, 24);
        memcpy(before, got + (i > 0 ? i - 1 : 0) * 24, 24);
        uint64_t *wanted = &next[row[2] >> 32][row[1]];
        const uint64_t at = row[2] & UINT32_MAX;
        ordered = at >= *wanted && at % 11 == row[1] && before[1] >= row[1];
        if (before[1] == row[1] && before[2] >> 32 != row[2] >> 32) /* a push begins here */
            ordered &= at % BATCH < 11;
        *wanted = at + 1;
    }
    CHECK(ordered);
    gsort_sorter_free(sorter);
    free(got);
    gsort_format_free(format);
}

/* How far a sorter comes before it is given up. */
enum stop { OPENED, PUSHED, FINISHED, PULLED, STOPS };

static void check_abandoned(const struct kind *kind, enum stop stop, uint64_t memory, int orders)
{
    const int descriptors = count_entries("/proc/self/fd");
    const int threads = count_entries("/proc/self/task");
    struct gsort_format *format = gsort_format_parse(kind->text, NULL);
    const struct gsort_format *const list[] = {format, format};
    struct gsort_options options = GSORT_OPTIONS_INIT;
    options.memory_bytes = memory;
    struct gsort_sorter *sorter =
        gsort_sorter_open(list, (size_t)orders, directories, 1, &options, NULL);
    const unsigned char *records = many(kind);
    const void *batch;
    uint64_t count;
    if (stop >= PUSHED)
        CHECK_EQUAL(gsort_sorter_push(sorter, records, kind->many, NULL), GSORT_OK);
    if (stop >= FINISHED)
        CHECK_EQUAL(gsort_sorter_finish(sorter, NULL), GSORT_OK);
    if (stop >= PULLED)
        CHECK_EQUAL(gsort_sorter_pull(sorter, 0, &batch, &count, NULL), GSORT_OK);
    gsort_sorter_free(sorter);
    CHECK(is_empty());
    CHECK_EQUAL((uint64_t)count_entries("/proc/self/fd"), (uint64_t)descriptors);
    CHECK_EQUAL((uint64_t)count_entries("/proc/self/task"), (uint64_t)threads);
    gsort_format_free(format);
}

/* An error is that of all later calls. */
static void test_no_directory(int order_count)
{
    static const char *const nowhere[] = {"/nonexistent"};
    struct gsort_error error = GSORT_ERROR_INIT;
    struct gsort_options options = GSORT_OPTIONS_INIT;
    const struct kind *kind = &kinds[5];
    struct gsort_format *format = gsort_format_parse(kind->text, NULL);
    const struct gsort_format *const orders[] = {format, format};
    const unsigned char *records = many(kind);
    enum gsort_status status = GSORT_OK;
    const void *batch;
    uint64_t count;
    options.memory_bytes = LITTLE;
    struct gsort_sorter *sorter =
        gsort_sorter_open(orders, (size_t)order_count, nowhere, 1, &options, &error);
    for (int i = 0; i < 4 && status == GSORT_OK; i++)
        status = gsort_sorter_push(sorter, records, kind->many, &error);
    CHECK_EQUAL(status, GSORT_OUTPUT);
    CHECK(strstr(error.line, "/nonexistent: cannot create a temporary file") == error.line);
    CHECK_EQUAL(gsort_sorter_push(sorter, records, 1, &error), GSORT_OUTPUT);
    CHECK_EQUAL(gsort_sorter_finish(sorter, &error), GSORT_OUTPUT);
    CHECK_EQUAL(gsort_sorter_pull(sorter, 0, &batch, &count, &error), GSORT_OUTPUT);
    CHECK(count == 0 && strstr(error.line, "/nonexistent: ") == error.line);
    gsort_sorter_free(sorter);
    gsort_format_free(format);
}

static int count_records(void *context, const void *records, uint64_t count)
{
    uint64_t *all = context;
    (void)records;
    *all += count;
    return *all > 1000000;
}

/* Only the first of each key; all handed to a callback, which can end that. */
static void test_each(void)
{
    struct gsort_format *format = gsort_format_parse("u32", NULL);
    const struct gsort_format *const orders[] = {format};
    struct gsort_options options = GSORT_OPTIONS_INIT;
    options.flags = GSORT_UNIQUE;
    for (int more = 0; more < 2; more++) {
        struct gsort_sorter *sorter = gsort_sorter_open(orders, 1, directories, 1, &options, NULL);
        uint64_t all = more == 0 ? 0 : 1000000;
        for (uint32_t i = 0; i < 100000; i++) {
            const uint32_t key = i % 5000;
            gsort_sorter_push(sorter, &key, 1, NULL);
        }
        CHECK_EQUAL(gsort_sorter_finish(sorter, NULL), GSORT_OK);
        CHECK_EQUAL(gsort_sorter_each(sorter, 0, count_records, &all, NULL),
                    more == 0 ? GSORT_OK : GSORT_CANCELLED);
        CHECK(more == 0 ? all == 5000 : all > 1000000);
        gsort_sorter_free(sorter);
    }
    gsort_format_free(format);
}

static int say_no(void *context, const struct gsort_progress *progress)
{
    int *calls = context;
    (void)progress;
    ++*calls;
    return 1;
}

static void test_cancelled(uint64_t memory)
{
    struct gsort_format *format = gsort_format_parse(kinds[5].text, NULL);
    const struct gsort_format *const orders[] = {format};
    struct gsort_options options = GSORT_OPTIONS_INIT;
    struct gsort_error error = GSORT_ERROR_INIT;
    int calls = 0;
    const void *batch;
    uint64_t count;
    enum gsort_status status = GSORT_OK;
    const unsigned char *records = many(&kinds[5]);
    options.memory_bytes = memory;
    options.progress = say_no;
    options.context = &calls;
    struct gsort_sorter *sorter = gsort_sorter_open(orders, 1, directories, 1, &options, NULL);
    status = gsort_sorter_push(sorter, records, kinds[5].many, &error);
    if (status == GSORT_OK)
        status = gsort_sorter_finish(sorter, &error);
    while (status == GSORT_OK) {
        status = gsort_sorter_pull(sorter, 0, &batch, &count, &error);
        if (!CHECK(status != GSORT_OK || count > 0))
            break;
    }
    CHECK_EQUAL(status, GSORT_CANCELLED);
    CHECK(calls == 1);
    CHECK(strcmp(error.line, "cancelled") == 0);
    gsort_sorter_free(sorter);
    CHECK(is_empty());
    gsort_format_free(format);
}

int main(void)
{
    if (mkdtemp(directory) == NULL)
        return 1;
    for (int i = 0; i < KINDS; i++)
        test_sizes(&kinds[i]);
    check_orders(5000, 0);
    check_orders(300000, LITTLE);
    check_pushers(0);
    check_pushers(LITTLE);
    for (int stop = OPENED; stop < STOPS; stop++)
        for (int orders = 1; orders <= 2; orders++)
            for (int i = 0; i < KINDS; i += 5) {
                check_abandoned(&kinds[i], (enum stop)stop, 0, orders);
                check_abandoned(&kinds[i], (enum stop)stop, LITTLE, orders);
            }
    check_abandoned(&kinds[1], PUSHED, LITTLE, 1);
    check_abandoned(&kinds[1], PULLED, LITTLE, 1);
    test_no_directory(1);
    test_no_directory(2);
    test_each();
    test_cancelled(0);
    test_cancelled(LITTLE);
    CHECK(is_empty());
    rmdir(directory);
    return check_failures();
}

/* test_rewritten_records.c -- another thread changes records of the input for moments.
 * SPDX-License-Identifier: MIT
 *
 * Records are read for their place, and again when they are fetched. A sort or a merge reports that
 * the input has changed, or gives records in order.
 */
#include "common/random.h"
#include "sort/types/record_order.h"
#include "sort/sort.h"
#include "tests/unit/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 24, COUNT = 100000, HALF = COUNT / 2 };

static char input[COUNT * BYTES], output[COUNT * BYTES];
static atomic_bool stop;

/* Each record gets the first bytes of another one, and then its own again. */
static void *disturb(void *unused)
{
    uint64_t mine, other;
    (void)unused;
    for (uint64_t i = 0; !atomic_load(&stop); i++) {
        char *at = input + gs_random(1, i) % COUNT * BYTES;
        memcpy(&mine, at, sizeof mine);
        memcpy(&other, input + gs_random(2, i) % COUNT * BYTES, sizeof other);
        *(volatile uint64_t *)(void *)at = other;
        for (int spin = 0; spin < 1000; spin++)
            atomic_signal_fence(memory_order_seq_cst);
        *(volatile uint64_t *)(void *)at = mine;
    }
    return NULL;
}

static enum gs_status store(struct gs_sink *sink, const void *data, uint64_t n, uint64_t position,
                            struct gs_error *err)
{
    (void)sink, (void)err;
    memcpy(output + position * BYTES, data, n * BYTES);
    return GS_OK;
}

/* Ways to the output: through a sink or to its memory, or through temporary files. */
enum way { SORTED, SORTED_IN_MEMORY, SORTED_EXTERNAL, MERGED, MERGED_IN_MEMORY, WAYS };

static enum gs_status run(const struct gs_options *options, enum way way, uint64_t *count)
{
    const struct gs_width *width = gs_width(options);
    const struct gs_span spans[] = {{input, HALF, "a"}, {input + HALF * BYTES, HALF, "b"}};
    const bool memory = way == SORTED_IN_MEMORY || way == MERGED_IN_MEMORY;
    const char *const directory = "/tmp";
    const struct gs_external source = {.spans = spans,
                                       .span_count = 2,
                                       .memory_bytes = (uint64_t)3 << 20,
                                       .directories = &directory,
                                       .directory_count = 1};
    struct gs_sink sink = {.write = store, .memory = memory ? output : NULL};
    struct gs_stats stats = {0};
    struct gs_error err = {.status = GS_OK};
    enum gs_status st;
    if (way == SORTED_EXTERNAL)
        st = width->sort_external(options, &source, &sink, NULL, &stats, &err);
    else
        st = (way >= MERGED ? width->merge : width->sort)(options, spans, 2, &sink, NULL, &stats,
                                                          &err);
    *count = stats.keys_out;
    return st;
}

/* Sort or merge what is disturbed: an error, or records in order. */
static void test_output(struct gs_options options, enum way way)
{
    const int runs = check_expensive() ? 100 : 4;
    pthread_t writer;
    uint64_t count;
    for (size_t i = 0; i < COUNT; i++) {
        /* Two inputs in order, for a merge; else any order. */
        const uint64_t key = way >= MERGED ? (i % HALF) << 20 : gs_random(3, i);
        memset(input + i * BYTES, (int)i, BYTES);
        memcpy(input + i * BYTES, &key, sizeof key);
    }
    CHECK_EQUAL(run(&options, way, &count), GS_OK);
    atomic_store(&stop, false);
    if (pthread_create(&writer, NULL, disturb, NULL) != 0)
        abort();
    for (int i = 0; i < runs; i++) {
        const enum gs_status st = run(&options, way, &count);
        CHECK(st == GS_ERR_INPUT || (st == GS_OK && gs_width(&options)->first_disorder(
                                                        &options, output, count, NULL) == count));
    }
    atomic_store(&stop, true);
    pthread_join(writer, NULL);
}

static void test_format(const char *key, bool stable, bool unique)
{
    struct gs_format_options given = {.record = "24", .key_count = 0};
    struct gs_format format;
    struct gs_record_order order;
    struct gs_error err = {.status = GS_OK};
    CHECK_EQUAL(gs_format_add_key(&given, key, &err), GS_OK);
    CHECK_EQUAL(gs_format_parse(&format, &given, &err), GS_OK);
    format.stable = stable;
    gs_record_order_init(&order, &format);
    const struct gs_options options = {
        .unique = unique, .key_bytes = 16, .format = &format, .records = &order, .threads = 2};
    for (enum way way = SORTED; way < WAYS; way++)
        if (!unique || (way != SORTED_IN_MEMORY && way != MERGED_IN_MEMORY))
            test_output(options, way);
}

int main(void)
{
    test_format("0:u64", false, false);
    test_format("0:u64", true, true);
    return check_failures();
}

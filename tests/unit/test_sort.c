/* test_sort.c -- gs_sort(): every kind of input, sink and option.
 * SPDX-License-Identifier: MIT
 */
#include "common/random.h"
#include "sort/keys/fingerprint.h"
#include "sort/sorter/sorter.h"
#include "sort/run/plan.h"
#include "sort/types/types.h"
#include "sort/keys/params.h"
#include "sort/ways/few_values.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"

#include <pthread.h>
#include <stdlib.h>

/* A sink that keeps what it gets and counts how often each place is written. */
struct keeper {
    struct gs_sink sink; /* first: gs_sort hands back a pointer to it */
    pthread_mutex_t mutex;
    gs_key *keys;
    unsigned char *written;
    uint64_t room;
    uint64_t end;     /* for a stream: where the next piece must begin */
    bool disorderly;  /* a piece was out of place */
    uint64_t fail_at; /* refuse the piece that has this position */
};

static enum gs_status keep(struct gs_sink *sink, const void *data, uint64_t count,
                           uint64_t position, struct gs_error *err)
{
    const gs_key *keys = data;
    struct keeper *keeper = (struct keeper *)(void *)sink;
    enum gs_status st = GS_OK;
    pthread_mutex_lock(&keeper->mutex);
    if (position > keeper->room || count > keeper->room - position ||
        (sink->stream && position != keeper->end)) {
        keeper->disorderly = true;
    } else if (position <= keeper->fail_at && keeper->fail_at < position + count) {
        st = gs_fail(err, GS_ERR_OUTPUT, 0, "keeper: full");
    } else {
        memcpy(keeper->keys + position, keys, (size_t)count * sizeof *keys);
        for (uint64_t i = 0; i < count; i++)
            keeper->written[position + i]++;
        keeper->end = position + count;
    }
    pthread_mutex_unlock(&keeper->mutex);
    return st;
}

static void keeper_open(struct keeper *keeper, uint64_t room, bool stream, bool memory)
{
    *keeper = (struct keeper){.sink = {.write = keep, .stream = stream}, .room = room};
    keeper->fail_at = UINT64_MAX;
    pthread_mutex_init(&keeper->mutex, NULL);
    keeper->keys = malloc((size_t)room * sizeof *keeper->keys + 1);
    keeper->written = calloc((size_t)room + 1, 1);
    if (keeper->keys == NULL || keeper->written == NULL)
        abort();
    if (memory) {
        keeper->sink.memory = keeper->keys;
        keeper->sink.write = NULL;
    }
}

static void keeper_close(struct keeper *keeper)
{
    free(keeper->keys);
    free(keeper->written);
    pthread_mutex_destroy(&keeper->mutex);
}

enum { SINK_PIECES, SINK_STREAM, SINK_MEMORY, SINKS };

static void check_sort(enum sample_kind kind, uint64_t count, const struct gs_options *options,
                       int sink)
{
    gs_key *keys = sample_make(kind, count);
    gs_key *copy = sample_make(kind, count);
    uint64_t kept = count;
    gs_key *wanted = sample_sorted(keys, &kept, options->reverse, options->unique);
    uint64_t cut = count / 3;
    struct gs_span spans[] = {{keys, cut, "a"}, {keys, 0, "b"}, {keys + cut, count - cut, "c"}};
    struct gs_error err = {.status = GS_OK};
    struct gs_stats stats = {0};
    struct gs_progress progress = {.phase = NULL};
    struct keeper keeper;
    keeper_open(&keeper, count, sink == SINK_STREAM, sink == SINK_MEMORY);
    enum gs_status st = gs_sort(options, spans, 3, &keeper.sink, &progress, &stats, &err);
    bool good = CHECK(st == GS_OK) && CHECK(!keeper.disorderly) &&
                CHECK_EQUAL(stats.keys_in, count) && CHECK_EQUAL(stats.keys_out, kept) &&
                CHECK(memcmp(keeper.keys, wanted, (size_t)kept * sizeof *wanted) == 0);
    for (uint64_t i = 0; good && sink != SINK_MEMORY && i < count; i++)
        good = CHECK_EQUAL(keeper.written[i], i < kept);
    good = CHECK(memcmp(keys, copy, (size_t)count * sizeof *keys) == 0) && good;
    if (options->verify)
        good = CHECK_EQUAL(stats.fingerprint, gs_fingerprint(wanted, kept)) && good;
    if (!good)
        fprintf(stderr,
                "kind %d, %" PRIu64
                " keys, sink %d, reverse %d, unique %d, verify %d, bins %" PRIu64
                ", threads %u: %s\n",
                (int)kind, count, sink, options->reverse, options->unique, options->verify,
                options->bins, options->threads, err.text);
    keeper_close(&keeper);
    free(keys);
    free(copy);
    free(wanted);
}

/* Any combination of kind, size, options and sink gives the right output and leaves the input. */
static void test_everything(void)
{
    static const uint64_t counts[] = {0, 1, 2, 3, 1000, GS_TILE_KEYS + 4099};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
            for (unsigned flags = 0; flags < 8; flags++) {
                struct gs_options options = {.reverse = (flags & 1) != 0,
                                             .unique = (flags & 2) != 0,
                                             .verify = (flags & 4) != 0,
                                             .threads = 1 + flags % 3};
                check_sort((enum sample_kind)kind, counts[c], &options, (int)(flags + c) % SINKS);
                options.bins = 64;
                check_sort((enum sample_kind)kind, counts[c], &options,
                           (int)(flags + c + 1) % SINKS);
            }
        }
    }
}

/* Each sink gets the right output in both directions, with and without duplicates, for each way in
 * which keys are sorted. */
static void test_sinks(void)
{
    for (int sink = 0; sink < SINKS; sink++) {
        for (unsigned flags = 0; flags < 4; flags++) {
            struct gs_options options = {.reverse = (flags & 1) != 0,
                                         .unique = (flags & 2) != 0,
                                         .verify = true,
                                         .threads = 3};
            check_sort(SAMPLE_FEW, 100001, &options, sink);
            check_sort(SAMPLE_UNIFORM, 200001, &options, sink);
            check_sort(SAMPLE_SKEWED, 300001, &options, sink);
            check_sort(SAMPLE_SORTED, 100001, &options, sink);
            check_sort(SAMPLE_REVERSED, 100001, &options, sink);
        }
    }
}

/* A few values get a bin each, unless the user asks for a number of bins: then its effect shows. */
static void test_few_values(void)
{
    enum { COUNT = GS_ONE_BIN_KEYS + 4099, VALUES = 7 };
    gs_key *keys = sample_make(SAMPLE_FEW, COUNT);
    struct gs_span span = {keys, COUNT, "keys"};
    for (uint64_t bins = 0; bins <= 2; bins += 2) {
        struct gs_options options = {
            .threads = 2, .device = GS_DEVICE_CPU, .bins = bins, .samples = bins == 0 ? 0 : 1024};
        struct gs_error err = {.status = GS_OK};
        struct gs_stats stats = {0};
        struct keeper keeper;
        keeper_open(&keeper, COUNT, false, true);
        CHECK(gs_sort(&options, &span, 1, &keeper.sink, NULL, &stats, &err) == GS_OK);
        CHECK_EQUAL(stats.bins, bins == 0 ? VALUES : bins);
        CHECK_EQUAL(stats.equality_bins, bins == 0 ? VALUES : 0); /* none fills half a bin */
        keeper_close(&keeper);
    }
    free(keys);
}

/* So do up to GS_VALUES_COMPARED_MOST values of an input too large for shares, whose keys are
 * compared with each value and counted; with one value more the output is still right. */
static void test_many_keys_of_few_values(uint64_t values)
{
    const uint64_t count = GS_SHARES_KEYS + 4099;
    const gs_key step = 1000003;
    const struct gs_options options = {.threads = 2, .device = GS_DEVICE_CPU};
    uint64_t wanted[GS_VALUES_COMPARED_MOST + 1] = {0};
    gs_key *keys = malloc(count * sizeof *keys);
    gs_key *out = calloc(count, sizeof *out);
    if (keys == NULL || out == NULL)
        abort();
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t value = (gs_random(values, i) >> 32) * values >> 32;
        keys[i] = (gs_key)value * step;
        wanted[value]++;
    }
    struct gs_span span = {keys, count, "keys"};
    struct gs_sink sink = {.memory = out};
    struct gs_stats stats = {0};
    struct gs_error err = {.status = GS_OK};
    CHECK(gs_sort(&options, &span, 1, &sink, NULL, &stats, &err) == GS_OK);
    if (values <= GS_VALUES_COMPARED_MOST)
        CHECK_EQUAL(stats.equality_bins, values);
    uint64_t wrong = 0, at = 0;
    for (uint64_t value = 0; value < values; value++)
        for (uint64_t i = 0; i < wanted[value]; i++)
            wrong += out[at++] != (gs_key)value * step;
    CHECK_EQUAL(wrong, 0);
    free(out);
    free(keys);
}

static enum gs_status make_memory(struct gs_sink *sink, uint64_t count, uint64_t position,
                                  struct gs_error *err)
{
    struct keeper *keeper = (struct keeper *)(void *)sink;
    (void)err;
    pthread_mutex_lock(&keeper->mutex);
    for (uint64_t i = 0; i < count; i++)
        keeper->written[position + i] = 1;
    pthread_mutex_unlock(&keeper->mutex);
    return GS_OK;
}

static enum gs_status tell_memory(struct gs_sink *sink, const void *data, uint64_t count,
                                  uint64_t position, struct gs_error *err)
{
    const gs_key *keys = data;
    struct keeper *keeper = (struct keeper *)(void *)sink;
    (void)keys, (void)err;
    pthread_mutex_lock(&keeper->mutex);
    for (uint64_t i = 0; i < count; i++)
        keeper->disorderly = keeper->disorderly || keeper->written[position + i]++ != 1;
    pthread_mutex_unlock(&keeper->mutex);
    return GS_OK;
}

/* Memory that is made part by part is made before any key is written to it, copies of one key
 * included, and write() is told of each key once. */
static void test_memory_is_made(void)
{
    enum { COUNT = GS_ONE_BIN_KEYS + 4099 };
    gs_key *keys = sample_make(SAMPLE_UNIFORM, COUNT);
    for (uint64_t i = 0; i < COUNT; i++)
        keys[i] = 1000 + keys[i] % 7;
    struct gs_span span = {keys, COUNT, "keys"};
    for (unsigned flags = 0; flags < 4; flags++) {
        struct gs_options options = {.threads = 2,
                                     .device = GS_DEVICE_CPU,
                                     .bins = 64, /* by equality bins, not by few_values.h */
                                     .reverse = (flags & 1) != 0,
                                     .unique = (flags & 2) != 0};
        struct gs_error err = {.status = GS_OK};
        struct gs_stats stats = {0};
        struct keeper keeper;
        keeper_open(&keeper, COUNT, false, true);
        keeper.sink.make = make_memory;
        keeper.sink.write = tell_memory;
        CHECK(gs_sort(&options, &span, 1, &keeper.sink, NULL, &stats, &err) == GS_OK);
        CHECK(!keeper.disorderly);
        bool told = true;
        for (uint64_t i = 0; i < stats.keys_out; i++)
            told = told && keeper.written[i] == 2;
        CHECK(told);
        CHECK_EQUAL(stats.equality_bins, 7);
        keeper_close(&keeper);
    }
    free(keys);
}

/* A sink that fails at any piece: gs_sort returns its error, and no thread is left waiting. */
static void test_sink_fails(void)
{
    enum { N = 150000 };
    for (int kind = 0; kind < SAMPLE_KINDS; kind++) {
        for (uint64_t at = 0; at < N; at += N / 5) {
            for (int sink = SINK_PIECES; sink <= SINK_STREAM; sink++) {
                gs_key *keys = sample_make((enum sample_kind)kind, N);
                struct gs_span span = {keys, N, "a"};
                struct gs_options options = {.threads = 3, .reverse = at % 2 != 0};
                struct gs_error err = {.status = GS_OK};
                struct keeper keeper;
                keeper_open(&keeper, N, sink == SINK_STREAM, false);
                keeper.fail_at = at;
                CHECK(gs_sort(&options, &span, 1, &keeper.sink, NULL, NULL, &err) == GS_ERR_OUTPUT);
                CHECK(err.status == GS_ERR_OUTPUT && strcmp(err.text, "keeper: full") == 0);
                keeper_close(&keeper);
                free(keys);
            }
        }
    }
}

/* A sort that would exceed memory_bytes is refused, with an error of one line. */
static void test_memory_limit(void)
{
    gs_key *keys = sample_make(SAMPLE_UNIFORM, 1000000);
    struct gs_span span = {keys, 1000000, "a"};
    struct gs_options options = {.memory_bytes = 1 << 20};
    struct gs_error err = {.status = GS_OK};
    struct gs_plan plan;
    struct keeper keeper;
    keeper_open(&keeper, 1000000, false, false);
    CHECK(gs_sort(&options, &span, 1, &keeper.sink, NULL, NULL, &err) == GS_ERR_MEMORY);
    CHECK(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    keeper_close(&keeper);
    /* Memory that holds so small an input counts, too. */
    options.own.held_bytes = span.count * GS_KEY_BYTES;
    gs_plan_make(&plan, &options, span.count);
    for (uint64_t less = 0; less < 2; less++) {
        options.memory_bytes = plan.memory_bytes + options.own.held_bytes - less;
        keeper_open(&keeper, 1000000, false, false);
        CHECK((gs_sort(&options, &span, 1, &keeper.sink, NULL, NULL, &err) == GS_OK) ==
              (less == 0));
        keeper_close(&keeper);
    }
    free(keys);
}

/* Stats describe one sort only, whatever the struct held before. */
static void test_stats_are_of_one_sort(void)
{
    enum { COUNT = 1000 };
    gs_key *keys = sample_make(SAMPLE_UNIFORM, COUNT);
    struct gs_span span = {keys, COUNT, "keys"};
    struct gs_stats stats;
    memset(&stats, 0x55, sizeof stats);
    for (int lists = 1; lists >= 0; lists--) {
        struct gs_options options = {.engine = lists ? GS_ENGINE_HYBRID : GS_ENGINE_SAMPLESORT,
                                     .device = GS_DEVICE_CPU};
        struct gs_error err = {.status = GS_OK};
        struct keeper keeper;
        keeper_open(&keeper, COUNT, false, false);
        CHECK(gs_sort(&options, &span, 1, &keeper.sink, NULL, &stats, &err) == GS_OK);
        CHECK((stats.lists > 0) == (lists == 1));
        CHECK((stats.bins > 0) == (lists == 0));
        CHECK_EQUAL(stats.temporary_bytes, 0);
        CHECK(stats.warning[0] == '\0');
        CHECK((stats.stages[GS_STAGE_SORT_LISTS].device != GS_DEVICE_AUTO) == (lists == 1));
        keeper_close(&keeper);
    }
    free(keys);
}

/* Engines, devices and stages have the names that stats print. */
static void test_names(void)
{
    CHECK(strcmp(gs_engine_name(GS_ENGINE_HYBRID), "hybrid") == 0);
    CHECK(strcmp(gs_device_name(GS_DEVICE_GPU), "gpu") == 0);
    for (int stage = 0; stage < GS_STAGES; stage++)
        CHECK(gs_stage_name((enum gs_stage)stage)[0] != '\0');
}

/* Keys that look ordered until late have been copied to the sink's memory by then: the output must
 * be right all the same. */
static void test_disorder_comes_late(void)
{
    enum { COUNT = 3 * GS_TILE_KEYS + 5 };
    static gs_key keys[COUNT], wanted[COUNT], got[COUNT];
    static const char *const orders[] = {"none", "none", "none", "reversed", "sorted"};
    for (int which = 0; which < 5; which++)
        for (unsigned flags = 0; flags < 8; flags++) {
            for (uint64_t i = 0; i < COUNT; i++) {
                gs_key up = (gs_key)(7 * i);
                gs_key constant_first = i <= GS_TILE_KEYS ? 5 * COUNT : (gs_key)(5 * (COUNT - i));
                keys[i] = which == 0 ? up : which == 1 ? ~up : constant_first;
                if (which == 4)
                    keys[i] = ~keys[i];
            }
            if (which < 3)
                keys[COUNT - 2] = which == 0 ? 0 : GS_KEY_MAX;
            memcpy(wanted, keys, sizeof keys);
            struct gs_options options = {
                .reverse = (flags & 1) != 0, .verify = (flags & 2) != 0, .threads = 1 + flags / 4};
            sample_sort(wanted, COUNT);
            for (uint64_t i = 0; options.reverse && i < COUNT / 2; i++) {
                gs_key key = wanted[i];
                wanted[i] = wanted[COUNT - 1 - i];
                wanted[COUNT - 1 - i] = key;
            }
            struct gs_span span = {keys, COUNT, "keys"};
            struct gs_sink sink = {.memory = got};
            struct gs_stats stats = {0};
            struct gs_error err = {.status = GS_OK};
            CHECK(gs_sort(&options, &span, 1, &sink, NULL, &stats, &err) == GS_OK);
            CHECK(memcmp(got, wanted, sizeof wanted) == 0);
            CHECK_EQUAL(stats.keys_out, COUNT);
            CHECK(strcmp(stats.order, orders[which]) == 0);
            CHECK(!options.verify || stats.fingerprint == gs_fingerprint(wanted, COUNT));
        }
}

int main(void)
{
    test_disorder_comes_late();
    test_everything();
    test_sinks();
    test_few_values();
    test_many_keys_of_few_values(GS_VALUES_COMPARED_MOST);
    test_many_keys_of_few_values(GS_VALUES_COMPARED_MOST + 1);
    test_memory_is_made();
    test_sink_fails();
    test_memory_limit();
    test_stats_are_of_one_sort();
    test_names();
    return check_failures();
}

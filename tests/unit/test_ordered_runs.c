/* test_ordered_runs.c -- ordered runs are found and merged; changes meanwhile do no harm.
 * SPDX-License-Identifier: MIT
 */
#include "sort/ways/ordered_runs.h"
#include "tests/unit/check.h"
#include "tests/unit/sample_keys.h"
#include "tests/unit/sort_ways.h"
#include "sort/keys/order.h"
#include "sort/sorter/sorter.h"

#include <pthread.h>
#include <stdatomic.h>

enum { N = 3 * GS_TILE_KEYS + 1001, SPANS = 3 };

static gs_key keys[N], got[N];

/* Fill keys[first .. end) with a run: ascending (1), descending (-1) or of equal keys (0). */
static void fill_run(uint64_t first, uint64_t end, int direction, gs_key low, gs_key step)
{
    for (uint64_t i = first; i < end; i++)
        keys[i] = direction == 0  ? low
                  : direction > 0 ? low + (gs_key)(i - first) * step
                                  : low + (gs_key)(end - 1 - i) * step;
}

/* Fill all keys with runs of `length` keys, the last perhaps shorter, in one direction or, 2, in
 * both by turns. Returns the number of runs. */
static size_t fill_runs(uint64_t length, int directions)
{
    size_t runs = 0;
    for (uint64_t first = 0; first < N; first += length, runs++) {
        int direction = directions == 2 ? (runs % 2 == 0 ? 1 : -1) : directions;
        uint64_t end = first + length < N ? first + length : N;
        fill_run(first, end, direction, (gs_key)(runs * 7919 % 1000), 5 + (gs_key)(runs % 3));
    }
    return runs;
}

/* Cut the keys into three spans, away from the edges of runs and tiles. */
static void make_spans(struct gs_span *spans)
{
    static const uint64_t ends[SPANS] = {N / 2 + 3, N / 3 * 2 + 1, N};
    for (uint64_t i = 0, first = 0; i < SPANS; first = ends[i++])
        spans[i] = (struct gs_span){keys + first, ends[i] - first, "keys"};
}

static bool find(struct gs_ordered_runs *runs)
{
    struct gs_span spans[SPANS];
    struct gs_tiles tiles;
    make_spans(spans);
    if (!CHECK(gs_tiles_make(&tiles, spans, SPANS, NULL) == GS_OK))
        return false;
    bool found = gs_ordered_runs_find(&tiles, 2, runs);
    gs_tiles_free(&tiles);
    return found;
}

/* Check that the runs found cover all keys, each in its order. */
static void check_runs(const struct gs_ordered_runs *runs)
{
    uint64_t next = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct gs_ordered_run *run = &runs->list[i];
        CHECK_EQUAL(run->first, next);
        next += run->count;
        for (uint64_t k = run->first; k + 1 < next; k++) {
            int step = (keys[k] < keys[k + 1]) - (keys[k] > keys[k + 1]);
            if (!CHECK(step == 0 || step == run->direction))
                break;
        }
    }
    CHECK_EQUAL(next, N);
}

/* Sort the keys with all options, by one thread and by three. */
static void check_sort(void)
{
    struct gs_span spans[SPANS];
    make_spans(spans);
    for (unsigned threads = 1; threads <= 3; threads += 2)
        check_sort_ways(spans, SPANS, keys, N, got, threads);
}

/* A few long runs are found, in any direction, and merging them sorts the input correctly. */
static void test_runs(void)
{
    static const uint64_t lengths[] = {N, N - 1, N / 2, GS_TILE_KEYS, GS_TILE_KEYS + 1, 9000};
    struct gs_ordered_runs runs;
    if (gs_merge_method() == GS_MERGE_NONE)
        return;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int directions = -1; directions <= 2; directions++) {
            size_t most = 2 * fill_runs(lengths[i], directions);
            if (!CHECK(find(&runs)))
                continue;
            CHECK(runs.count <= most);
            check_runs(&runs);
            check_sort();
        }
}

/* Many short runs or random keys are left to the sample sort. */
static void test_many_runs(void)
{
    struct gs_ordered_runs runs;
    fill_runs(500, 1);
    CHECK(!find(&runs));
    fill_run(0, N / 2, 1, 0, 3);
    CHECK(!find(&runs));
    for (uint64_t i = 0; i < N; i++)
        keys[i] = sample_key(SAMPLE_UNIFORM, N, i);
    CHECK(!find(&runs));
}

/* Runs whose keys are mostly equal, or that leave all bins but one empty, are merged correctly. */
static void test_lopsided(void)
{
    fill_run(0, N / 2, 0, 77, 0);
    fill_run(N / 2, N, -1, 77, 1);
    check_sort();
    fill_run(0, N - 9, 0, 77, 0);
    fill_run(N - 9, N, 1, 3, 1);
    check_sort();
    fill_run(0, N / 2, 1, 0, 1);
    fill_run(N / 2, N, 1, 0xffff0000U, 0);
    check_sort();
}

static int how; /* which change is made to the keys */

/* Changes the keys as soon as the first merged ones are written. */
static enum gs_status store_and_change(struct gs_sink *sink, const void *data, uint64_t count,
                                       uint64_t position, struct gs_error *err)
{
    const gs_key *from = data;
    const uint64_t at = N / 16 * 7; /* in the first run, in its last segment */
    if (position == 0 && how == 0) {
        gs_key key = keys[at];
        keys[at] = keys[at + 1];
        keys[at + 1] = key;
    }
    for (uint64_t i = 1; position == 0 && how == 1 && i < N / 2; i++)
        keys[i] = keys[0];
    for (uint64_t i = at; position == 0 && how == 2 && i < N / 2; i++)
        keys[i] *= 2;
    return array_write(sink, from, count, position, err);
}

/* A change of the input during the merge is reported, whether it leaves a run out of order (how 0)
 * or in order, but with keys that are already written (1) or others (2). */
static void test_change_between(void)
{
    for (how = 0; how < 3; how++) {
        struct gs_options options = {.threads = 1};
        struct array_sink sink = {.sink = {.write = store_and_change}, .keys = got};
        struct gs_error err = {.status = GS_OK};
        struct gs_span span = {keys, N, "keys"};
        fill_runs(N / 2, 2);
        CHECK(gs_sort(&options, &span, 1, &sink.sink, NULL, NULL, &err) == GS_ERR_INPUT);
        CHECK(strstr(err.text, "changed while it was being sorted") != NULL);
    }
}

static atomic_bool done;

/* Overwrites every seventh key with other ascending keys, again and again. */
static void *rewrite(void *unused)
{
    (void)unused;
    for (uint32_t turn = 0; !atomic_load(&done); turn++)
        for (uint64_t i = turn % 7; i < N; i += 7)
            *(volatile gs_key *)(keys + i) = (gs_key)turn * 1000003 + (gs_key)i;
    return NULL;
}

/* Sorting an input that is written to meanwhile gives an error or keys in order, nothing else. */
static void test_changes(void)
{
    struct gs_options options = {.verify = true, .threads = 2};
    pthread_t writer;
    for (int round = 0; round < 40; round++) {
        struct gs_sink sink = {.memory = got};
        struct gs_stats stats = {0};
        struct gs_error err = {.status = GS_OK};
        struct gs_span span = {keys, N, "keys"};
        fill_runs(N / 2, 2);
        atomic_store(&done, false);
        if (round % 4 > 0 && !CHECK(pthread_create(&writer, NULL, rewrite, NULL) == 0))
            return;
        enum gs_status st = gs_sort(&options, &span, 1, &sink, NULL, &stats, &err);
        atomic_store(&done, true);
        if (round % 4 > 0)
            pthread_join(writer, NULL);
        CHECK(st == GS_OK || (st == GS_ERR_INPUT && round % 4 > 0));
        if (st == GS_OK)
            CHECK_EQUAL(gs_first_disorder(&options, got, N, NULL), N);
    }
}

int main(void)
{
    test_runs();
    test_many_runs();
    test_lopsided();
    if (gs_merge_method() != GS_MERGE_NONE)
        test_change_between();
    test_changes();
    return check_failures();
}

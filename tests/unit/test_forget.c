/* test_forget.c -- after forget() has given keys to the sink, the sort does not read them again.
 * SPDX-License-Identifier: MIT
 *
 * The sink overwrites such keys at once, and counts how often it was given each.
 */
#include "sort/sorter/sorter.h"
#include "sort/types/types.h"
#include "sort/keys/params.h"
#include "tests/unit/sort_ways.h"

#include <stdatomic.h>

enum { MANY = GS_SHARES_KEYS + 54321, SPANS = 4 };

struct spoiling_sink {
    struct array_sink to; /* first: the library hands back a pointer to its sink */
    gs_key *input;        /* [count]: the spans, one behind the other */
    uint64_t count;
    atomic_uchar *told; /* [count]: how often forget() was called for each key */
};

static void spoil_keys(struct gs_sink *sink, const void *data, uint64_t count)
{
    const gs_key *keys = data;
    struct spoiling_sink *spoiling = (struct spoiling_sink *)(void *)sink;
    uint64_t first = (uint64_t)(keys - spoiling->input);
    if (first > spoiling->count || count > spoiling->count - first)
        abort();
    for (uint64_t i = first; i < first + count; i++) {
        atomic_fetch_add(&spoiling->told[i], 1);
        spoiling->input[i] = ~spoiling->input[i];
    }
}

/* Cut an input into spans. One is empty, and none ends where a tile or a chunk does. */
static void cut_spans(struct gs_span *spans, const gs_key *keys, uint64_t count)
{
    const uint64_t ends[SPANS] = {count / 3, count / 3, count / 3 + 5, count};
    uint64_t first = 0;
    for (size_t i = 0; i < SPANS; i++) {
        spans[i] = (struct gs_span){keys + first, ends[i] - first, "input"};
        first = ends[i];
    }
}

/* Sort and check the result; `ascending` has the keys in order. Returns the number of keys that
 * were forgotten, each only once. */
static uint64_t sort_spoiled(enum sample_kind kind, const gs_key *ascending, uint64_t count,
                             const struct gs_options *options, bool in_memory)
{
    struct gs_span spans[SPANS];
    struct gs_error err = {.status = GS_OK};
    struct gs_stats stats = {0};
    struct spoiling_sink sink = {.to.sink = {.write = array_write, .forget = spoil_keys},
                                 .count = count};
    sink.input = sample_make(kind, count);
    sink.to.keys = calloc(count, sizeof *sink.to.keys);
    sink.told = calloc(count, sizeof *sink.told);
    if (sink.told == NULL || sink.to.keys == NULL)
        abort();
    if (in_memory)
        sink.to.sink.memory = sink.to.keys;
    uint64_t left = count;
    gs_key *wanted = sample_ordered(ascending, &left, options->reverse, options->unique);
    cut_spans(spans, sink.input, count);
    CHECK(gs_sort(options, spans, SPANS, &sink.to.sink, NULL, &stats, &err) == GS_OK);
    CHECK_EQUAL(stats.keys_out, left);
    CHECK(memcmp(sink.to.keys, wanted, left * sizeof *wanted) == 0);
    uint64_t told = 0;
    uint64_t twice = 0;
    for (uint64_t i = 0; i < count; i++) {
        told += sink.told[i] > 0;
        twice += sink.told[i] > 1;
    }
    CHECK_EQUAL(twice, 0);
    free(wanted);
    free(sink.input);
    free(sink.to.keys);
    free(sink.told);
    return told;
}

/* Sort with and without both options, to memory and in pieces; kinds but the first take turns,
 * unless long tests are wanted. All keys that move to bins are forgotten: they are read once. Few
 * may be read by each thread (shares.h): then none is. */
static void test_kind(enum sample_kind kind, uint64_t count)
{
    static const unsigned threads[] = {1, 2, 5};
    uint64_t left = count;
    gs_key *keys = sample_make(kind, count);
    gs_key *ascending = sample_sorted(keys, &left, false, false);
    for (unsigned way = 0; way < 8; way++) {
        if (kind > SAMPLE_UNIFORM && kind % 4 != way % 4 && !check_expensive())
            continue;
        const struct gs_options options = {.device = GS_DEVICE_CPU,
                                           .reverse = (way & 1) != 0,
                                           .unique = (way & 2) != 0,
                                           .verify = way % 3 == 0,
                                           .threads = threads[way % 3]};
        uint64_t told = sort_spoiled(kind, ascending, count, &options, (way & 4) != 0);
        if (kind == SAMPLE_UNIFORM || kind == SAMPLE_SKEWED)
            CHECK(told == count || (told == 0 && count == GS_FEW_KEYS));
    }
    free(ascending);
    free(keys);
}

int main(void)
{
    for (int kind = 0; kind < SAMPLE_KINDS; kind++)
        test_kind((enum sample_kind)kind, MANY);
    test_kind(SAMPLE_UNIFORM, GS_FEW_KEYS);
    return check_failures();
}
